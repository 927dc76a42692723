import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import Synchronization

/// Stands for an enclave: P-256 only, sealed blobs of its own, and a prompt inside the signing call.
final class EnclaveStandIn: KeyProvider {
  let residence = KeyProtection.Residence.secureEnclave
  let isHardware = true
  let algorithms: Set<SignatureAlgorithm> = [.es256]
  let storage = MaterialStorage.blob
  private let state = Mutex((prompts: 0, failure: AuthenticatorError.Code?.none))

  var prompts: Int { state.withLock { $0.prompts } }
  /// What the next calls throw; nil: they succeed.
  func fail(_ code: AuthenticatorError.Code?) { state.withLock { $0.failure = code } }

  private func checkFailure() throws {
    if let code = state.withLock({ $0.failure }) { throw AuthenticatorError(code, stage: "enclave") }
  }

  func make(
    _ algorithm: SignatureAlgorithm, name: KeyTag, access: KeyAccess, authorization: KeyAuthorization
  ) async throws -> (material: KeyMaterial, publicKey: PublicKey) {
    try checkFailure()
    let key = try PrivateKey.generate(algorithm)
    return (.blob(try key.exportMaterial()), key.publicKey)
  }

  func sign(
    _ message: [UInt8], with material: KeyMaterial, algorithm: SignatureAlgorithm, authorization: KeyAuthorization
  ) async throws -> Signature {
    state.withLock { $0.prompts += 1 }
    await Task.yield()
    try checkFailure()
    guard case .blob(let bytes) = material else { throw AuthenticatorError(.invalidRequest) }
    return try PrivateKey(material: bytes, algorithm: algorithm).sign(message)
  }

  func presence(of material: KeyMaterial) async throws -> Bool {
    try checkFailure()
    return true
  }

  func destroy(_ material: KeyMaterial) async throws {}
}

/// Stands for a token: objects outside the store, found by name, and a wire that can be cut.
final class TokenStandIn: AttestingKeyProvider {
  let residence = KeyProtection.Residence.pkcs11
  let isHardware = true
  let algorithms: Set<SignatureAlgorithm> = [.es256, .rs256]
  let storage = MaterialStorage.external
  private let objects = Mutex<[KeyTag: PrivateKey]>([:])
  private let faults = Mutex<Set<Fault>>([])
  private let hook = Mutex<(@Sendable (KeyTag) async throws -> Void)?>(nil)

  enum Fault: Hashable { case make, makeAfterwards, destroy, destroyForgets, unplugged }

  var names: Set<KeyTag> { objects.withLock { Set($0.keys) } }
  func set(_ faults: Set<Fault>) { self.faults.withLock { $0 = faults } }
  /// Called inside `make`, after the object is there.
  func whenMade(_ body: (@Sendable (KeyTag) async throws -> Void)?) { hook.withLock { $0 = body } }

  private func check(_ fault: Fault) throws {
    guard faults.withLock({ !$0.contains(fault) && !$0.contains(.unplugged) }) else {
      throw AuthenticatorError(.storageFailed, stage: "token", reason: "\(fault)")
    }
  }

  private func name(_ material: KeyMaterial) throws -> KeyTag {
    guard case .external(let name) = material else { throw AuthenticatorError(.invalidRequest) }
    return name
  }

  func make(
    _ algorithm: SignatureAlgorithm, name: KeyTag, access: KeyAccess, authorization: KeyAuthorization
  ) async throws -> (material: KeyMaterial, publicKey: PublicKey) {
    try check(.make)
    let key = try PrivateKey.generate(algorithm)
    objects.withLock { $0[name] = key }
    try await hook.withLock { $0 }?(name)
    try check(.makeAfterwards)
    return (.external(name: name), key.publicKey)
  }

  func sign(
    _ message: [UInt8], with material: KeyMaterial, algorithm: SignatureAlgorithm, authorization: KeyAuthorization
  ) async throws -> Signature {
    try check(.unplugged)
    let name = try name(material)
    guard let key = objects.withLock({ $0[name] }) else { throw AuthenticatorError(.keyNotFound, stage: "token") }
    return try key.sign(message)
  }

  func presence(of material: KeyMaterial) async throws -> Bool {
    try check(.unplugged)
    let name = try name(material)
    return objects.withLock { $0[name] != nil }
  }

  func destroy(_ material: KeyMaterial) async throws {
    try check(.destroy)
    let name = try name(material)
    if faults.withLock({ $0.contains(.destroyForgets) }) { return }
    objects.withLock { $0[name] = nil }
  }

  func certify(_ material: KeyMaterial, qualifyingData: [UInt8]) async throws -> KeyCertification {
    KeyCertification(statement: Array(try name(material).rawValue.utf8) + qualifyingData, signature: [1], chain: [])
  }
}
