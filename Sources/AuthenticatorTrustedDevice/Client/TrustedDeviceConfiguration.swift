import AuthenticatorCore

/// Where a trusted-device client signs in, and how it behaves. A value.
public struct TrustedDeviceConfiguration: Sendable {
  /// The Frontend API's address; requests go to `/v1/…` below it.
  public let server: WebURL
  /// The server's name in key records: the address in the publishable key, whatever proxy stands before it; without key
  /// the server's own. Without trailing slash. Keys of two servers never meet.
  public let instance: String

  // MARK: The wire
  /// The addresses under which the server keeps trusted devices.
  public var urlFamily: URLFamily = .trustedDevices
  /// The server's word for this way of signing in.
  public var strategy: SignIn.Strategy = .trustedDevice
  /// The platform a credential is enrolled as. The server's vocabulary has no word for Linux.
  public var platform: TrustedDevice.Platform = .ios
  /// The version of the interface that is spoken.
  public var apiVersion = "2026-05-12"
  /// Further fields of every request.
  public var fields: [HTTPField] = [HTTPField("x-ios-sdk-version", "1.4.1"), HTTPField("x-mobile", "1")]
  /// The language the server should write to the person in, as a BCP 47 tag; nil: the server chooses.
  public var locale: String?
  /// For one request and its answer.
  public var requestTimeout: Duration = .seconds(30)
  /// When requests are sent again.
  public var retryPolicy = FrontendRetryPolicy()
  /// The greatest length of an answer, in bytes.
  public var answerBytes = 1 << 20

  // MARK: Credentials
  /// The policy of enrollments that name none.
  public var defaultPolicy: TrustedDevicePolicy = .biometryOrDevicePasscode
  /// Whose credentials a new enrollment replaces on this installation.
  public var replaceScope: ReplaceScope = .user
  /// Whether the server's credential is revoked when its key here is lost or void.
  public var revokesOrphans = true
  /// How long the person has to answer a prompt; a challenge that ends sooner ends it sooner.
  public var promptTimeLimit: Duration = .seconds(60)
  /// What the person reads while enrolling, unless the app says something else.
  public var enrollmentReason = "Use biometrics to enroll this device."
  /// What the person reads while signing in, unless the app says something else.
  public var signInReason = "Use biometrics to sign in."
  /// What makes and uses the keys.
  public var authenticators = TrustedDeviceAuthenticators()
  /// Tells a new installation that finds the keys of an earlier one; nil: the keys live and die with the installation.
  public var installationMarkers: (any InstallationMarkers)?

  /// The two families of addresses. Open.
  public struct URLFamily: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The part of the path.
    public let rawValue: String
    /// Takes a part of a path.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
    /// `…/trusted_devices`
    public static let trustedDevices = URLFamily(rawValue: "trusted_devices")
    /// `…/biometric_credentials`, of later versions
    public static let biometricCredentials = URLFamily(rawValue: "biometric_credentials")
  }

  /// Whose credentials of this app and server are removed from this installation once a new one is enrolled.
  public enum ReplaceScope: String, Hashable, Sendable, CaseIterable {
    /// The enrolling user's own.
    case user
    /// Everybody's: one installation, one credential.
    case installation
  }

  /// Takes the address from a publishable key, unless requests go through a proxy of the app's own.
  /// - Parameters:
  ///   - proxyURL: replaces the key's address; its path goes before every request's.
  ///   - allowsPlainHTTP: admits `http` to other machines than this one. Passwords and tokens are then readable on
  ///     the way.
  /// - Throws: `invalidRequest`, naming the setting.
  public init(publishableKey: String, proxyURL: String? = nil, allowsPlainHTTP: Bool = false) throws {
    let key = try PublishableKey(publishableKey)
    if let proxyURL {
      self.init(checked: try Self.address(proxyURL, allowsPlainHTTP), instance: Self.name(of: key.server))
    } else {
      self.init(checked: key.server, instance: Self.name(of: key.server))
    }
  }

  /// Takes the address itself, for servers that have no publishable key.
  /// - Parameters:
  ///   - server: `https`, or `http` to this machine; no query.
  ///   - allowsPlainHTTP: admits `http` to other machines than this one.
  /// - Throws: `invalidRequest`, naming the setting.
  public init(server: String, allowsPlainHTTP: Bool = false) throws {
    let address = try Self.address(server, allowsPlainHTTP)
    self.init(checked: address, instance: Self.name(of: address))
  }

  private init(checked server: WebURL, instance: String) {
    self.server = server
    self.instance = instance
  }

  private static func address(_ text: String, _ allowsPlainHTTP: Bool) throws -> WebURL {
    var url = try WebURL(text)
    guard url.query == nil else { throw invalid("the server address has a query") }
    guard url.scheme == "https" || url.isLoopback || allowsPlainHTTP else {
      throw invalid("the server address is plain http to another machine")
    }
    while url.path.count > 1, url.path.hasSuffix("/") { url.path.removeLast() }
    return url
  }

  private static func invalid(_ reason: String) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "trustedDevice.configuration", reason: reason)
  }

  private static func name(of server: WebURL) -> String {
    server.path == "/" ? server.origin : server.origin + server.path
  }
}
