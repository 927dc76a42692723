import Glibc
import Synchronization

/// A server that speaks whatever bytes a test gives it: one thread a connection, on a port of its own.
final class RawServer: Sendable {
  /// One accepted connection.
  struct Connection {
    fileprivate let socket: Int32
    /// Counted from 0 in the order of acceptance.
    let number: Int

    /// The bytes of one request: up to the empty line, and as many more as `Content-Length` says. Nil: closed.
    func readRequest() -> String? {
      var bytes: [UInt8] = []
      while true {
        if let end = bytes.firstRange(of: "\r\n\r\n".utf8)?.upperBound {
          let head = String(decoding: bytes[..<end], as: UTF8.self)
          let length =
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
          if bytes.count >= end + length { return String(decoding: bytes[..<(end + length)], as: UTF8.self) }
        }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &chunk, chunk.count, 0)
        guard count > 0 else { return nil }
        bytes += chunk[..<count]
      }
    }

    /// False: the client has gone.
    @discardableResult
    func write(_ text: String) -> Bool {
      let bytes = Array(text.utf8)
      var sent = 0
      while sent < bytes.count {
        let count = bytes.withUnsafeBytes {
          guard let base = $0.baseAddress else { return 0 }
          return send(socket, base + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }

    /// Returns when the client has closed its side.
    func waitForClose() {
      var byte: UInt8 = 0
      while recv(socket, &byte, 1, 0) > 0 {}
    }
  }

  struct Failure: Error {}

  let port: Int
  private let listener: Int32
  private let log = Log()

  private final class Log: Sendable {
    struct Counts {
      var connections = 0
      var open = 0
      var mostOpen = 0
    }
    let counts = Mutex(Counts())
  }

  /// How many connections were accepted.
  var connectionCount: Int { log.counts.withLock { $0.connections } }
  /// The most connections that were open at once.
  var mostOpen: Int { log.counts.withLock { $0.mostOpen } }

  /// Runs `serve` on a thread for every connection; the connection is closed when it returns.
  init(_ serve: @escaping @Sendable (Connection) -> Void) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard listener >= 0, bound, listen(listener, 64) == 0 else { throw Failure() }
    port = Int(UInt16(bigEndian: address.sin_port))
    let accepting = Worker { [listener, log] in
      while true {
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else {
          // Closed here and nowhere else: its number may belong to somebody else at once.
          close(listener)
          return
        }
        let number = log.counts.withLock { counts in
          counts.connections += 1
          counts.open += 1
          counts.mostOpen = max(counts.mostOpen, counts.open)
          return counts.connections - 1
        }
        Worker {
          serve(Connection(socket: socket, number: number))
          log.counts.withLock { $0.open -= 1 }
          close(socket)
        }.start()
      }
    }
    accepting.start()
  }

  /// Returns when no connection is open.
  func waitUntilQuiet() async throws {
    while log.counts.withLock({ $0.open }) > 0 { try await Task.sleep(for: .milliseconds(5)) }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }
}

/// A thread.
private final class Worker: Sendable {
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func start() {
    var thread = pthread_t()
    let own = Unmanaged.passRetained(self)
    let result = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Worker>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, own.toOpaque())
    if result == 0 { pthread_detach(thread) } else { own.release() }
  }
}

/// Texts noted from the server's threads.
final class Seen: Sendable {
  private let noted = Mutex<[String]>([])
  func add(_ text: String) { noted.withLock { $0.append(text) } }
  var texts: [String] { noted.withLock { $0 } }
}
