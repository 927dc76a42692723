public import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// The client of WebAuthn: checks what a relying party asks for, tells its authenticator, and answers in the standard's
/// form (WebAuthn Level 3 section 5.1).
///
/// Requests end early when the calling task is cancelled. One request runs at a time: a later one ends the earlier one
/// as AbortError; a conditional one never displaces a modal one and ends as NotAllowedError instead. Hints are read and
/// change nothing, since there is one authenticator to choose from.
///
/// Requests end even if the authenticator does not: one that ignores its deadline and its cancellation is given a
/// second beyond them; then its request is abandoned, and ends with the cause `timedOut` or `appCanceled`. Whatever
/// comes of it later is dropped; a credential is taken back. Until that request has let go of the authenticator, later
/// ones wait in line, since two never drive one authenticator at the same time (section 6.3.2). Time in line counts:
/// they end with the cause `timedOut`, whose reason says so, when their own time limit passes, and at once when they
/// are cancelled. The line has an end: with sixteen requests that have not ended yet, the next one ends as
/// NotAllowedError with the cause `busy`. Where an authenticator hangs for good, the way out is another one, in another
/// client.
public final class WebAuthnClient {
  /// What makes and uses the credentials.
  public let authenticator: WebAuthnPlatformAuthenticator
  /// May change between requests.
  public var configuration: WebAuthnClientConfiguration
  let gate = CeremonyGate()
  /// When somebody last signed in, by origin and relying party ID.
  var signIns: [String: Duration] = [:]

  /// A client with one authenticator.
  public init(
    authenticator: WebAuthnPlatformAuthenticator,
    configuration: WebAuthnClientConfiguration = WebAuthnClientConfiguration()
  ) {
    self.authenticator = authenticator
    self.configuration = configuration
  }

  var environment: AuthenticatorEnvironment { authenticator.environment }

  // MARK: - JSON

  /// `create(_:caller:mediation:)` with a `PublicKeyCredentialCreationOptionsJSON` in, a `RegistrationResponseJSON`
  /// out.
  /// - Throws: `WebAuthnError`; the new credential is taken back then.
  public func create(
    json: JSONValue, caller: WebAuthnCaller, mediation: WebAuthnMediation = .optional
  ) async throws -> JSONValue {
    do {
      let options = try PublicKeyCredentialCreationOptions(json: json)
      let response = try await create(options, caller: caller, mediation: mediation)
      return try await authenticator.handingOver(response) { try response.json() }
    } catch { throw WebAuthnError(error, told: .create) }
  }

  /// `get(_:caller:mediation:credential:)` with a `PublicKeyCredentialRequestOptionsJSON` in, an
  /// `AuthenticationResponseJSON` out.
  /// - Throws: `WebAuthnError`.
  public func get(
    json: JSONValue, caller: WebAuthnCaller, mediation: WebAuthnMediation = .optional, credential: CredentialID? = nil
  ) async throws -> JSONValue {
    do {
      let options = try PublicKeyCredentialRequestOptions(json: json)
      return try await get(options, caller: caller, mediation: mediation, credential: credential).json
    } catch { throw WebAuthnError(error, told: .get) }
  }

  // MARK: - What both ceremonies share

  func checkChallenge(_ challenge: [UInt8]) throws {
    guard (1...WebAuthnLimits.challengeBytes).contains(challenge.count) else {
      throw WebAuthnError(.type, "the challenge is empty or too long")
    }
  }

  /// The uptime at which a request ends.
  func deadline(_ timeout: Int?) -> Duration {
    let asked = timeout.map { Duration.milliseconds($0) } ?? configuration.defaultTimeout
    let limits = configuration.timeouts
    return environment.uptime() + min(max(asked, limits.lowerBound), limits.upperBound)
  }

  var rules: RelyingPartyIDRules {
    RelyingPartyIDRules(
      suffixes: configuration.publicSuffixes, allowsLocalhost: configuration.allowsLocalhost,
      nativeOrigins: configuration.nativeOrigins)
  }

  /// The relying party ID in the form that is hashed.
  /// - Throws: `WebAuthnError` NotAllowedError for an opaque origin, SecurityError for an ID that is not the caller's.
  func relyingPartyID(_ requested: String?, _ caller: WebAuthnCaller, until deadline: Duration) async throws -> String {
    guard caller.origin != "null" else { throw WebAuthnError(.notAllowed, "the origin is opaque") }
    // Both are signed as they are, and a relying party compares whole texts.
    if let topOrigin = caller.topOrigin, WebOrigin(topOrigin) == nil {
      throw WebAuthnError(.security, "the outermost page's origin is \(Self.wrongForm)")
    }
    guard caller.topOrigin != caller.origin else {
      throw WebAuthnError(.security, "the outermost page's origin is the caller's own: it is no frame of another one")
    }
    switch rules.judge(origin: caller.origin, requested: requested) {
    case .allowed(let id): return id
    case .unrelated(let id):
      guard let transport = configuration.transport else { break }
      let related = RelatedOrigins(
        transport: transport, suffixes: configuration.publicSuffixes, maximumLabels: configuration.relatedOriginLabels)
      let refusal = try await related.refusal(of: caller.origin, for: id, until: deadline, in: environment)
      guard let refusal else { return id }
      throw WebAuthnError(.security, refusal)
    case .refused: break
    }
    throw WebAuthnError(.security, refusal(caller.origin))
  }

  private static let wrongForm = "not as browsers write it: https://example.org, in lower case, without a path"

  /// Why an origin may not use a relying party ID.
  private func refusal(_ origin: String) -> String {
    guard configuration.nativeOrigins[origin] == nil else {
      return "the relying party ID is not one that this app's origin may use"
    }
    guard let web = WebOrigin(origin) else {
      // An app's origin, or a web page's in another form than its own.
      let isWeb = ["http:", "https:"].contains { Domain.lowercased(origin).hasPrefix($0) }
      return isWeb
        ? "the origin is \(Self.wrongForm)" : "the origin is no web page's, and no relying party ID is allowed to it"
    }
    if !web.isSecure(allowingLocalhost: configuration.allowsLocalhost) { return "the origin is not of https" }
    if !Domain.isDomain(web.host) { return "the origin's host is an address, to which no relying party ID belongs" }
    return "the relying party ID does not belong to the origin"
  }

  /// Whether a caller may speak for a U2F AppID: a https URL of the caller's own registrable domain.
  func isAppIDAllowed(_ appID: String, _ caller: WebAuthnCaller) -> Bool {
    guard let url = try? WebURL(appID), url.scheme == "https", let origin = WebOrigin(caller.origin),
      Domain.isDomain(url.host), Domain.isDomain(origin.host)
    else { return false }
    if url.host == origin.host { return true }
    guard let suffixes = configuration.publicSuffixes, let domain = suffixes.registrableDomain(of: origin.host) else {
      return false
    }
    return suffixes.registrableDomain(of: url.host) == domain
  }

  func clientData(
    _ type: CollectedClientData.Ceremony, _ challenge: [UInt8], _ caller: WebAuthnCaller
  ) throws -> CollectedClientData {
    do {
      return try CollectedClientData(
        type: type, challenge: challenge, origin: caller.origin, crossOrigin: caller.topOrigin != nil,
        topOrigin: caller.topOrigin, additionalMembers: caller.clientDataMembers)
    } catch { throw WebAuthnError(.data, "the caller's client data members take a name that is taken") }
  }

  /// Whether the authenticator can verify the person now.
  func canVerify() async -> Bool { await authenticator.availability() == .available(.verified) }
}
