public import AuthenticatorCoding
public import AuthenticatorCore

/// How a WebAuthn client behaves.
public struct WebAuthnClientConfiguration: Sendable {
  /// Below which domains anybody may register a name; nil: relying party IDs must equal the caller's host.
  public var publicSuffixes: (any PublicSuffixList)?
  /// Whether `http://localhost` may make requests.
  public var allowsLocalhost: Bool
  /// Origins of apps, compared as whole texts (`ios:bundle-id:…`, `android:apk-key-hash:…`, or a form of your own),
  /// each with the relying party IDs it may use: the platform's association of app and domain, decided by the app.
  public var nativeOrigins: [String: Set<String>]
  /// Fetches a relying party's list of related origins; nil: there are none.
  public var transport: (any HTTPTransport)?
  /// How many different labels of such a list count; at least 5.
  public var relatedOriginLabels: Int
  /// The time limit when the options name none.
  public var defaultTimeout: Duration
  /// What a time limit in the options is held to.
  public var timeouts: ClosedRange<Duration>
  /// How long after signing in a conditional create is still allowed.
  public var conditionalCreateWindow: Duration

  /// See the properties; there is no list of public suffixes unless one is given.
  public init(
    publicSuffixes: (any PublicSuffixList)? = nil, allowsLocalhost: Bool = true,
    nativeOrigins: [String: Set<String>] = [:], transport: (any HTTPTransport)? = nil, relatedOriginLabels: Int = 5,
    defaultTimeout: Duration = .seconds(300), timeouts: ClosedRange<Duration> = .seconds(5) ... .seconds(600),
    conditionalCreateWindow: Duration = .seconds(300)
  ) {
    self.publicSuffixes = publicSuffixes
    self.allowsLocalhost = allowsLocalhost
    self.nativeOrigins = nativeOrigins
    self.transport = transport
    self.relatedOriginLabels = max(relatedOriginLabels, 5)
    self.defaultTimeout = defaultTimeout
    self.timeouts = timeouts
    self.conditionalCreateWindow = conditionalCreateWindow
  }
}

extension WebAuthnClientConfiguration {
  /// Whether a text is a domain name in the form that is hashed.
  package static func isRelyingPartyID(_ text: String) -> Bool { Domain.isDomain(text) }

  /// Whether an origin may use a relying party ID by its own right.
  package func permits(_ id: String, to origin: String) -> Bool {
    let rules = RelyingPartyIDRules(
      suffixes: publicSuffixes, allowsLocalhost: allowsLocalhost, nativeOrigins: nativeOrigins)
    return rules.judge(origin: origin, requested: id) == .allowed(id)
  }
}

/// Who makes a request.
public struct WebAuthnCaller: Hashable, Sendable {
  /// A serialized web origin, or one of the configuration's native origins. Written into the client data as it is.
  public var origin: String
  /// The outermost page's origin when the caller is a frame of another origin; nil otherwise. Neither the caller's own
  /// nor one in another form than browsers write: SecurityError.
  public var topOrigin: String?
  /// Whether the person has just acted on the page; asked of frames of another origin that create.
  public var hasUserActivation: Bool
  /// Further members of the client data, as some platforms add them (`androidPackageName`).
  public var clientDataMembers: JSONObject

  /// See the properties.
  public init(
    origin: String, topOrigin: String? = nil, hasUserActivation: Bool = true, clientDataMembers: JSONObject = [:]
  ) {
    self.origin = origin
    self.topOrigin = topOrigin
    self.hasUserActivation = hasUserActivation
    self.clientDataMembers = clientDataMembers
  }
}

/// How much a request may ask of the person (Credential Management Level 1 section 2.3.2).
public enum WebAuthnMediation: String, Hashable, Sendable {
  /// The person is asked.
  case optional
  /// Creating: without asking, after a sign-in. Signing in: among the suggestions of a form, without a time limit,
  /// until the request is cancelled or a later one takes its place.
  case conditional
  /// Signing in: only with a credential that is here. Without one, the request ends at once and nothing is shown.
  case immediate
}
