import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import Synchronization
import TestCertificates

/// A ceremony as it should be; a test bends one part. Makes the bytes itself, without this package's authenticator.
struct Ceremony {
  static let now: Int64 = 1_800_000_000

  var relyingPartyID = "example.org"
  var type = "webauthn.create"
  var challenge = [UInt8](1...32)
  /// Replaces the challenge's text.
  var challengeText: String?
  var origin = "https://example.org"
  var crossOrigin: JSONValue? = false
  var topOrigin: JSONValue?
  /// Replaces the client data.
  var clientData: [UInt8]?

  var flags: UInt8 = 0x45
  var signCount: UInt32 = 7
  var aaguid = [UInt8](repeating: 0xA0, count: 16)
  var credentialID = [UInt8](repeating: 0xC0, count: 32)
  var hasAttestedData = true
  var extensions: CBORValue?
  /// Comes after everything else in the authenticator data.
  var leftover: [UInt8] = []

  let key: PrivateKey
  var algorithm: Int
  /// Replaces the COSE key.
  var coseKey: CBORValue?

  init(_ algorithm: SignatureAlgorithm = .es256) throws {
    key = try PrivateKey.generate(algorithm)
    self.algorithm =
      switch algorithm {
      case .es384: -35
      case .es512: -36
      case .edDSA: -8
      case .rs256: -257
      case .ps256: -37
      default: -7
      }
  }

  /// The ceremony as a sign-in with the same credential.
  var authentication: Ceremony {
    var copy = self
    copy.type = "webauthn.get"
    copy.hasAttestedData = false
    copy.flags = 0x05
    copy.signCount = 8
    return copy
  }

  // MARK: - Bytes

  var clientDataJSON: [UInt8] {
    if let clientData { return clientData }
    var object: JSONObject = [
      "type": .string(type), "challenge": .string(challengeText ?? Base64URL.encode(challenge)),
      "origin": .string(origin),
    ]
    object["crossOrigin"] = crossOrigin
    object["topOrigin"] = topOrigin
    return object.serialized()
  }

  var clientDataHash: [UInt8] { SHA256.hash(clientDataJSON) }

  var credentialKey: CBORValue {
    if let coseKey { return coseKey }
    switch key.publicKey.kind {
    case .ec(let curve, let x, let y):
      let number = curve == .p256 ? 1 : curve == .p384 ? 2 : 3
      return [1: 2, 3: .integer(algorithm), -1: .integer(number), -2: .bytes(x), -3: .bytes(y)]
    case .ed25519(let bytes): return [1: 1, 3: .integer(algorithm), -1: 6, -2: .bytes(bytes)]
    case .rsa(let modulus, let exponent):
      return [1: 3, 3: .integer(algorithm), -1: .bytes(modulus), -2: .bytes(exponent)]
    }
  }

  var authenticatorData: [UInt8] {
    var bytes = SHA256.hash(Array(relyingPartyID.utf8)) + [flags]
    bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: signCount >> $0) }
    if hasAttestedData {
      bytes += aaguid + [UInt8(credentialID.count >> 8), UInt8(credentialID.count & 0xFF)] + credentialID
      bytes += credentialKey.encoded()
    }
    if let extensions { bytes += extensions.encoded() }
    return bytes + leftover
  }

  var signedBytes: [UInt8] { authenticatorData + clientDataHash }

  // MARK: - Responses

  func registration(
    format: String = "none", statement: CBORValue = [:], id: [UInt8]? = nil
  ) -> ReceivedRegistration {
    let object: CBORValue = [
      "fmt": .text(format), "attStmt": statement, "authData": .bytes(authenticatorData),
    ]
    return ReceivedRegistration(
      id: id ?? credentialID, clientDataJSON: clientDataJSON, attestationObject: object.encoded(),
      transports: ["internal"])
  }

  /// A registration with self attestation.
  func selfAttested() throws -> ReceivedRegistration {
    let signature = try key.sign(signedBytes).derRepresentation
    return registration(format: "packed", statement: ["alg": .integer(algorithm), "sig": .bytes(signature)])
  }

  func assertion(userHandle: [UInt8]? = nil, extensionResults: JSONObject = [:]) throws -> ReceivedAuthentication {
    ReceivedAuthentication(
      id: credentialID, clientDataJSON: clientDataJSON, authenticatorData: authenticatorData,
      signature: try key.sign(signedBytes).derRepresentation, userHandle: userHandle,
      clientExtensionResults: extensionResults)
  }

  // MARK: - The relying party's side

  static let expectation = CeremonyExpectation(
    challenge: [UInt8](1...32), origins: ["https://example.org"], relyingPartyID: "example.org")

  func record(userHandle: [UInt8]? = nil, backupEligible: Bool = false) throws -> WebAuthnCredentialRecord {
    WebAuthnCredentialRecord(
      id: credentialID, publicKey: try WebAuthnPublicKey(coseBytes: credentialKey.encoded()), signCount: 7,
      backupEligible: backupEligible, aaguid: aaguid, userHandle: userHandle)
  }
}

/// The code of what `body` throws; nil when it throws nothing.
func refusal<Value>(
  _ body: () throws(WebAuthnVerificationError) -> Value
) -> WebAuthnVerificationError.Code? {
  do throws(WebAuthnVerificationError) {
    _ = try body()
    return nil
  } catch {
    SeenCodes.current?.insert(error.code)
    return error.code
  }
}

/// The codes that `refusal` has seen inside a test.
final class SeenCodes: Sendable {
  @TaskLocal static var current: SeenCodes?
  private let codes = Mutex<Set<WebAuthnVerificationError.Code>>([])

  var all: Set<WebAuthnVerificationError.Code> { codes.withLock { $0 } }

  func insert(_ code: WebAuthnVerificationError.Code) { codes.withLock { _ = $0.insert(code) } }
}
