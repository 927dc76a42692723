import AuthenticatorCore

/// Where a journey client signs in, and how it behaves.
public struct JourneyConfiguration: Sendable {
  /// The deployment's address, context path included: `https://id.example.com/am`.
  public let server: WebURL
  /// The realm whose journeys are walked.
  public let realm: JourneyRealm
  /// The session cookie's name; the session token travels in a header of this name.
  public let cookieName: String

  /// Languages for prompts and messages, best first, as BCP 47 tags: `["de-CH", "de"]`.
  public var languages: [String]
  /// What holds unless another is set.
  public static let standardRequestTimeout: Duration = .seconds(30)
  /// For one request and its answer.
  public var requestTimeout: Duration
  /// What an answer may cost.
  public var limits: JourneyLimits
  /// What a start does while another flow of the same client is under way.
  public var overlap: OverlapPolicy
  /// Cookies that outlive the process, by name (`amlbcookie`, the cookie of a Set Persistent Cookie node). Other
  /// cookies live as long as the client.
  public var persistentCookies: Set<String>
  /// Offset from the server's clock that is trusted at most. The server's `Date` field is unsigned, so a larger
  /// offset is not applied but reported by what needs the time.
  public var maximumClockOffset: Duration

  /// What happens to a running flow when another one starts.
  public enum OverlapPolicy: String, Hashable, Sendable {
    /// The second start throws `busy`.
    case refuse
    /// The first flow ends: its `next()` throws `appCanceled`.
    case cancelFirst
    /// Both run, each with its own flags.
    case allow
  }

  /// - Parameters:
  ///   - server: no query; `https`, or `http` to this machine.
  ///   - realm: `/`, `/alpha`, `alpha`, `root/realms/alpha`.
  ///   - cookieName: `iPlanetDirectoryPro` unless the deployment changed it; cloud tenants use a random name.
  ///   - allowsPlainHTTP: admits `http` to other machines too. Passwords and sessions are then readable on the way.
  /// - Throws: `invalidRequest`, naming the setting.
  public init(
    server: String, realm: String = "/", cookieName: String = "iPlanetDirectoryPro", allowsPlainHTTP: Bool = false
  ) throws {
    var url = try WebURL(server)
    guard url.query == nil else { throw Self.invalid("the server address has a query") }
    guard url.scheme == "https" || url.isLoopback || allowsPlainHTTP else {
      throw Self.invalid("the server address is plain http to another machine")
    }
    while url.path.count > 1, url.path.hasSuffix("/") { url.path.removeLast() }
    guard (1...128).contains(cookieName.utf8.count), cookieName.utf8.allSatisfy(HTTPToken.admits) else {
      throw Self.invalid("the cookie name is no HTTP token")
    }
    self.server = url
    self.realm = try JourneyRealm(realm)
    self.cookieName = cookieName
    languages = []
    requestTimeout = Self.standardRequestTimeout
    limits = .standard
    overlap = .refuse
    persistentCookies = []
    maximumClockOffset = .seconds(24 * 3600)
  }

  /// The server's name in key records and stored sessions: its address without trailing slash.
  public var instance: String { server.path == "/" ? server.origin : server.origin + server.path }

  private static func invalid(_ reason: String) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "journey.configuration", reason: reason)
  }
}
