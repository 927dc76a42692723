import AuthenticatorCoding
import AuthenticatorKit
import AuthenticatorPublicSuffix
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import TestCertificates

/// A device that makes and uses WebAuthn credentials, of every algorithm.
struct Passkeys {
  static let relyingPartyID = "example.org"
  static let origin = "https://example.org"
  static let challenge = "AAECAwQFBgcICQoLDA0ODw"
  static let algorithms: [COSEAlgorithmIdentifier] = [.es256, .es384, .es512, .edDSA, .rs256, .ps256]

  let device: TestDevice
  var configuration = WebAuthnPlatformConfiguration()

  init() throws {
    device = try TestDevice(instance: "", providers: [EmulatedHardware(algorithms: SoftwareKeyProvider.allAlgorithms)])
  }

  /// What the person does next.
  func person(_ steps: [ScriptedStep]) { device.verifier.script(steps) }

  /// - Parameter lists: whether the person can choose from a list; where not, a CTAP2 client gets all assertions.
  func authenticator(
    _ type: AuthenticatorType = .biometricOnly, lists: Bool = true
  ) async throws -> WebAuthnPlatformAuthenticator {
    let factories = AuthenticatorFactories.defaults(
      applicationPIN: ApplicationPINConfig(pinCollector: device.verifier))
    return WebAuthnPlatformAuthenticator(
      wrapping: try await factories.make(type, device.context), factories: factories, configuration: configuration,
      selectionDelegate: lists ? PromptedInteraction(responder: device.verifier) : nil)
  }

  func client(_ type: AuthenticatorType = .biometricOnly) async throws -> WebAuthnClient {
    WebAuthnClient(
      authenticator: try await authenticator(type),
      configuration: WebAuthnClientConfiguration(publicSuffixes: try SystemPublicSuffixList()))
  }

  /// Options for a discoverable credential of a verified person.
  static func creation(
    _ algorithm: COSEAlgorithmIdentifier = .es256, attestation: JSONValue = "direct", extensions: JSONValue = [:]
  ) -> JSONValue {
    [
      "challenge": .string(challenge), "rp": ["id": .string(relyingPartyID), "name": "Example"],
      "user": ["id": "YWxpY2U", "name": "alice", "displayName": "Alice"],
      "pubKeyCredParams": [["type": "public-key", "alg": .integer(Int64(algorithm.rawValue))]],
      "authenticatorSelection": ["residentKey": "required", "userVerification": "required"],
      "attestation": attestation, "extensions": extensions,
    ]
  }

  static func request(_ ids: [JSONValue] = [], extensions: JSONValue = [:]) -> JSONValue {
    [
      "challenge": .string(challenge), "rpId": .string(relyingPartyID), "userVerification": "required",
      "allowCredentials": .array(ids.map { ["type": "public-key", "id": $0] }), "extensions": extensions,
    ]
  }

  static var caller: WebAuthnCaller { WebAuthnCaller(origin: origin) }
}

/// A key that vouches for credentials, with a leaf as the packed format wants it, and the root above it.
struct AttestationAuthority {
  let root: TestCertificate
  let key: AttestationKey

  init(_ algorithm: SignatureAlgorithm = .es256) throws {
    root = try TestCertificate.authority()
    let leafKey = try PrivateKey.generate(algorithm)
    var leaf = try TestCertificate(
      subject: [
        ("2.5.4.6", "DE"), ("2.5.4.10", "Example"), ("2.5.4.11", "Authenticator Attestation"), ("2.5.4.3", "Leaf"),
      ], key: leafKey)
    leaf.extensions = [
      (TestCertificate.basicConstraints, true, TestCertificate.basicConstraints(isAuthority: false)),
      ("1.3.6.1.4.1.45724.1.1.4", false, DERWriting.octets(Self.model)),
    ]
    key = try AttestationKey(certificates: [try leaf.encoded(issuer: root)], key: leafKey)
  }

  static let model = Array(UInt8(1)...16)

  var rootPEM: String { get throws { try root.certificate().pemRepresentation } }
}
