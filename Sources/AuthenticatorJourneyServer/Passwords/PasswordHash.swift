internal import AuthenticatorCoding
public import AuthenticatorCrypto

/// A password as it is stored: the scrypt digest with its cost and salt.
public struct PasswordHash: Hashable, Sendable {
  /// What the derivation costs.
  public var parameters: ScryptParameters
  /// Random bytes, of its own for each password.
  public var salt: [UInt8]
  /// What the derivation yields.
  public var digest: [UInt8]

  static let saltCount = 16
  static let digestCount = 32

  /// Puts a stored hash together.
  public init(parameters: ScryptParameters, salt: [UInt8], digest: [UInt8]) {
    self.parameters = parameters
    self.salt = salt
    self.digest = digest
  }

  /// `$scrypt$ln=15,r=8,p=3$<salt>$<digest>`, both in base64url.
  public var text: String {
    "$scrypt$ln=\(parameters.logN),r=\(parameters.r),p=\(parameters.p)$\(Base64URL.encode(salt))$\(Base64URL.encode(digest))"
  }

  /// Reads `text`; nil for anything else. Whether the cost is within bounds is checked when it is used.
  public init?(text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt" else { return nil }
    let settings = parts[2].split(separator: ",")
    guard settings.count == 3, let logN = Self.number(settings[0], "ln="), let r = Self.number(settings[1], "r="),
      let p = Self.number(settings[2], "p="), let salt = try? Base64URL.decode(String(parts[3])),
      let digest = try? Base64URL.decode(String(parts[4])), digest.count == Self.digestCount
    else { return nil }
    self.init(parameters: ScryptParameters(logN: logN, r: r, p: p), salt: salt, digest: digest)
  }

  private static func number(_ text: Substring, _ prefix: String) -> Int? {
    text.hasPrefix(prefix) ? Int(text.dropFirst(prefix.count)) : nil
  }
}
