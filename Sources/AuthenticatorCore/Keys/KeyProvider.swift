import AuthenticatorCrypto

/// Makes and uses key material. Knows no user, record or protocol.
///
/// Conform to it to bring a TPM, a token or an enclave. Owed: `sign` hashes the whole message; a provider that
/// prompts inside `make` or `sign` throws the verifier's codes; material of `.external` storage is found again by
/// its `name` after a crash. A provider may be called from several tasks at once.
public protocol KeyProvider: Sendable {
  /// What holds the keys it makes.
  var residence: KeyProtection.Residence { get }
  /// False for software and for emulators.
  var isHardware: Bool { get }
  /// What it can make keys for.
  var algorithms: Set<SignatureAlgorithm> { get }
  /// Where the material of its keys lives.
  var storage: MaterialStorage { get }

  /// - Throws: `unsupportedAlgorithm`, `keyGenerationFailed`, `hardwareLockedOut`.
  func make(
    _ algorithm: SignatureAlgorithm, name: KeyTag, access: KeyAccess, authorization: KeyAuthorization
  ) async throws -> (material: KeyMaterial, publicKey: PublicKey)

  /// Hashes and signs a whole message.
  /// - Throws: `keyNotFound` when the material is gone, `hardwareLockedOut`, or the verifier's codes if it prompts.
  func sign(
    _ message: [UInt8], with material: KeyMaterial, algorithm: SignatureAlgorithm, authorization: KeyAuthorization
  ) async throws -> Signature

  /// Makes a key ready for signing. A store keeps what it gets for the next signature when `OpenedKey.isReusable`,
  /// so a provider whose set-up is dear (parsing, loading) does it here. By default every signature calls `sign`.
  /// - Throws: `integrityFailed` for material that is no key of this algorithm.
  func open(_ material: KeyMaterial, algorithm: SignatureAlgorithm) async throws -> any OpenedKey

  /// Whether the material is really there. Silent.
  /// - Throws: when it cannot tell.
  func presence(of material: KeyMaterial) async throws -> Bool

  /// Destroys external material; a blob's provider has nothing to do.
  func destroy(_ material: KeyMaterial) async throws
}

/// A key made ready for signing by its provider.
public protocol OpenedKey: Sendable {
  /// Whether a store may keep it between signatures. False when it holds a handle that others need.
  var isReusable: Bool { get }

  /// Signs a whole message. May be called from several tasks at once.
  func sign(_ message: [UInt8], authorization: KeyAuthorization) async throws -> Signature
}

extension KeyProvider {
  public func open(_ material: KeyMaterial, algorithm: SignatureAlgorithm) async throws -> any OpenedKey {
    UnopenedKey(provider: self, material: material, algorithm: algorithm)
  }
}

/// The key of a provider that has nothing to prepare.
private struct UnopenedKey<Provider: KeyProvider>: OpenedKey {
  let provider: Provider
  let material: KeyMaterial
  let algorithm: SignatureAlgorithm
  var isReusable: Bool { false }

  func sign(_ message: [UInt8], authorization: KeyAuthorization) async throws -> Signature {
    try await provider.sign(message, with: material, algorithm: algorithm, authorization: authorization)
  }
}

/// Where the material lives.
public enum MaterialStorage: Hashable, Sendable {
  /// In the record, sealed by the store (software) or by the provider (TPM, enclave).
  case blob
  /// In the provider; the store journals the intent before it is made.
  case external
}

/// A blob, or the name of an external object.
public enum KeyMaterial: Sendable {
  /// The material itself, as its provider encodes it.
  case blob(SecretBytes)
  /// An object in the provider, found by this name.
  case external(name: KeyTag)
}

/// A provider that can state, under a key of its own, that it holds a key.
public protocol AttestingKeyProvider: KeyProvider {
  /// States that it holds the key, over data the verifier chose.
  func certify(_ material: KeyMaterial, qualifyingData: [UInt8]) async throws -> KeyCertification
}
