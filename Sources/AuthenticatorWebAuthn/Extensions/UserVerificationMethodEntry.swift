internal import AuthenticatorCBOR
internal import AuthenticatorCore

/// How the person was verified, in the numbers of the FIDO registry (WebAuthn Level 2 section 10.3, `uvm`).
public struct UserVerificationMethodEntry: Hashable, Sendable {
  /// How the person was verified (FIDO Registry, section 3.1).
  public var method: Int
  /// How the key is protected (FIDO Registry, section 3.2).
  public var keyProtection: Int
  /// How whatever recognizes the person is protected (FIDO Registry, section 3.3).
  public var matcherProtection: Int

  /// See the properties.
  public init(method: Int, keyProtection: Int, matcherProtection: Int) {
    self.method = method
    self.keyProtection = keyProtection
    self.matcherProtection = matcherProtection
  }

  /// One entry for each method of the evidence, three at most; one that says "none" without evidence.
  static func entries(_ evidence: UserVerification?, protection: KeyProtection) -> [UserVerificationMethodEntry] {
    let key = keyProtection(protection)
    guard let evidence, !evidence.methods.isEmpty else {
      return [UserVerificationMethodEntry(method: 0x200, keyProtection: key, matcherProtection: 1)]
    }
    let matcher =
      switch evidence.matcher {
      case .software: 1
      case .trustedExecutionEnvironment: 2
      case .onChip: 4
      }
    return Set(evidence.methods.map(number)).sorted().prefix(3).map {
      UserVerificationMethodEntry(method: $0, keyProtection: key, matcherProtection: matcher)
    }
  }

  private static func number(_ method: VerificationMethod) -> Int {
    switch method {
    case .presence: 0x1
    case .fingerprint: 0x2
    case .passcode, .applicationPIN: 0x4
    case .face: 0x10
    // A method that an app brought: something was done, and the registry has no number for it.
    default: 0x1
    }
  }

  private static func keyProtection(_ protection: KeyProtection) -> Int {
    guard protection.isHardware else { return 0x1 }
    switch protection.residence {
    case .tpm, .pkcs11: return 0x2 | 0x8
    case .secureEnclave: return 0x2 | 0x4
    default: return 0x2
    }
  }

  var cborValue: CBORValue { [.integer(method), .integer(keyProtection), .integer(matcherProtection)] }
}
