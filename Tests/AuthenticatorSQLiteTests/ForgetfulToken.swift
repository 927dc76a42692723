import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import Synchronization

/// A token that loses its line to the store once an object is made, or before one is destroyed.
final class ForgetfulToken: KeyProvider {
  let residence = KeyProtection.Residence.pkcs11
  let isHardware = true
  let algorithms: Set<SignatureAlgorithm> = [.es256]
  let storage = MaterialStorage.external
  private let keys = Mutex<[KeyTag: PrivateKey]>([:])
  private let line = Mutex(true)

  var names: Set<KeyTag> { keys.withLock { Set($0.keys) } }
  func cut() { line.withLock { $0 = false } }
  func mend() { line.withLock { $0 = true } }

  private func check() throws {
    guard line.withLock({ $0 }) else { throw AuthenticatorError(.storageFailed, stage: "token") }
  }

  func make(
    _ algorithm: SignatureAlgorithm, name: KeyTag, access: KeyAccess, authorization: KeyAuthorization
  ) async throws -> (material: KeyMaterial, publicKey: PublicKey) {
    let key = try PrivateKey.generate(algorithm)
    keys.withLock { $0[name] = key }
    try check()
    return (.external(name: name), key.publicKey)
  }

  func sign(
    _ message: [UInt8], with material: KeyMaterial, algorithm: SignatureAlgorithm, authorization: KeyAuthorization
  ) async throws -> Signature {
    guard case .external(let name) = material, let key = keys.withLock({ $0[name] }) else {
      throw AuthenticatorError(.keyNotFound, stage: "token")
    }
    return try key.sign(message)
  }

  func presence(of material: KeyMaterial) async throws -> Bool {
    try check()
    guard case .external(let name) = material else { return false }
    return keys.withLock { $0[name] != nil }
  }

  func destroy(_ material: KeyMaterial) async throws {
    try check()
    if case .external(let name) = material { keys.withLock { $0[name] = nil } }
  }
}
