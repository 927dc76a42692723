public import AuthenticatorCore
public import AuthenticatorCrypto

/// The settings of a journey server.
public struct JourneyServerConfiguration: Sendable {
  /// The `iss` that device nodes accept unless told otherwise.
  public static let defaultApplicationID = "org.example.authenticator"

  /// The deployment path every address begins with; empty or like `/am`.
  public var contextPath = "/am"
  /// The name of the session cookie and of the header that carries the session.
  public var cookieName = "iPlanetDirectoryPro"
  /// Whether the session token also, or only, travels in `Set-Cookie`.
  public var sessionCookie = SessionCookie.never
  /// The realms; each offers all journeys and has its own users.
  public var realms: [Realm]
  /// The trees, each under its own name.
  public var journeys: [JourneyTree]
  /// The journey a start without `authIndexValue` means.
  public var defaultJourney = "Login"
  /// The `iss` values that device nodes accept when they name none.
  public var applicationIDs: [String]
  /// Where `successUrl` points; the realm is appended as `?realm=`.
  public var successURL = "/enduser/"
  /// Where the server is reached from outside, such as `https://id.example.com/am`; links begin with it.
  public var publicURL: String?
  /// What clients may cost.
  public var limits = JourneyServerLimits.default
  /// How wrong passwords lock an account.
  public var lockout = LockoutPolicy()
  /// The cost of passwords set from now on; others are stored anew at their owner's next sign-in.
  public var passwordCost = PasswordAuthority.defaultCost
  /// The costs that are computed at all.
  public var passwordBounds = ScryptBounds.standard
  /// The cost of recovery codes, which are random and so need less than passwords.
  public var recoveryCodeCost = PasswordAuthority.defaultRecoveryCodeCost
  /// A token key older than this is followed by a new one.
  public var tokenKeyInterval: Duration = .seconds(86_400)
  /// Brings resume links to people.
  public var deliver: (@Sendable (ResumeLink) async throws -> Void)?
  /// Judges key attestations.
  public var attestationJudge: AttestationJudge?
  /// Who the server is to browsers and authenticators.
  public var webAuthn = WebAuthnConfiguration()
  /// Further parts of the REST interface.
  public var endpoints: [any RESTEndpoint] = []
  /// Further addresses outside it.
  public var routes: [any ServerRoute] = []
  /// Receives what an operator should know; must not block.
  public var log: @Sendable (JourneyServerEvent) -> Void = { _ in }
  /// What the Frontend API and the trusted-device nodes do.
  public var trustedDevices = TrustedDeviceSettings()
  /// What the UAF addresses and nodes do.
  public var uaf = UAFSettings()
  /// Clocks and randomness.
  public var environment: AuthenticatorEnvironment

  /// Where the session token travels.
  public enum SessionCookie: Hashable, Sendable {
    /// The token stands in the body alone.
    case never
    /// It stands in both.
    case also
    /// It stands in an HttpOnly cookie, and `tokenId` is empty.
    case only
    /// As `only` for a request of a browser, so that no script ever holds the token; as `never` for any other.
    case browsers
  }

  /// The built-in journeys in the realms `/` and `/alpha`.
  public init(
    environment: AuthenticatorEnvironment, realms: [Realm]? = nil, journeys: [JourneyTree]? = nil,
    applicationIDs: [String] = [defaultApplicationID]
  ) throws {
    self.environment = environment
    self.realms = realms ?? [.root] + [Realm("/alpha")].compactMap { $0 }
    self.journeys = try journeys ?? BuiltInJourneys.all()
    self.applicationIDs = applicationIDs
  }
}

/// What an operator should know. Holds no secret and no user's name.
public enum JourneyServerEvent: Hashable, Sendable, CustomStringConvertible {
  /// A journey ended with a session, or without one when it was asked not to make any.
  case journeySucceeded(realm: Realm, journey: String)
  /// A journey ended at a failure.
  case journeyFailed(realm: Realm, journey: String)
  /// A step token was used a second time.
  case stepReplayed(realm: Realm, journey: String)
  /// A device's proof was refused; `check` names the check.
  case proofRefused(journey: String, check: String)
  /// A password attempt met a lock.
  case attemptLocked(realm: Realm)
  /// A client of the Frontend API signed in; `strategy` says how.
  case clientSignedIn(realm: Realm, strategy: String)
  /// Something failed inside; the client saw status 500 or 503.
  case fault(String)

  public var description: String {
    switch self {
    case .journeySucceeded(let realm, let journey): "\(journey) of \(realm) succeeded"
    case .journeyFailed(let realm, let journey): "\(journey) of \(realm) failed"
    case .stepReplayed(let realm, let journey): "a step of \(journey) of \(realm) was posted again"
    case .proofRefused(let journey, let check): "\(journey) refused a device's proof: \(check)"
    case .attemptLocked(let realm): "an attempt met a lock in \(realm)"
    case .clientSignedIn(let realm, let strategy): "a client signed in to \(realm) by \(strategy)"
    case .fault(let text): "fault: \(text)"
    }
  }
}
