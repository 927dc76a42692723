import AuthenticatorCore

/// How a built-in authenticator asks for the person, and what a changed set of fingers does to its keys.
///
/// The server's policy selects one by its AAID; the app changes nothing. Open: an app adds its own by naming the type
/// of an authenticator that it registers in `UAFDeviceAuthenticators.custom`.
public struct UAFBehavior: Hashable, Sendable {
  /// Its name in configuration files.
  public let name: String
  /// What makes and opens the keys.
  public let authenticator: AuthenticatorType
  /// What a changed set of enrolled biometrics does to the keys.
  public let enrollment: KeyAccess.EnrollmentPolicy
  /// What is asked of the person.
  public let level: VerificationLevel
  /// Whether assertions report the enrolled set (TAG_USER_VERIFICATION_STATE).
  public let reportsUserVerificationState: Bool
  /// What a policy sees as its way of verifying, unless a model says otherwise.
  public let userVerification: UserVerificationMethods

  /// A behavior of your own.
  public init(
    name: String, authenticator: AuthenticatorType, enrollment: KeyAccess.EnrollmentPolicy = .ignored,
    level: VerificationLevel = .verified, reportsUserVerificationState: Bool = false,
    userVerification: UserVerificationMethods
  ) {
    self.name = name
    self.authenticator = authenticator
    self.enrollment = enrollment
    self.level = level
    self.reportsUserVerificationState = reportsUserVerificationState
    self.userVerification = userVerification
  }

  /// The device's passcode.
  public static let passcode = UAFBehavior(
    name: "passcode", authenticator: .devicePasscode, userVerification: .passcode)
  /// Biometrics; keys outlive a change of the enrolled set, and assertions tell of it.
  public static let biometricWithState = UAFBehavior(
    name: "uvs", authenticator: .biometricOnly, reportsUserVerificationState: true,
    userVerification: [.fingerprint, .faceprint])
  /// Biometrics; a change of the enrolled set ends the keys.
  public static let biometricWithKeyDeletion = UAFBehavior(
    name: "delete", authenticator: .biometricOnly, enrollment: .currentSet,
    userVerification: [.fingerprint, .faceprint])
  /// Biometrics or the device's passcode; keys outlive a change of the enrolled set.
  public static let biometricOrPasscode = UAFBehavior(
    name: "bio-or-passcode", authenticator: .biometricAllowFallback,
    userVerification: [.fingerprint, .faceprint, .passcode])
  /// A touch or a yes.
  public static let presence = UAFBehavior(
    name: "presence", authenticator: .none, level: .presence, userVerification: .presence)
  /// Nothing is asked; confirms no transaction.
  public static let silent = UAFBehavior(
    name: "silent", authenticator: .none, level: .none, userVerification: .none)
  /// A PIN that belongs to the app.
  public static let applicationPIN = UAFBehavior(
    name: "pin", authenticator: .applicationPIN, userVerification: .passcode)

  /// The behaviors that come with the package, by name.
  public static let builtIn: [UAFBehavior] = [
    .passcode, .biometricWithState, .biometricWithKeyDeletion, .biometricOrPasscode, .presence, .silent,
    .applicationPIN,
  ]
}
