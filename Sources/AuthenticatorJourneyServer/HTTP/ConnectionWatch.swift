internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Ends connections that take too long to send a request, however steadily they drip, and those that have waited
/// longest when there are too many.
///
/// libmicrohttpd's own timeout counts inactivity, so one byte now and then would hold a connection for ever; and at its
/// own limit it accepts nobody, so whoever opens connections and says nothing would keep everybody else out.
final class ConnectionWatch: Sendable {
  private struct Connection {
    var peer: String
    /// When the next request must have arrived whole; nil while one is being answered.
    var deadline: Duration?
    /// Its place in the order in which connections began to wait.
    var place: UInt64
    /// Whether it was shut down already and the library is about to close it.
    var isEnding = false
  }

  /// The most connections that stay open.
  let limit: Int
  private struct State {
    var connections: [Int32: Connection] = [:]
    var places: UInt64 = 0

    mutating func nextPlace() -> UInt64 {
      places += 1
      return places
    }
  }

  private let state = Mutex(State())
  private let timeout: Duration
  private let uptime: @Sendable () -> Duration

  init(limit: Int, timeout: Duration, uptime: @escaping @Sendable () -> Duration) {
    self.limit = Self.affordable(limit)
    self.timeout = timeout
    self.uptime = uptime
  }

  var count: Int { state.withLock { $0.connections.count } }

  func opened(_ descriptor: Int32) {
    let (peer, deadline) = (ListeningSocket.peer(of: descriptor), uptime() + timeout)
    state.withLock { state in
      state.connections[descriptor] = Connection(peer: peer, deadline: deadline, place: state.nextPlace())
      if state.connections.count > limit { Self.makeRoom(in: &state.connections, for: limit) }
    }
  }

  /// Shuts down the connections that have waited longest for a request. Those that are being answered stay.
  private static func makeRoom(in connections: inout [Int32: Connection], for limit: Int) {
    for _ in 0..<max(connections.count(where: { !$0.value.isEnding }) - limit, 0) {
      let waiting = connections.lazy.filter { !$0.value.isEnding && $0.value.deadline != nil }
      guard let longest = waiting.min(by: { $0.value.place < $1.value.place })?.key else { return }
      shutdown(longest, Int32(SHUT_RDWR))
      connections[longest]?.isEnding = true
    }
  }

  /// A connection needs a descriptor, and the process needs some for other things.
  private static func affordable(_ limit: Int) -> Int {
    var descriptors = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 else { return limit }
    return min(limit, max(Int(clamping: descriptors.rlim_cur) - 128, 16))
  }

  func closed(_ descriptor: Int32) { state.withLock { _ = $0.connections.removeValue(forKey: descriptor) } }

  /// A request has arrived whole; returns the address it came from.
  func received(_ descriptor: Int32) -> String {
    state.withLock { state in
      state.connections[descriptor]?.deadline = nil
      return state.connections[descriptor]?.peer ?? ""
    }
  }

  /// An answer was sent; the next request may take its time again.
  func answered(_ descriptor: Int32) {
    let deadline = uptime() + timeout
    state.withLock { state in
      let place = state.nextPlace()
      state.connections[descriptor]?.deadline = deadline
      state.connections[descriptor]?.place = place
    }
  }

  /// Shuts down what is overdue. The library closes the descriptors; it tells `closed` before it does, and that waits
  /// for the same lock, so none of them can be another connection's by now.
  func endOverdue() {
    let now = uptime()
    state.withLock { state in
      for (descriptor, connection) in state.connections {
        if let deadline = connection.deadline, deadline < now { shutdown(descriptor, Int32(SHUT_RDWR)) }
      }
    }
  }
}
