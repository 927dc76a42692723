internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// Texts that the server hands out and understands again, so that nothing is kept for people who have not signed in:
/// JSON under AES-256-GCM, bound to what it is for.
///
/// The key is one of the registry, so every server of a registry understands every text. Nonces are random: far fewer
/// than 2^32 texts are made with one key (NIST SP 800-38D section 8.3).
struct Seal: Sendable {
  /// What a text is for; one purpose's text is no text of another.
  enum Purpose: String, Sendable {
    case client, signIn, challenge
  }

  /// The longest text that is looked at, in bytes.
  static let maximumTextBytes = 4096

  private let key: SecretBytes
  private let random: @Sendable (Int) throws -> [UInt8]

  init(registry: any JourneyRegistry, environment: AuthenticatorEnvironment) async throws {
    let secret = try await registry.secret("frontend", orElse: SecretBytes(try environment.random(AESGCM.keyCount)))
    key = try HKDFSHA256.derive(
      from: secret, salt: [], info: Array("frontend texts".utf8), outputCount: AESGCM.keyCount)
    random = environment.random
  }

  func seal(_ object: JSONObject, for purpose: Purpose) throws -> String {
    let nonce = try random(AESGCM.nonceCount)
    let sealed = try AESGCM.seal(
      object.serialized(), with: key, nonce: nonce, additionalData: Array(purpose.rawValue.utf8))
    return Base64URL.encode(nonce + sealed)
  }

  /// Nil: nothing this registry's servers made for this purpose.
  func open(_ text: String, for purpose: Purpose) -> JSONObject? {
    guard text.utf8.count <= Self.maximumTextBytes, let bytes = try? Base64URL.decode(text),
      bytes.count > AESGCM.nonceCount + AESGCM.tagCount,
      let opened = try? AESGCM.openMessage(
        Array(bytes[AESGCM.nonceCount...]), with: key, nonce: Array(bytes[..<AESGCM.nonceCount]),
        additionalData: Array(purpose.rawValue.utf8))
    else { return nil }
    return (try? JSONValue.parse(opened))?.objectValue
  }
}
