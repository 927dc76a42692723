/// When a credential may be seen and used (CTAP 2.1 section 12.1, `credProtect`).
public enum CredentialProtectionPolicy: Int, Hashable, Comparable, Sendable {
  /// Always.
  case userVerificationOptional = 1
  /// When its name is given, or the person is verified.
  case userVerificationOptionalWithCredentialIDList = 2
  /// Only when the person is verified.
  case userVerificationRequired = 3

  /// The word that WebAuthn's JSON has for it.
  public var word: String {
    switch self {
    case .userVerificationOptional: "userVerificationOptional"
    case .userVerificationOptionalWithCredentialIDList: "userVerificationOptionalWithCredentialIDList"
    case .userVerificationRequired: "userVerificationRequired"
    }
  }

  /// Nil for a word that is not one of the three.
  public init?(word: String) {
    guard
      let policy = [
        Self.userVerificationOptional, .userVerificationOptionalWithCredentialIDList,
        .userVerificationRequired,
      ].first(where: { $0.word == word })
    else { return nil }
    self = policy
  }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// Whether a credential shows itself.
  /// - Parameters:
  ///   - isListed: its name was given.
  ///   - isVerified: the person was, or is about to be, verified.
  func admits(isListed: Bool, isVerified: Bool) -> Bool {
    switch self {
    case .userVerificationOptional: true
    case .userVerificationOptionalWithCredentialIDList: isListed || isVerified
    case .userVerificationRequired: isVerified
    }
  }
}
