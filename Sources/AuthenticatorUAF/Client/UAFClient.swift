import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto

/// The client of FIDO UAF: reads a server's message, checks who calls, matches the policy, lets the ASM and
/// authenticators beneath it do their part, and answers (FIDO UAF Protocol and Application API).
///
/// An app plugs in verification, storage, transport and a responder by `UAFClientConfiguration`; the ceremony itself is
/// sealed. The app fetches messages and posts responses, then tells the server's status by
/// `notify(status:of:facetID:)`.
public final class UAFClient: Sendable {
  /// What was plugged in.
  public let configuration: UAFClientConfiguration
  let facets: FacetAuthorization
  private let authenticators: [SealedAuthenticator]
  private let lastCaller = LastCaller()
  let lastPolicy = LastPolicy()
  let display: (any UAFTransactionDisplay)?

  /// - Throws: `invalidRequest` when two authenticators have the same AAID, or one claims what cannot be: the reason
  ///   names the model and its member.
  public convenience init(_ configuration: UAFClientConfiguration) throws {
    let models = configuration.authenticators
    guard Set(models.map(\.aaid)).count == models.count else {
      throw AuthenticatorError(.invalidRequest, stage: "uaf.client", reason: "an AAID is configured twice")
    }
    for model in models { try model.check(configuration.devices) }
    self.init(checked: configuration, facets: FacetAuthorization())
  }

  /// Takes a configuration whose authenticators were checked.
  init(checked configuration: UAFClientConfiguration, facets: FacetAuthorization) {
    self.configuration = configuration
    self.facets = facets
    display = configuration.display ?? configuration.responder.map(TextTransactionDisplay.init)
    authenticators = configuration.authenticators.map { model in
      SealedAuthenticator(model: model, devices: configuration.devices, context: configuration.context)
    }
  }

  var environment: AuthenticatorEnvironment { configuration.context.environment }

  // MARK: Operations

  /// Processes a message of any kind.
  /// - Parameters:
  ///   - facetID: who calls: a web origin or the app's identity.
  ///   - channelBinding: whatever is known of the connection that the message came over.
  ///   - extras: what the app passes along.
  /// - Returns: the response to post; for a deregistration, an empty message.
  /// - Throws: `AuthenticatorError`; `UAFErrorCode` and `UAFOutcome` have the words for its code. Nothing new is left
  ///   then.
  public func process(
    _ message: UAFMessage, facetID: String, channelBinding: ChannelBinding = ChannelBinding(),
    extras: UAFExtras = UAFExtras()
  ) async throws -> UAFMessage {
    try await process(message, of: nil, facetID, channelBinding, extras)
  }

  /// - Parameter kind: what the message must ask for; nil: it may be anything.
  private func process(
    _ message: UAFMessage, of kind: UAFOperation?, _ facetID: String, _ channelBinding: ChannelBinding,
    _ extras: UAFExtras
  ) async throws -> UAFMessage {
    do {
      try extras.check()
      let (operation, plan) = try await UAFOperationContext.negotiate(
        self, message, of: kind, facetID: facetID, channelBinding: channelBinding, extras: extras, settles: true)
      switch plan {
      case .register(let request, let found):
        return UAFMessage(try await operation.register(request, found).message)
      case .authenticate(let request, let found, let forms):
        return UAFMessage(try await operation.authenticate(request, found, forms).message)
      case .deregister(let request):
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
      return UAFResult(try await process(message, of: operation, facetID, channelBinding, extras))
    } catch {
      return UAFResult(
        AuthenticatorError.wrapping(error, as: .invalidRequest, stage: "uaf.client"), answering: message)
    }
  }

  /// Whether a message could be processed now. Shows nothing, makes and writes nothing, always answers.
  public func checkPolicy(_ message: UAFMessage, facetID: String) async -> UAFErrorCode {
    do {
      let (operation, plan) = try await UAFOperationContext.negotiate(self, message, facetID: facetID)
      if case .register(let request, let found) = plan { try operation.checkRoom(request, found) }
      return .noError
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .invalidRequest, stage: "uaf.client")
      return UAFErrorCode(error.code, answering: message)
    }
  }

  // MARK: Information

  /// The versions and authenticators of this device. Silent.
  public func discover() async -> UAFDiscovery {
    var authenticators: [UAFAuthenticatorInformation] = []
    for one in module(callerID: "").authenticators {
      if let information = await one.information(displaysImages: advertisesImages) {
        authenticators.append(information)
      }
    }
    return UAFDiscovery(supportedUAFVersions: UAFVersion.supported, availableAuthenticators: authenticators)
  }

  /// Why authenticators cannot be used now: what `discover()` does not list. Silent.
  public func unavailableAuthenticators() async -> [(aaid: AAID, reason: AuthenticatorError)] {
    var reasons: [(aaid: AAID, reason: AuthenticatorError)] = []
    for one in authenticators {
      if let reason = await one.obstacle() { reasons.append((one.model.aaid, reason)) }
    }
    return reasons
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
    let module = module(callerID: facet.normalized)
    try await module.deregister(.everything, try await module.tokens(of: facet.application(appID)))
  }

  /// Who calls, when the caller may act for the application that a message names.
  /// - Throws: `untrustedFacet`; `invalidRequest` for an identifier that names no caller; `invalidMessage` for an app
  ///   ID that is no address though it begins like one; `appCanceled`.
  func caller(_ facetID: String, _ header: OperationHeader, until deadline: Duration) async throws -> UAFCaller {
    if let caller = lastCaller.caller(facetID, header.appID) { return caller }
    let facet = try FacetID(facetID)
    let address = try FacetAuthorization.listAddress(of: header.appID, for: facet)
    if let address {
      try await facets.authorize(
        facet, by: address, version: header.upv, configuration: configuration, until: deadline, in: environment)
    }
    let caller = UAFCaller(facet, facet.application(header.appID), module(callerID: facet.normalized))
    if address == nil { lastCaller.remember(caller, facetID, header.appID) }
    return caller
  }

  func module(callerID: String) -> AuthenticatorModule {
    AuthenticatorModule(
      context: configuration.context, authenticators: authenticators, personaID: configuration.personaID,
      callerID: callerID, displaysImages: display?.displaysImages ?? false)
  }

  /// Whether pictures can be shown by the display or by a view of the app's own: what servers are told.
  var advertisesImages: Bool { configuration.viewDisplaysImages || display?.displaysImages ?? false }
}

/// How an operation ended.
public struct UAFResult: Sendable {
  /// In one word.
  public let outcome: UAFOutcome
  /// The response to post; nil unless it succeeded.
  public let message: UAFMessage?
  /// Why it ended; nil when it succeeded.
  public let error: AuthenticatorError?

  /// The code of the application API, of the version that the message is in.
  public let errorCode: UAFErrorCode

  init(_ message: UAFMessage) {
    outcome = .success
    self.message = message
    error = nil
    errorCode = .noError
  }

  init(_ error: AuthenticatorError, answering message: UAFMessage) {
    outcome = UAFOutcome(error.code)
    self.message = nil
    self.error = error
    errorCode = UAFErrorCode(error.code, answering: message)
  }
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
