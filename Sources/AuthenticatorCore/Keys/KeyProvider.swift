import AuthenticatorCrypto

/// Makes and uses key material. Knows no user, record or protocol.
///
/// Conform to it to bring a TPM, a token or an enclave. Owed: `sign` hashes the whole message; a provider that
/// prompts inside `make` or `sign` throws the verifier's codes; material of `.external` storage is found again by
/// its `name` after a crash. A provider may be called from several tasks at once.
public protocol KeyProvider: Sendable {
  var residence: KeyProtection.Residence { get }
  /// False for software and for emulators.
  var isHardware: Bool { get }
  var algorithms: Set<SignatureAlgorithm> { get }
  var storage: MaterialStorage { get }

  /// - Throws: `unsupportedAlgorithm`, `keyGenerationFailed`, `hardwareLockedOut`.
  func make(
    _ algorithm: SignatureAlgorithm, name: KeyTag, access: KeyAccess, authorization: KeyAuthorization
  ) async throws -> (material: KeyMaterial, publicKey: PublicKey)

  func sign(
    _ message: [UInt8], with material: KeyMaterial, algorithm: SignatureAlgorithm, authorization: KeyAuthorization
  ) async throws -> Signature

  func presence(of material: KeyMaterial) async throws -> Bool

  /// Destroys external material; a blob's provider has nothing to do.
  func destroy(_ material: KeyMaterial) async throws
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
  case blob(SecretBytes)
  case external(name: KeyTag)
}

/// A provider that can state, under a key of its own, that it holds a key.
public protocol AttestingKeyProvider: KeyProvider {
  func certify(_ material: KeyMaterial, qualifyingData: [UInt8]) async throws -> KeyCertification
}
