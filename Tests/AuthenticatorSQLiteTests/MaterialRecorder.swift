import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import Synchronization

/// Software keys whose bytes the test may look at.
final class MaterialRecorder: KeyProvider {
  private let software = SoftwareKeyProvider()
  private let list = Mutex<[[UInt8]]>([])

  var materials: [[UInt8]] { list.withLock { $0 } }
  var residence: KeyProtection.Residence { software.residence }
  var isHardware: Bool { software.isHardware }
  var algorithms: Set<SignatureAlgorithm> { software.algorithms }
  var storage: MaterialStorage { software.storage }

  func make(
    _ algorithm: SignatureAlgorithm, name: KeyTag, access: KeyAccess, authorization: KeyAuthorization
  ) async throws -> (material: KeyMaterial, publicKey: PublicKey) {
    let made = try await software.make(algorithm, name: name, access: access, authorization: authorization)
    if case .blob(let bytes) = made.material {
      list.withLock { $0.append(bytes.withUnsafeBytes { Array($0) }) }
    }
    return made
  }

  func sign(
    _ message: [UInt8], with material: KeyMaterial, algorithm: SignatureAlgorithm, authorization: KeyAuthorization
  ) async throws -> Signature {
    try await software.sign(message, with: material, algorithm: algorithm, authorization: authorization)
  }

  func presence(of material: KeyMaterial) async throws -> Bool { try await software.presence(of: material) }

  func destroy(_ material: KeyMaterial) async throws { try await software.destroy(material) }
}
