import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Dispatch
import Foundation
import Glibc
import Testing

/// A socket that says exactly what it is told, however wrong. Waits on a thread of its own: the server under test needs
/// those of the test.
final class RawSocket: Sendable {
  private let descriptor: Int32
  private let queue = DispatchQueue(label: "raw-socket")

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
  }

  deinit { close(descriptor) }

  private func wait<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) } }
  }

  func write(_ text: String) async { await wait { self.send(text) } }

  /// Everything until the other side closes.
  func readAll() async -> String { await wait { self.receiveAll() } }

  /// The status of the next answer whose body has a length; nil when the connection is closed.
  func readAnswer() async -> (status: Int, head: String, body: String)? { await wait { self.receiveAnswer() } }

  private func send(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private func receiveAll() -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }

  private func receiveAnswer() -> (status: Int, head: String, body: String)? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let head = String(text[..<end.lowerBound])
        let body = String(text[end.upperBound...])
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        let length = line.flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) } ?? 0
        if body.utf8.count >= length {
          return (Int(head.split(separator: " ")[1]) ?? 0, head, String(body.prefix(length)))
        }
      }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
  }
}

@Suite struct HTTPFrontTests {
  private let path = Harness.base + "/authenticate?authIndexType=service&authIndexValue=Login"

  private func request(
    _ method: String = "POST", _ target: String? = nil, fields: [String] = [], body: String = "{}"
  ) -> String {
    let length =
      fields.contains { $0.lowercased().hasPrefix("transfer-encoding") } ? [] : ["Content-Length: \(body.utf8.count)"]
    let lines =
      ["\(method) \(target ?? path) HTTP/1.1", "Host: localhost", "Content-Type: application/json"] + length + fields
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
  }

  @Test func signsInOverASocket() async throws {
    let harness = try await Harness()
    let front = try HTTPFront(harness.server)
    #expect(front.port > 0)
    #expect(front.url == "http://127.0.0.1:\(front.port)/am")
    do {
      let socket = try RawSocket(port: front.port)
      await socket.write(request())
      let first = try #require(await socket.readAnswer())
      #expect(first.status == 200)
      #expect(first.head.contains("Content-Type: application/json"))
      #expect(first.head.contains("Cache-Control: no-store"))
      let page = Answer(
        status: 200, body: try JSONValue.parse(first.body), response: ServerResponse(status: 200))
      // The same connection goes on.
      await socket.write(request(body: harness.credentials(page).serializedString()))
      let second = try #require(await socket.readAnswer())
      #expect(second.status == 200)
      #expect(second.body.contains("\"tokenId\":\""))
    }
    await front.stop()
  }

  @Test func readsPathsAsTheyWereSent() async throws {
    let harness = try await Harness()
    let front = try HTTPFront(harness.server)
    let token = try #require(try await harness.bind(try Device(keyID: "a/b")).token)
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    let id = user.universalID.replacingOccurrences(of: "=", with: "%3D").replacingOccurrences(of: ",", with: "%2C")
    do {
      let socket = try RawSocket(port: front.port)
      let list = Harness.base + "/users/\(id)/devices/2fa/binding"
      await socket.write(
        request("GET", list + "?_queryFilter=true", fields: ["iPlanetDirectoryPro: \(token)"], body: ""))
      let answer = try #require(await socket.readAnswer())
      #expect(answer.status == 200)
      #expect(answer.body.contains("\"resultCount\":1"))
      await socket.write(request("DELETE", list + "/a%2Fb", fields: ["iplanetdirectorypro: \(token)"], body: ""))
      #expect(await socket.readAnswer()?.status == 200)
    }
    await front.stop()
  }

  @Test(arguments: [
    (["Content-Length: 2"], 400), (["Content-Length: 3"], 400),
    (["Transfer-Encoding: chunked", "Content-Length: 2"], 400),
    (["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], 400), (["Transfer-Encoding: gzip"], 400),
  ]) func refusesAmbiguousLengths(fields: [String], status: Int) async throws {
    let harness = try await Harness()
    let front = try HTTPFront(harness.server)
    do {
      let socket = try RawSocket(port: front.port)
      // A second request hides behind the first.
      await socket.write(request(fields: fields) + request("GET", "/hidden", body: ""))
      let text = await socket.readAll()
      #expect(text.hasPrefix("HTTP/1.1 \(status)"))
      #expect(text.components(separatedBy: "HTTP/1.1 ").count == 2, "\(text)")
    }
    await front.stop()
  }

  @Test func refusesLargeBodiesBeforeTheyAreSent() async throws {
    let harness = try await Harness { $0.limits.bodyBytes = 1024 }
    let front = try HTTPFront(harness.server)
    do {
      let socket = try RawSocket(port: front.port)
      await socket.write("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n")
      let answer = try #require(await socket.readAnswer())
      #expect(answer.status == 413)
      #expect(answer.body.contains("\"code\":413"))
    }
    do {
      // Chunked, the length is found out on the way.
      let socket = try RawSocket(port: front.port)
      let chunk = String(repeating: "x", count: 700)
      await socket.write(
        request(fields: ["Transfer-Encoding: chunked"], body: "2bc\r\n\(chunk)\r\n2bc\r\n\(chunk)\r\n0\r\n\r\n"))
      #expect(await socket.readAnswer()?.status == 413)
    }
    do {
      let socket = try RawSocket(port: front.port)
      await socket.write(request(fields: ["Transfer-Encoding: chunked"], body: ""))
      for _ in 0..<200 { await socket.write("2bc\r\n\(String(repeating: "x", count: 700))\r\n") }
      #expect(await socket.readAll().isEmpty)
    }
    await front.stop()
  }

  @Test func takesChunkedBodies() async throws {
    let harness = try await Harness()
    let front = try HTTPFront(harness.server)
    do {
      let socket = try RawSocket(port: front.port)
      await socket.write(request(fields: ["Transfer-Encoding: chunked"], body: "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"))
      #expect(await socket.readAnswer()?.status == 200)
    }
    await front.stop()
  }

  @Test(arguments: ["garbage\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "POST\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n"])
  func survivesWhatIsNoRequest(text: String) async throws {
    let harness = try await Harness()
    let front = try HTTPFront(harness.server)
    do {
      let socket = try RawSocket(port: front.port)
      await socket.write(text)
      let next = try RawSocket(port: front.port)
      await next.write(request())
      #expect(await next.readAnswer()?.status == 200)
    }
    await front.stop()
  }

  @Test func refusesHeadersBeyondTheirLimit() async throws {
    let harness = try await Harness()
    let front = try HTTPFront(harness.server)
    do {
      let socket = try RawSocket(port: front.port)
      await socket.write(request(fields: ["X-Large: " + String(repeating: "x", count: 1 << 20)]))
      let text = await socket.readAll()
      #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 4"))
      let next = try RawSocket(port: front.port)
      await next.write(request())
      #expect(await next.readAnswer()?.status == 200)
    }
    await front.stop()
  }

  @Test func endsConnectionsThatDrip() async throws {
    // The harness's clock drives the deadline; libmicrohttpd's own timeout is far away.
    let harness = try await Harness { $0.limits.receiveTimeout = .seconds(60) }
    let front = try HTTPFront(harness.server)
    do {
      let socket = try RawSocket(port: front.port)
      await socket.write("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{")
      while front.connectionCount < 1 { try await Task.sleep(for: .milliseconds(5)) }
      await socket.write(" ")
      harness.clock.advance(by: 61)
      #expect(await socket.readAll().isEmpty)
      while front.connectionCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
    await front.stop()
  }

  @Test func answersManyConnectionsAtOnce() async throws {
    let harness = try await Harness()
    let front = try HTTPFront(harness.server)
    let (port, text) = (front.port, request())
    let statuses = await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<60 {
        group.addTask {
          guard let socket = try? RawSocket(port: port) else { return nil }
          await socket.write(text)
          return await socket.readAnswer()?.status
        }
      }
      return await group.reduce(into: [Int?]()) { $0.append($1) }
    }
    #expect(statuses == [Int?](repeating: 200, count: 60))
    await front.stop()
  }

  @Test func waitsForRequestsUnderWayAndAnswersTheRest() async throws {
    struct Gate: TreeNode {
      static let nodeType = "Gate"
      let outcomes: [NodeOutcome] = [.outcome]
      let isEndless: Bool
      let entered: Ledger<Bool>
      func process(_ context: inout NodeContext) async throws -> NodeResult {
        entered.append(true)
        try await Task.sleep(for: isEndless ? .seconds(3600) : .milliseconds(200))
        return .ask([.textOutput("done")])
      }
    }
    for isEndless in [false, true] {
      let entered = Ledger<Bool>()
      let tree = try JourneyTree("Login") {
        TreeStep("gate", Gate(isEndless: isEndless, entered: entered)).next(.success)
      }
      let harness = try await Harness(journeys: [tree])
      let front = try HTTPFront(harness.server)
      let socket = try RawSocket(port: front.port)
      await socket.write(request())
      while entered.all.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      await front.stop(grace: isEndless ? .milliseconds(100) : .seconds(10))
      let status = await socket.readAnswer()?.status
      // The endless one is answered with 503, if the connection lives long enough to take it.
      #expect(isEndless ? status == 503 || status == nil : status == 200)
      // Nobody listens any more.
      #expect(throws: (any Error).self) { _ = try RawSocket(port: front.port) }
    }
  }

  @Test func tellsWhenTheAddressIsTakenOrNone() async throws {
    let harness = try await Harness()
    let front = try HTTPFront(harness.server)
    #expect(throws: AuthenticatorError(.transportFailed)) { try HTTPFront(harness.server, port: front.port) }
    #expect(throws: AuthenticatorError(.invalidRequest)) { try HTTPFront(harness.server, host: "localhost") }
    await front.stop()
    await front.stop()
  }
}
