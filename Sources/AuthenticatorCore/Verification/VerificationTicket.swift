import Synchronization

/// Permission to use a key once: made by a verifier, spent by the key store in the step that unlocks the key.
///
/// Copies of the reference share the one use. A ticket is bound to its operation and its lifetime, and optionally to
/// named keys, each of which it opens once (CTAP2 `getNextAssertion`).
public final class VerificationTicket: Sendable {
  /// What was verified.
  public let verification: UserVerification
  /// What opens the key besides the ticket itself.
  public let authorization: KeyAuthorization
  private let operation: OperationID
  private let keys: Set<KeyTag>?
  private let expires: Duration
  private let spent = Mutex<Set<KeyTag>>([])

  /// - Parameters:
  ///   - keys: the keys it may open, each once; nil: any one key, once.
  ///   - expires: the uptime from which on it is worthless.
  public init(
    verification: UserVerification, authorization: KeyAuthorization = .none, operation: OperationID,
    keys: Set<KeyTag>? = nil, expires: Duration
  ) {
    self.verification = verification
    self.authorization = authorization
    self.operation = operation
    self.keys = keys
    self.expires = expires
  }

  /// Whether it is this operation's, unexpired and not used up. Changes nothing.
  public func isUsable(for operation: OperationID, at uptime: Duration) -> Bool {
    guard operation == self.operation, uptime < expires else { return false }
    return spent.withLock { spent in keys.map { !$0.subtracting(spent).isEmpty } ?? spent.isEmpty }
  }

  /// Uses it on `key`. Called by key stores only, in the step that unlocks the key.
  /// - Throws: `verificationSpent` the second time, after its end, or for a key it does not name.
  public func spend(on key: KeyTag, at uptime: Duration) throws {
    let isFirst = spent.withLock { spent in
      guard uptime < expires, keys?.contains(key) ?? spent.isEmpty else { return false }
      return spent.insert(key).inserted
    }
    guard isFirst else { throw AuthenticatorError(.verificationSpent, stage: "ticket") }
  }

  /// Whether it could still be spent on `key`; used for named secrets of a key, which do not spend it.
  public func admits(_ key: KeyTag, at uptime: Duration) -> Bool {
    uptime < expires && (keys?.contains(key) ?? true)
  }
}
