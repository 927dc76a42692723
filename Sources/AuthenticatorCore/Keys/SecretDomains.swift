import AuthenticatorCrypto

/// One PIN opens a domain; keys name the domain, so a PIN change re-wraps one row and re-binds nothing.
///
/// The PIN itself is never stored, and nothing cheaper than the slow derivation can check it.
public protocol SecretDomains: Sendable {
  /// Whether the domain has a PIN. Pays nothing.
  func isSet(_ domain: SecretDomain) async throws -> Bool

  /// Sets the PIN of a new domain and returns it opened.
  /// - Throws: `keyExists` when the domain has one already.
  func create(_ domain: SecretDomain, secret: SecretBytes) async throws -> KeyAuthorization

  /// Pays an attempt durably, then compares.
  /// - Throws: `userVerificationFailed` with `attemptsRemaining` and `retryAfter`; `lockedOut` with `retryAfter`
  ///   while a delay runs (nothing is paid then) or without it when only a new enrollment helps; `keyNotFound`
  ///   when the domain has no PIN; `storageFailed` when the attempt could not be paid (nothing is compared then).
  func unlock(_ domain: SecretDomain, with secret: SecretBytes) async throws -> KeyAuthorization

  /// Re-wraps the domain under a new PIN in one transaction; the old wrap is gone afterwards. Errors as `unlock`.
  func change(_ domain: SecretDomain, from old: SecretBytes, to new: SecretBytes) async throws

  /// What the next attempt would meet. Silent, pays nothing.
  func attempts(of domain: SecretDomain) async throws -> AttemptState

  /// Forgets the domain's PIN; keys that name it can never be opened again.
  func remove(_ domain: SecretDomain) async throws
}

/// How attempts stand.
public struct AttemptState: Hashable, Sendable {
  /// Consecutive failures that count.
  public var failures: Int
  /// Tries left before the domain is locked for good.
  public var remaining: Int
  /// How long the growing delay still runs; nil: a try may be made now.
  public var retryAfter: Duration?

  /// Makes a state; called by key stores.
  public init(failures: Int, remaining: Int, retryAfter: Duration?) {
    self.failures = failures
    self.remaining = remaining
    self.retryAfter = retryAfter
  }
}
