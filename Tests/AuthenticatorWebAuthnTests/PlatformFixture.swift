import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorPublicSuffix
import AuthenticatorRelyingParty
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import DeviceAuthenticators

/// A device with a platform authenticator on top of it.
struct Platform {
  static let relyingPartyID = "example.org"
  static let origin = "https://example.org"

  let device: TestDevice
  var configuration = WebAuthnPlatformConfiguration()

  /// Software keys of every algorithm that call themselves hardware.
  init(_ steps: ScriptedStep..., configuration: WebAuthnPlatformConfiguration = WebAuthnPlatformConfiguration()) throws
  {
    device = try TestDevice(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913", steps: steps),
      instance: "", providers: [EmulatedHardware(algorithms: SoftwareKeyProvider.allAlgorithms)])
    self.configuration = configuration
  }

  var environment: AuthenticatorEnvironment { device.environment.environment }
  var deadline: Duration { device.environment.clock.uptime + .seconds(60) }

  /// Biometrics only, unless told; choices are asked from the scripted person.
  func authenticator(_ type: AuthenticatorType = .biometricOnly) async throws -> WebAuthnPlatformAuthenticator {
    let factories = AuthenticatorFactories.defaults(
      applicationPIN: ApplicationPINConfig(pinCollector: device.verifier))
    return WebAuthnPlatformAuthenticator(
      wrapping: try await factories.make(type, device.context), factories: factories, configuration: configuration,
      selectionDelegate: PromptedInteraction(responder: device.verifier))
  }

  func client(_ type: AuthenticatorType = .biometricOnly) async throws -> WebAuthnClient {
    WebAuthnClient(
      authenticator: try await authenticator(type),
      configuration: WebAuthnClientConfiguration(publicSuffixes: try SystemPublicSuffixList()))
  }

  func creation(
    user: String = "alice", parameters: [COSEAlgorithmIdentifier] = [.es256], discoverable: Bool = true,
    verified: Bool = true
  ) throws -> MakeCredentialRequest {
    guard let user = PublicKeyCredentialUserEntity(id: Array(user.utf8), name: user, displayName: "\(user) A.") else {
      throw AuthenticatorError(.invalidRequest)
    }
    return MakeCredentialRequest(
      clientDataHash: SHA256.hash([1, 2, 3]), relyingPartyID: Self.relyingPartyID, relyingPartyName: "Example",
      user: user, requireResidentKey: discoverable, requireUserVerification: verified,
      parameters: parameters.map { PublicKeyCredentialParameters(algorithm: $0) }, deadline: deadline)
  }

  func assertion(_ ids: CredentialID..., verified: Bool = true) -> GetAssertionRequest {
    GetAssertionRequest(
      relyingPartyID: Self.relyingPartyID, clientDataHash: SHA256.hash([4, 5, 6]),
      allowCredentials: ids.map { PublicKeyCredentialDescriptor(id: $0) }, requireUserVerification: verified,
      deadline: deadline)
  }

  /// Every record of the store, in whatever state.
  func records() async throws -> [KeyRecord] { try await device.store.records(matching: .everything) }

  var promptKinds: [PromptRecord.Kind] { device.verifier.prompts.map(\.kind) }
}

/// The code of what `body` throws; nil when it throws nothing.
func code<Value>(_ body: () async throws -> Value) async -> AuthenticatorError.Code? {
  do {
    _ = try await body()
    return nil
  } catch let error as AuthenticatorError { return error.code } catch {
    return AuthenticatorError.Code(rawValue: "foreign: \(error)")
  }
}

/// The name of what `body` throws; nil when it throws nothing.
func name<Value>(_ body: () async throws -> Value) async -> DOMExceptionName? {
  do {
    _ = try await body()
    return nil
  } catch let error as WebAuthnError { return error.name } catch {
    return DOMExceptionName(rawValue: "foreign: \(error)")
  }
}

extension AssertionResult {
  func isSigned(by key: PublicKey, over clientDataHash: [UInt8]) throws -> Bool {
    let signature = try Signature(der: signature, algorithm: record.algorithm)
    return try Verifier(key, algorithm: record.algorithm)
      .isValidSignature(signature, for: authenticatorData + clientDataHash)
  }
}
