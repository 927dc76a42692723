import AuthenticatorCore
import AuthenticatorCrypto

/// Keys in this process's memory, computed by OpenSSL.
///
/// A store seals their material; while one signs, and while a store keeps it warm, its bytes are in memory. That makes
/// them as strong as the store that holds them: see the store's own documentation.
public struct SoftwareKeyProvider: KeyProvider {
  /// Everything this provider can compute.
  public static let allAlgorithms: Set<SignatureAlgorithm> = [.es256, .es384, .es512, .edDSA, .rs256, .ps256]

  public let residence = KeyProtection.Residence.software
  public let isHardware = false
  public let storage = MaterialStorage.blob
  public let algorithms: Set<SignatureAlgorithm>

  /// - Parameter algorithms: what it may make keys for; those it cannot compute are left out.
  public init(algorithms: Set<SignatureAlgorithm> = allAlgorithms) {
    self.algorithms = algorithms.intersection(Self.allAlgorithms)
  }

  // Making an RSA key takes tenths of a second: not on the caller's actor.
  @concurrent public func make(
    _ algorithm: SignatureAlgorithm, name: KeyTag, access: KeyAccess, authorization: KeyAuthorization
  ) async throws -> (material: KeyMaterial, publicKey: PublicKey) {
    guard algorithms.contains(algorithm) else {
      throw AuthenticatorError(.unsupportedAlgorithm, stage: "software.make")
    }
    do {
      let key = try PrivateKey.generate(algorithm)
      return (.blob(try key.exportMaterial()), key.publicKey)
    } catch {
      throw AuthenticatorError(.keyGenerationFailed, stage: "software.make", underlying: error)
    }
  }

  public func sign(
    _ message: [UInt8], with material: KeyMaterial, algorithm: SignatureAlgorithm, authorization: KeyAuthorization
  ) async throws -> Signature {
    try await open(material, algorithm: algorithm).sign(message, authorization: authorization)
  }

  public func open(_ material: KeyMaterial, algorithm: SignatureAlgorithm) async throws -> any OpenedKey {
    guard case .blob(let bytes) = material else { throw Self.foreign }
    do { return SoftwareKey(key: try PrivateKey(material: bytes, algorithm: algorithm)) } catch {
      throw AuthenticatorError(.integrityFailed, stage: "software.open", underlying: error)
    }
  }

  public func presence(of material: KeyMaterial) async throws -> Bool {
    guard case .blob = material else { throw Self.foreign }
    return true
  }

  public func destroy(_ material: KeyMaterial) async throws {
    guard case .blob = material else { throw Self.foreign }
  }

  private static let foreign = AuthenticatorError(
    .invalidRequest, stage: "software", reason: "the material is not of this provider")
}

/// A parsed key; keeping it saves more than a signature costs.
private struct SoftwareKey: OpenedKey {
  let key: PrivateKey
  var isReusable: Bool { true }

  func sign(_ message: [UInt8], authorization: KeyAuthorization) async throws -> Signature {
    do { return try key.sign(message) } catch {
      throw AuthenticatorError(.storageFailed, stage: "software.sign", underlying: error)
    }
  }
}
