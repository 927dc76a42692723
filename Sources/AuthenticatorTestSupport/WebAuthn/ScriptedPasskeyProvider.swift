import AuthenticatorCore
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import DeviceAuthenticators
import Synchronization

/// The passkeys of a platform that is played: real credentials in the store of a `TestDevice`, its scripted person in
/// front of it, and maybe a phone nearby that is another `TestDevice`.
///
/// Like an operating system, it lists and lets choose by itself, writes an origin of its own form into the client data,
/// and makes passkeys that are backed up and count nothing. A passkey is made on this device; signing in takes the
/// phone when this device has none and the request admits others.
public final class ScriptedPasskeyProvider: PasskeyProvider {
  /// A request as it came.
  public struct Call: Sendable {
    /// What was asked for.
    public enum Kind: Hashable, Sendable {
      /// To make a passkey.
      case create
      /// To sign in.
      case get
    }
    /// What was asked for.
    public var kind: Kind
    /// The relying party ID of the options.
    public var relyingPartyID: String?
    /// The request's other half.
    public var request: PasskeyRequest
  }

  private struct State {
    var isAvailable = true
    var calls: [Call] = []
  }

  /// The machine that the app runs on.
  public let device: TestDevice
  /// A phone whose passkeys are reached from here; nil: there is none.
  public let phone: TestDevice?
  private let origin: @Sendable (String) -> String
  private let state = Mutex(State())

  /// A provider with the passkeys of its devices.
  /// - Parameter origin: what goes into the client data for a relying party ID; `https://<id>`, as platforms that
  ///   associate apps with domains write it.
  public init(
    device: TestDevice, phone: TestDevice? = nil, origin: @escaping @Sendable (String) -> String = { "https://\($0)" }
  ) {
    self.device = device
    self.phone = phone
    self.origin = origin
  }

  /// Switches the platform's passkeys on or off.
  public func setAvailable(_ isAvailable: Bool) { state.withLock { $0.isAvailable = isAvailable } }

  /// Every request so far, in order.
  public var calls: [Call] { state.withLock { $0.calls } }

  /// The passkeys of a relying party, on this device or on the phone.
  public func passkeys(of relyingPartyID: String, onPhone: Bool = false) async throws -> [PublicKeyCredentialSource] {
    guard let device = onPhone ? phone : device else { return [] }
    return try await client(of: device, for: relyingPartyID).authenticator.credentials(of: relyingPartyID)
  }

  // MARK: PasskeyProvider

  public func isAvailable() async -> Bool { state.withLock { $0.isAvailable } }

  public func create(
    _ options: PublicKeyCredentialCreationOptions, _ request: PasskeyRequest
  ) async throws -> RegistrationResponse {
    let id = try note(.create, options.relyingParty.id, request)
    var options = options
    // A passkey can always be found without being named.
    options.authenticatorSelection.residentKey = .required
    return try await Self.unwrapped {
      try await client(of: device, for: id).create(options, caller: WebAuthnCaller(origin: origin(id)))
    }
  }

  public func get(
    _ options: PublicKeyCredentialRequestOptions, _ request: PasskeyRequest
  ) async throws -> AuthenticationResponse {
    let id = try note(.get, options.relyingPartyID, request)
    let caller = WebAuthnCaller(origin: origin(id))
    // Where a phone may help out, this device only looks whether it has one itself.
    let looksHereFirst = phone != nil && request.mediation != .conditional
    let mediation: WebAuthnMediation =
      request.preferImmediatelyAvailableCredentials || looksHereFirst ? .immediate : request.mediation
    do {
      return try await Self.unwrapped {
        try await client(of: device, for: id).get(options, caller: caller, mediation: mediation)
      }
    } catch let error as AuthenticatorError where error.code == .keyNotFound {
      guard let phone, !request.preferImmediatelyAvailableCredentials else { throw error }
      var response = try await Self.unwrapped {
        try await client(of: phone, for: id).get(options, caller: caller, mediation: request.mediation)
      }
      response.authenticatorAttachment = .crossPlatform
      return response
    }
  }

  private func note(_ kind: Call.Kind, _ id: String?, _ request: PasskeyRequest) throws -> String {
    state.withLock { $0.calls.append(Call(kind: kind, relyingPartyID: id, request: request)) }
    guard let id else {
      throw AuthenticatorError(.invalidRequest, stage: "passkeys", reason: "the options name no relying party")
    }
    return id
  }

  private func client(of device: TestDevice, for relyingPartyID: String) async throws -> WebAuthnClient {
    let factories = AuthenticatorFactories.defaults()
    let authenticator = WebAuthnPlatformAuthenticator(
      wrapping: try await factories.make(.biometricAllowFallback, device.context), factories: factories,
      configuration: WebAuthnPlatformConfiguration(isBackupEligible: true, isBackedUp: true, counter: .zero),
      selectionDelegate: PromptedInteraction(responder: device.verifier))
    return WebAuthnClient(
      authenticator: authenticator,
      configuration: WebAuthnClientConfiguration(nativeOrigins: [origin(relyingPartyID): [relyingPartyID]]))
  }

  /// What happened at the authenticator, which an app may know.
  private static func unwrapped<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch let error as WebAuthnError {
      throw error.cause ?? error
    }
  }
}
