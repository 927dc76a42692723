internal import AuthenticatorCore
public import AuthenticatorCrypto

/// One or two salts of 32 bytes that secrets are derived from (CTAP 2.1 section 12.5, `hmac-secret`).
public struct HMACSecretSalts: Hashable, Sendable {
  /// 32 bytes.
  public let first: [UInt8]
  /// 32 bytes; nil: one output is enough.
  public let second: [UInt8]?

  /// Nil unless each salt has 32 bytes.
  public init?(first: [UInt8], second: [UInt8]? = nil) {
    guard first.count == 32, second?.count ?? 32 == 32 else { return nil }
    self.first = first
    self.second = second
  }

  /// The salts of the prf extension: each input hashed under a fixed prefix, so that a relying party cannot reach
  /// secrets that other software derives (WebAuthn Level 3 section 10.1.4).
  public init(prfFirst first: [UInt8], second: [UInt8]? = nil) {
    self.first = Self.hash(first)
    self.second = second.map(Self.hash)
  }

  private static func hash(_ input: [UInt8]) -> [UInt8] {
    SHA256.hash(Array("WebAuthn PRF".utf8) + [0] + input)
  }
}

/// Which secrets are to be derived from a credential, and in what form they leave.
public struct HMACSecretEvaluation: Sendable {
  /// For every credential that `saltsByCredential` does not name; nil: none for those.
  public var salts: HMACSecretSalts?
  /// Salts for certain credentials; they go before `salts`.
  public var saltsByCredential: [CredentialID: HMACSecretSalts]
  /// Encrypts the one or two secrets for the CTAP2 client that asked; the result becomes the signed extension output.
  /// Nil: the secrets are handed to the caller, and the signed data tells nothing of them.
  public var seal: (@Sendable (SecretBytes) throws -> [UInt8])?

  /// See the properties.
  public init(
    salts: HMACSecretSalts?, saltsByCredential: [CredentialID: HMACSecretSalts] = [:],
    seal: (@Sendable (SecretBytes) throws -> [UInt8])? = nil
  ) {
    self.salts = salts
    self.saltsByCredential = saltsByCredential
    self.seal = seal
  }

  func salts(for id: CredentialID) -> HMACSecretSalts? { saltsByCredential[id] ?? salts }
}

/// Secrets derived from a credential, 32 bytes each.
public struct HMACSecretOutputs: Sendable {
  /// 32 bytes.
  public let first: SecretBytes
  /// 32 bytes; nil when there was one salt.
  public let second: SecretBytes?

  /// The secrets one after the other.
  var joined: SecretBytes {
    guard let second else { return first }
    return SecretBytes(count: first.count + second.count) { buffer in
      first.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[..<first.count]).copyMemory(from: $0) }
      second.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[first.count...]).copyMemory(from: $0) }
    }
  }
}

/// The secrets behind the extension: two for each credential, so that what is derived with a verified person differs
/// from what is derived without.
enum HMACSecret {
  static let verified = SecretName(rawValue: "hmac-secret.uv")
  static let unverified = SecretName(rawValue: "hmac-secret")

  static let secrets: [SecretName: SecretProtection] = [verified: .likeTheKey, unverified: .likeTheRecord]

  static func evaluate(_ salts: HMACSecretSalts, with key: SigningKey, isVerified: Bool) async throws
    -> HMACSecretOutputs
  {
    let secret = try await key.secret(isVerified ? verified : unverified)
    let first = SecretBytes(HMACSHA256.authenticationCode(for: salts.first, key: secret))
    let second = salts.second.map { SecretBytes(HMACSHA256.authenticationCode(for: $0, key: secret)) }
    return HMACSecretOutputs(first: first, second: second)
  }
}
