import AuthenticatorCoding
import Synchronization

/// The policy that was read last, with its text: a server sends the same one with each of its messages to a user.
final class LastPolicy: Sendable {
  private struct Entry: Sendable {
    let text: ArraySlice<UInt8>
    let policy: UAFPolicy
  }

  /// Longer ones are read anew.
  private static let maximumBytes = 16_384
  private let last = Mutex<Entry?>(nil)

  /// - Throws: `invalidMessage`.
  func policy(_ element: JSONElement?) throws -> UAFPolicy {
    guard let element, case let text = element.textBytes, text.count <= Self.maximumBytes else {
      return try UAFPolicy(element)
    }
    if let known = known(text) { return known }
    let policy = try UAFPolicy(element)
    remember(Entry(text: ArraySlice(Array(text)), policy: policy))
    return policy
  }

  // Not inlined: Swift 6.3 may address thread-local data through the thread from before a suspension, and a lock keeps
  // its owner there.
  @inline(never)
  private func known(_ text: ArraySlice<UInt8>) -> UAFPolicy? {
    last.withLock { last in
      guard let last, last.text == text else { return nil }
      return last.policy
    }
  }

  @inline(never)
  private func remember(_ entry: Entry) { last.withLock { $0 = entry } }
}
