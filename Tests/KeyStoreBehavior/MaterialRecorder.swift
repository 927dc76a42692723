import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import Synchronization

/// Software keys whose bytes a test may look at, when they are made and when they sign.
public final class MaterialRecorder: KeyProvider {
  private let software = SoftwareKeyProvider()
  private let list = Mutex<[[UInt8]]>([])

  public init() {}

  /// Each key's bytes once, in the order in which they were first seen.
  public var materials: [[UInt8]] { list.withLock { $0 } }
  public var residence: KeyProtection.Residence { software.residence }
  public var isHardware: Bool { software.isHardware }
  public var algorithms: Set<SignatureAlgorithm> { software.algorithms }
  public var storage: MaterialStorage { software.storage }

  public func make(
    _ algorithm: SignatureAlgorithm, name: KeyTag, access: KeyAccess, authorization: KeyAuthorization
  ) async throws -> (material: KeyMaterial, publicKey: PublicKey) {
    let made = try await software.make(algorithm, name: name, access: access, authorization: authorization)
    note(made.material)
    return made
  }

  public func sign(
    _ message: [UInt8], with material: KeyMaterial, algorithm: SignatureAlgorithm, authorization: KeyAuthorization
  ) async throws -> Signature {
    note(material)
    return try await software.sign(message, with: material, algorithm: algorithm, authorization: authorization)
  }

  public func presence(of material: KeyMaterial) async throws -> Bool { try await software.presence(of: material) }

  public func destroy(_ material: KeyMaterial) async throws { try await software.destroy(material) }

  private func note(_ material: KeyMaterial) {
    guard case .blob(let secret) = material else { return }
    let bytes = secret.withUnsafeBytes { Array($0) }
    list.withLock { if !$0.contains(bytes) { $0.append(bytes) } }
  }
}
