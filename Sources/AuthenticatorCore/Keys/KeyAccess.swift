/// How a key opens: written by the authenticator alone, once, at creation; stored with the key and obeyed for life,
/// whatever the configuration says later.
public struct KeyAccess: Hashable, Sendable {
  /// What must happen before the key signs.
  public enum Gate: Hashable, Sendable {
    /// Nothing.
    case open
    /// A verification by at least one of these methods.
    case verified(Set<VerificationMethod>)
    /// The PIN of this domain; the key cannot be decrypted without it.
    case secret(SecretDomain)
  }

  /// What a changed set of enrolled biometrics does to the key.
  public enum EnrollmentPolicy: String, Hashable, Sendable, CaseIterable {
    /// Nothing. The digest is still exposed, for protocols that report it.
    case ignored
    /// `keyInvalidated`; once a use has met the change, the key stays as a record and never signs again, even if the
    /// former set comes back.
    case currentSet
    /// The key is deleted, `deviceNotRegistered`; without a stored state the check is skipped.
    case compared
  }

  /// What opens the key.
  public var gate: Gate
  /// What a changed set of enrolled biometrics does.
  public var enrollment: EnrollmentPolicy
  /// Whether only a hardware-protected key will do.
  public var requiresHardware: Bool

  /// Makes an access rule.
  public init(gate: Gate, enrollment: EnrollmentPolicy = .ignored, requiresHardware: Bool = false) {
    self.gate = gate
    self.enrollment = enrollment
    self.requiresHardware = requiresHardware
  }

  /// The level the gate demands by itself.
  public var level: VerificationLevel {
    switch gate {
    case .open: .none
    case .verified(let methods): methods == [.presence] ? .presence : .verified
    case .secret: .verified
    }
  }
}
