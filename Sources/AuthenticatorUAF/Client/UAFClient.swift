import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto

/// The client of FIDO UAF: reads a server's message, checks who calls, matches the policy, lets the ASM and authenticators
/// beneath it do their part, and answers (FIDO UAF Protocol and Application API).
///
/// An app plugs in verification, storage, transport and a responder by `UAFClientConfiguration`; the ceremony itself is
/// sealed. The app fetches messages and posts responses, then tells the server's status by `notify(status:of:facetID:)`.
public struct UAFClient: Sendable {
  /// What was plugged in.
  public let configuration: UAFClientConfiguration
  let facets: FacetAuthorization

  /// - Throws: `invalidRequest` when two authenticators have the same AAID.
  public init(_ configuration: UAFClientConfiguration) throws {
    let models = configuration.authenticators
    guard Set(models.map(\.aaid)).count == models.count else {
      throw AuthenticatorError(.invalidRequest, stage: "uaf.client", reason: "an AAID is configured twice")
    }
    self.configuration = configuration
    facets = FacetAuthorization()
  }

  var environment: AuthenticatorEnvironment { configuration.context.environment }

  // MARK: Operations

  /// Processes a message of any kind.
  /// - Parameters:
  ///   - facetID: who calls: a web origin or the app's identity.
  ///   - channelBinding: whatever is known of the connection that the message came over.
  ///   - extras: what the app passes along.
  /// - Returns: the response to post; for a deregistration, an empty message.
  /// - Throws: `AuthenticatorError`; `UAFErrorCode` and `UAFOutcome` have the words for its code. Nothing new is left then.
  public func process(
    _ message: UAFMessage, facetID: String, channelBinding: ChannelBinding = ChannelBinding(),
    extras: UAFExtras = UAFExtras()
  ) async throws -> UAFMessage {
    do {
      try extras.check()
      let operation = try await UAFOperationContext(
        self, try UAFRequest(message.uafProtocolMessage), facetID: facetID, channelBinding: channelBinding,
        extras: extras)
      switch operation.request {
      case .registration(let request): return UAFMessage(try await operation.register(request).message)
      case .authentication(let request): return UAFMessage(try await operation.authenticate(request).message)
      case .deregistration(let request):
        try await operation.deregister(request)
        return UAFMessage("")
      }
    } catch {
      throw AuthenticatorError.wrapping(error, as: .invalidRequest, stage: "uaf.client")
    }
  }

  /// The direct call: processes an authentication or transaction confirmation, and tells how it ended.
  ///
  /// `FALLBACK` means that the person pressed the button of `UAFExtras.fallback(title:)`.
  public func authenticate(
    _ message: UAFMessage, facetID: String, channelBinding: ChannelBinding = ChannelBinding(),
    extras: UAFExtras = UAFExtras()
  ) async -> UAFResult {
    await result(of: .authentication, message, facetID, channelBinding, extras)
  }

  /// As `authenticate`, for a registration.
  public func register(
    _ message: UAFMessage, facetID: String, channelBinding: ChannelBinding = ChannelBinding(),
    extras: UAFExtras = UAFExtras()
  ) async -> UAFResult {
    await result(of: .registration, message, facetID, channelBinding, extras)
  }

  private func result(
    of operation: UAFOperation, _ message: UAFMessage, _ facetID: String, _ channelBinding: ChannelBinding,
    _ extras: UAFExtras
  ) async -> UAFResult {
    do {
      guard try UAFRequest(message.uafProtocolMessage).header.op == operation else {
        throw AuthenticatorError(.invalidRequest, stage: "uaf.client", reason: "the message asks for something else")
      }
      return UAFResult(
        try await process(message, facetID: facetID, channelBinding: channelBinding, extras: extras))
    } catch {
      return UAFResult(AuthenticatorError.wrapping(error, as: .invalidRequest, stage: "uaf.client"))
    }
  }

  /// Whether a message could be processed now. Shows nothing, makes nothing, always answers.
  public func checkPolicy(_ message: UAFMessage, facetID: String) async -> UAFErrorCode {
    do {
      let operation = try await UAFOperationContext(
        self, try UAFRequest(message.uafProtocolMessage), facetID: facetID, channelBinding: ChannelBinding(),
        extras: UAFExtras())
      switch operation.request {
      case .registration(let request): _ = try await operation.candidates(request.policy, isRegistration: true)
      case .authentication(let request): _ = try await operation.candidates(request.policy, isRegistration: false)
      case .deregistration: break
      }
      return .noError
    } catch {
      return UAFErrorCode(AuthenticatorError.wrapping(error, as: .invalidRequest, stage: "uaf.client").code)
    }
  }

  // MARK: Information

  /// The versions and authenticators of this device. Silent.
  public func discover() async -> UAFDiscovery {
    let module = module(callerID: "")
    var authenticators: [UAFAuthenticatorInformation] = []
    for one in module.authenticators {
      if let information = await one.information(displaysImages: module.displaysImages) {
        authenticators.append(information)
      }
    }
    return UAFDiscovery(supportedUAFVersions: UAFVersion.supported, availableAuthenticators: authenticators)
  }

  /// The caller's own keys. Silent.
  public func registrations(facetID: String) async throws -> [UAFRegistrations] {
    try await module(callerID: try FacetID(facetID).normalized).registrations()
  }

  /// Deletes the caller's keys for an application without a server's message, as when the app is removed. The server's
  /// records remain.
  /// - Parameter appID: as servers send it; nil: the facet is the application.
  public func deleteKeys(appID: String?, facetID: String) async throws {
    let facet = try FacetID(facetID)
    try await module(callerID: facet.normalized).deregister(.everything, appID: appID ?? facet.text)
  }

  func module(callerID: String) -> AuthenticatorModule {
    let display = display
    return AuthenticatorModule(
      context: configuration.context,
      authenticators: configuration.authenticators.map { model in
        SealedAuthenticator(model: model, devices: configuration.devices, context: configuration.context)
      }, personaID: configuration.personaID, callerID: callerID, displaysImages: display?.displaysImages ?? false)
  }

  var display: (any UAFTransactionDisplay)? {
    configuration.display ?? configuration.responder.map(TextTransactionDisplay.init)
  }
}

/// How an operation ended.
public struct UAFResult: Sendable {
  /// In one word.
  public let outcome: UAFOutcome
  /// The response to post; nil unless it succeeded.
  public let message: UAFMessage?
  /// Why it ended; nil when it succeeded.
  public let error: AuthenticatorError?

  init(_ message: UAFMessage) {
    outcome = .success
    self.message = message
    error = nil
  }

  init(_ error: AuthenticatorError) {
    outcome = UAFOutcome(error.code)
    message = nil
    self.error = error
  }

  /// The code of the application API.
  public var errorCode: UAFErrorCode { error.map { UAFErrorCode($0.code) } ?? .noError }
}

/// What a client tells of itself (FIDO UAF Application API, section "DiscoveryData").
public struct UAFDiscovery: Hashable, Sendable {
  /// The versions it speaks, best first.
  public var supportedUAFVersions: [UAFVersion]
  /// The authenticators that could be used now.
  public var availableAuthenticators: [UAFAuthenticatorInformation]

  /// The form of the API.
  public var json: JSONValue {
    [
      "supportedUAFVersions": .array(supportedUAFVersions.map(\.json)), "clientVendor": "AuthenticatorKit",
      "clientVersion": ["major": 1, "minor": 0],
      "availableAuthenticators": .array(availableAuthenticators.map(\.json)),
    ]
  }
}
