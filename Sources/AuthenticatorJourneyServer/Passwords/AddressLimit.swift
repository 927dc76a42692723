internal import AuthenticatorCore
internal import Synchronization

/// Counts the wrong passwords that come from one address. Kept in memory: what must outlast a restart is counted by
/// account.
///
/// Calls in process and from this machine are not counted: behind a proxy everybody has the proxy's address.
final class AddressLimit: Sendable {
  private struct Window {
    var start: UnixTime
    var failures: Int
  }

  private static let maximumAddresses = 10_000

  private let limit: Int?
  private let interval: Duration
  private let windows = Mutex<[String: Window]>([:])

  /// `limit` failures in each `interval`; nil: any number.
  init(limit: Int?, interval: Duration) {
    self.limit = limit
    self.interval = interval
  }

  private func isCounted(_ peer: String) -> Bool { !peer.isEmpty && !peer.hasPrefix("127.") && peer != "::1" }

  /// Throws `RESTFailure` (429) when the address has used up its failures. Counts nothing.
  func check(_ peer: String, now: UnixTime) throws(RESTFailure) {
    guard let limit, isCounted(peer) else { return }
    let window = windows.withLock { $0[peer] }
    guard let window, window.failures >= limit, now >= window.start else { return }
    let end = window.start.advanced(by: interval)
    guard now < end else { return }
    let wait = Int((end.milliseconds - now.milliseconds) / 1000) + 1
    throw RESTFailure(status: 429, message: "Too many failures from this address.", retryAfter: wait)
  }

  func countFailure(_ peer: String, now: UnixTime) {
    guard limit != nil, isCounted(peer) else { return }
    windows.withLock { windows in
      if var window = windows[peer], now >= window.start, now < window.start.advanced(by: interval) {
        window.failures += 1
        windows[peer] = window
        return
      }
      if windows.count >= Self.maximumAddresses {
        windows = windows.filter { now >= $0.value.start && now < $0.value.start.advanced(by: interval) }
        // Still full: so many addresses at once are one attacker's, and the counts by account hold.
        if windows.count >= Self.maximumAddresses { windows = [:] }
      }
      windows[peer] = Window(start: now, failures: 1)
    }
  }
}
