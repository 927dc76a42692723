/// What a server does about trusted devices, in its Frontend API and in journeys: the switches that the vendor's
/// dashboard has, and limits.
public struct TrustedDeviceSettings: Hashable, Sendable {
  /// One spelling of the trusted-device addresses.
  public enum URLFamily: String, Hashable, Sendable, CaseIterable {
    /// `…/trusted_devices…`
    case trustedDevices = "trusted_devices"
    /// `…/biometric_credentials…`, which later releases of the vendor's SDK use.
    case biometricCredentials = "biometric_credentials"
  }

  /// The strategy word of answers; both are understood in requests.
  public enum Strategy: String, Hashable, Sendable, CaseIterable {
    /// `trusted_device`
    case trustedDevice = "trusted_device"
    /// `biometric_credential`
    case biometricCredential = "biometric_credential"
  }

  /// What becomes of a credential when its user enrolls the same installation and app again.
  public enum EnrolledAgain: String, Hashable, Sendable, CaseIterable {
    /// The new credential takes its place, in one step.
    case replace
    /// The enrollment is refused with `trusted_device_already_enrolled`.
    case refuse
  }

  /// Whose credentials an enrollment replaces on its installation and app.
  public enum ReplaceScope: String, Hashable, Sendable, CaseIterable {
    /// The user's own.
    case user
    /// Everybody's, as far as they were enrolled with the same client.
    case installation
  }

  // MARK: Switches

  /// The realm whose users the Frontend API signs in; nil: the server's first.
  public var realm: Realm?
  /// Whether the Frontend API does anything; the environment says which.
  public var nativeAPI = true
  /// Whether trusted devices are enrolled and sign in. Listing and revoking them works all the same.
  public var trustedDevices = true
  /// Tells apps to offer enrollment after a sign-in.
  public var promptAfterSignIn = true
  /// Tells apps to offer enrollment after a sign-up.
  public var promptAfterSignUp = true
  /// Whether anybody who reaches the server may make an account.
  public var signUp = false
  /// Whether a client has one session at most.
  public var singleSession = true
  /// The addresses that are served.
  public var urlFamilies: Set<URLFamily> = [.trustedDevices]
  /// The strategy word of answers.
  public var strategy = Strategy.trustedDevice
  /// The app identifiers that may enroll; nil: the server's application ids.
  public var appIdentifiers: [String]?
  /// What becomes of the credential of an installation that enrolls again.
  public var enrolledAgain = EnrolledAgain.replace
  /// Whose credentials give way.
  public var replaceScope = ReplaceScope.user
  /// Tasks that keep every new session `pending`, such as `setup-mfa`, until each is completed.
  public var pendingTasks: [String] = []
  /// Enrolling needs a session no older than this; nil: any session.
  public var reverifyAfter: Duration?
  /// Installations (`x-native-device-id`) that are refused with `device_blocked`.
  public var blockedDevices: Set<String> = []
  /// Whether every request but for the environment is refused with `requires_device_attestation`; nothing here can
  /// attest.
  public var requiresDeviceAttestation = false

  // MARK: Limits

  /// Active credentials of one user.
  public var quota = 10
  /// How long a challenge waits for its signature.
  public var challengeLifetime: Duration = .seconds(300)
  /// How long a session lasts.
  public var sessionLifetime: Duration = .seconds(604_800)
  /// Users of the realm above which nobody can sign up.
  public var maximumUsers = 10_000

  /// The defaults: everything on but for sign-up.
  public init() {}

  /// Whether the word of a request is the strategy of trusted devices.
  static func isTrustedDevice(_ word: String) -> Bool { Strategy(rawValue: word) != nil }
}
