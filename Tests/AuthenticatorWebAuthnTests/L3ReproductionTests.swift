import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import TestVectors
import Testing

@testable import AuthenticatorWebAuthn

/// Given the vectors' keys, names and models, our authenticator emits their bytes; all but ECDSA signatures, which are
/// random here.
@Suite("WebAuthn Level 3 vectors") struct L3ReproductionTests {
  @Test(arguments: L3Vector.supported)
  func emitsTheVectorsBytes(_ vector: L3Vector) async throws {
    let object = try vector.attestationObject()
    let attested = try #require(object.authenticatorData.attestedCredentialData)
    let created = object.authenticatorData.flags
    let assertion = try AuthenticatorData(rawBytes: try vector.bytes("authentication", "authenticatorData"))

    // The device: one key, one credential ID, and a person who does what the flags say.
    let key = try key(vector, attested.credentialPublicKey)
    let environment = TestEnvironment()
    let verifier = try ScriptedUserVerifier(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["a"], steps: [.match(), .match()]),
      environment: environment.environment)
    let store = try InMemoryKeyStore(
      environment: environment.environment, providers: [OneKeyProvider(key: key)])
    var outside = environment.environment
    let random = outside.random
    outside.random = { count in try count == 32 ? attested.credentialID.bytes : random(count) }
    let wrapped = WillingAuthenticator(
      context: AuthenticatorContext(instance: "", keyStore: store, verifier: verifier, environment: outside))
    wrapped.verifies = created.contains(.userVerified)
    let authenticator = WebAuthnPlatformAuthenticator(
      wrapping: wrapped,
      configuration: WebAuthnPlatformConfiguration(
        aaguid: attested.aaguid, attestation: try policy(vector, object),
        isBackupEligible: created.contains(.backupEligible), isBackedUp: created.contains(.backedUp),
        counter: .zero))

    let hash = SHA256.hash(try vector.bytes("registration", "clientDataJSON"))
    let user = try #require(PublicKeyCredentialUserEntity(id: [1], name: "", displayName: ""))
    let result = try await authenticator.makeCredential(
      MakeCredentialRequest(
        clientDataHash: hash, relyingPartyID: "example.org", user: user, requireResidentKey: true,
        requireUserVerification: created.contains(.userVerified),
        parameters: [PublicKeyCredentialParameters(algorithm: attested.credentialPublicKey.algorithm)],
        deadline: .seconds(1060)))
    #expect(result.attestationObject.authenticatorData.rawBytes == object.authenticatorData.rawBytes)
    if [.none, .packed].contains(object.format) {
      #expect(result.attestationObject.format == object.format)
      #expect(result.attestationObject.statement["alg"] == object.statement["alg"])
      #expect(result.attestationObject.statement["x5c"] == object.statement["x5c"])
    }
    if object.format == .none { #expect(result.attestationObject.rawBytes == object.rawBytes) }

    wrapped.verifies = assertion.flags.contains(.userVerified)
    authenticator.configuration.isBackedUp = assertion.flags.contains(.backedUp)
    let answer = try await authenticator.getAssertion(
      GetAssertionRequest(
        relyingPartyID: "example.org",
        clientDataHash: SHA256.hash(try vector.bytes("authentication", "clientDataJSON")),
        requireUserVerification: assertion.flags.contains(.userVerified), deadline: .seconds(1060)))
    #expect(answer.authenticatorData == assertion.rawBytes)
    if attested.credentialPublicKey.algorithm == .edDSA {
      #expect(answer.signature == (try vector.bytes("authentication", "signature")))
    }
  }

  private func key(_ vector: L3Vector, _ publicKey: COSEKey) throws -> PrivateKey {
    if publicKey.algorithm == .edDSA {
      return try PrivateKey(
        material: SecretBytes(try vector.bytes("registration", "private_key")), algorithm: .edDSA)
    }
    return try key(
      scalar: try vector.bytes("registration", "credential_private_key"), publicKey: publicKey.publicKey)
  }

  private func key(scalar: [UInt8], publicKey: PublicKey) throws -> PrivateKey {
    let curve = try #require(publicKey.curve)
    let padding = [UInt8](repeating: 0, count: curve.coordinateSize - scalar.count)
    let material = SecretBytes(padding + scalar + (try #require(publicKey.x963Representation)))
    let key = try PrivateKey(material: material, algorithm: curve.algorithm)
    try key.checkConsistency()
    return key
  }

  private func policy(
    _ vector: L3Vector, _ object: AttestationObject
  ) throws -> WebAuthnPlatformConfiguration.AttestationPolicy {
    guard object.format == .packed else { return .none }
    guard let chain = object.statement["x5c"]?.arrayValue else { return .selfSigned }
    let certificates = chain.compactMap(\.bytesValue)
    let leaf = try X509Certificate(derRepresentation: try #require(certificates.first)).publicKey()
    let key = try key(scalar: try vector.bytes("registration", "attestation_private_key"), publicKey: leaf)
    return .certified(try AttestationKey(certificates: certificates, key: key))
  }

  // MARK: prf

  @Test(arguments: [0, 1])
  func derivesAndSealsAsThePRFVectorsSay(_ index: Int) throws {
    let prf = try #require(try JSONValue.parse(try Vectors.bytes("webauthn-l3.json"))["prf"])
    let vector = try #require(prf["cases"]?[index])
    func bytes(_ value: JSONValue?) throws -> [UInt8] { try Hex.decode(try #require(value?.stringValue)) }
    let number = try #require(vector["pinUvAuthProtocol"]?.intValue)
    let version = try #require(PINUVAuthProtocol(rawValue: number))

    // What both sides agree on.
    let shared = try #require(prf["shared"])
    let peer = try PINUVAuthProtocol.publicKey([
      1: 2, 3: -25, -1: 1, -2: .bytes(try bytes(shared["authenticator_key_agreement_public_key"]?["-2"])),
      -3: .bytes(try bytes(shared["authenticator_key_agreement_public_key"]?["-3"])),
    ])
    let scalar = try bytes(shared["platform_key_agreement_private_key"])
    // The point plays no part in an agreement; any will do that is on the curve.
    let platform = try PrivateKey(
      material: SecretBytes(scalar + (try #require(peer.x963Representation))), algorithm: .es256)
    let secret = try version.derive(try platform.sharedSecret(with: peer))
    let expected = try bytes(vector["shared_secret"])
    #expect(secret.authenticationKey.matches(Array(expected[..<32])))
    #expect(secret.encryptionKey.matches(Array(expected.suffix(32))))

    // Salts and secrets.
    let salts = HMACSecretSalts(prfFirst: try bytes(vector["prf_eval_first"]))
    #expect(salts.first == (try bytes(vector["salt1"])))
    let saltEnc = try bytes(vector["salt_enc"])
    #expect(try version.decrypt(saltEnc, with: secret).matches(salts.first))
    let random = SecretBytes(try bytes(shared["authenticator_cred_random"]))
    let output = HMACSHA256.authenticationCode(for: salts.first, key: random)
    #expect(output == (try bytes(vector["output1"])))
    let sealed = try bytes(vector["output_enc"])
    let encrypted = try version.encrypt(SecretBytes(output), with: secret) { Array(sealed.prefix($0)) }
    #expect(encrypted == sealed)
  }
}

/// Verifies whoever it is told to verify, and opens its keys without that.
private final class WillingAuthenticator: DefaultDeviceAuthenticator {
  var verifies = false

  override func keyAccess(for request: KeyRequest) async throws -> KeyAccess { KeyAccess(gate: .open) }
  override func availability() async -> AuthenticatorAvailability { .available(verifies ? .verified : .presence) }
  override func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
    try await super.verify(
      request, by: verifies ? KeyAccess(gate: .verified([.fingerprint])) : access)
  }
}

/// Makes the same key again and again.
private struct OneKeyProvider: KeyProvider {
  let key: PrivateKey
  private let software = SoftwareKeyProvider()

  init(key: PrivateKey) { self.key = key }

  var residence: KeyProtection.Residence { software.residence }
  var isHardware: Bool { false }
  var algorithms: Set<SignatureAlgorithm> { [key.algorithm] }
  var storage: MaterialStorage { .blob }

  func make(
    _ algorithm: SignatureAlgorithm, name: KeyTag, access: KeyAccess, authorization: KeyAuthorization
  ) async throws -> (material: KeyMaterial, publicKey: PublicKey) {
    (.blob(try key.exportMaterial()), key.publicKey)
  }

  func sign(
    _ message: [UInt8], with material: KeyMaterial, algorithm: SignatureAlgorithm, authorization: KeyAuthorization
  ) async throws -> Signature { try key.sign(message) }

  func presence(of material: KeyMaterial) async throws -> Bool { true }
  func destroy(_ material: KeyMaterial) async throws {}
}
