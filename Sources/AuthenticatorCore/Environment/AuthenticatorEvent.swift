/// One typed audit event. Redacted by construction: it has no field that could hold a secret, an account name or a
/// server's challenge.
public enum AuthenticatorEvent: Hashable, Sendable {
  /// The person was verified.
  case verified(level: VerificationLevel, methods: Set<VerificationMethod>, isReused: Bool)
  /// A prompt ended without verifying the person.
  case verificationFailed(code: AuthenticatorError.Code)
  /// A PIN was wrong; the attempt was paid for before it was compared.
  case attemptFailed(remaining: Int?)
  /// A sensor or PIN is locked.
  case lockedOut
  /// A key was made and staged.
  case keyStaged(KeyTag, authenticator: AuthenticatorType, family: ProtocolFamily, protection: KeyProtection)
  /// A staged key became active; `retired` is the key it replaced.
  case keyCommitted(KeyTag, retired: KeyTag?)
  /// A staged key was destroyed.
  case keyDiscarded(KeyTag)
  /// A retired key is active again.
  case keyRestored(KeyTag)
  /// A key was destroyed.
  case keyDeleted(KeyTag)
  /// A key made a signature.
  case keyUsed(KeyTag)
  /// The enrolled set differs from the one the key was made under.
  case enrollmentChanged(KeyTag, policy: KeyAccess.EnrollmentPolicy)
  /// A record could not be read; it was set aside, the others are usable.
  case recordSetAside(reason: AuthenticatorError.Code)
}
