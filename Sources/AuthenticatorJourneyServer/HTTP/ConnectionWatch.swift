internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Ends connections that take too long to send a request, however steadily they drip.
///
/// libmicrohttpd's own timeout counts inactivity, so one byte now and then would hold a connection for ever.
final class ConnectionWatch: Sendable {
  private struct Connection {
    var peer: String
    /// When the next request must have arrived whole; nil while one is being answered.
    var deadline: Duration?
  }

  private let connections = Mutex<[Int32: Connection]>([:])
  private let timeout: Duration
  private let uptime: @Sendable () -> Duration

  init(timeout: Duration, uptime: @escaping @Sendable () -> Duration) {
    self.timeout = timeout
    self.uptime = uptime
  }

  var count: Int { connections.withLock { $0.count } }

  func opened(_ descriptor: Int32) {
    let connection = Connection(peer: ListeningSocket.peer(of: descriptor), deadline: uptime() + timeout)
    connections.withLock { $0[descriptor] = connection }
  }

  func closed(_ descriptor: Int32) { connections.withLock { _ = $0.removeValue(forKey: descriptor) } }

  /// A request has arrived whole; returns the address it came from.
  func received(_ descriptor: Int32) -> String {
    connections.withLock { connections in
      connections[descriptor]?.deadline = nil
      return connections[descriptor]?.peer ?? ""
    }
  }

  /// An answer was sent; the next request may take its time again.
  func answered(_ descriptor: Int32) {
    let deadline = uptime() + timeout
    connections.withLock { $0[descriptor]?.deadline = deadline }
  }

  /// Shuts down what is overdue. The library closes the descriptors; it tells `closed` before it does, and that waits
  /// for the same lock, so none of them can be another connection's by now.
  func endOverdue() {
    let now = uptime()
    connections.withLock { connections in
      for (descriptor, connection) in connections {
        if let deadline = connection.deadline, deadline < now { shutdown(descriptor, Int32(SHUT_RDWR)) }
      }
    }
  }
}
