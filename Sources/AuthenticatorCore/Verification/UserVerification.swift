import AuthenticatorCrypto

/// Evidence of one verification: the only source of user-presence and user-verification flags, methods and audit.
public struct UserVerification: Hashable, Sendable {
  /// What was reached.
  public var level: VerificationLevel
  /// The methods that succeeded; empty for `.none`.
  public var methods: Set<VerificationMethod>
  /// Where the person was compared with the template.
  public var matcher: MatcherProtection
  /// When the person was verified.
  public var time: UnixTime
  /// True when an earlier verification was handed over by the app instead of a prompt.
  public var isReused: Bool
  /// The enrolled set as this verification saw it; nil when nothing is enrolled or the method does not look.
  public var enrollmentState: EnrollmentState?

  /// Makes evidence; called by verifiers.
  public init(
    level: VerificationLevel, methods: Set<VerificationMethod>, matcher: MatcherProtection = .software,
    time: UnixTime, isReused: Bool = false, enrollmentState: EnrollmentState? = nil
  ) {
    self.level = level
    self.methods = methods
    self.matcher = matcher
    self.time = time
    self.isReused = isReused
    self.enrollmentState = enrollmentState
  }
}

/// What a verification hands to the key's provider so that the key opens.
public enum KeyAuthorization: Sendable {
  /// Nothing; the gate is checked by the store.
  case none
  /// The opened key of a PIN's domain.
  case domain(SecretDomain, SecretBytes)
  /// The platform's own object (an `LAContext`).
  case platform(any Sendable)
}
