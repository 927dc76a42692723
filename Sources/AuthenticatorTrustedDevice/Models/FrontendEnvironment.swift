import AuthenticatorCoding
import AuthenticatorCore

/// The server's switches that concern trusted devices. Absent ones are off.
public struct FrontendEnvironment: Hashable, Sendable {
  /// Whether native apps may use the interface at all.
  public var isNativeAPIEnabled: Bool
  /// Whether trusted devices may sign in.
  public var isTrustedDeviceSignInEnabled: Bool
  /// Whether enrollment is to be offered after a sign-in.
  public var offersEnrollmentAfterSignIn: Bool
  /// Whether enrollment is to be offered after a sign-up.
  public var offersEnrollmentAfterSignUp: Bool

  /// Makes settings; all off unless said.
  public init(
    isNativeAPIEnabled: Bool = false, isTrustedDeviceSignInEnabled: Bool = false,
    offersEnrollmentAfterSignIn: Bool = false, offersEnrollmentAfterSignUp: Bool = false
  ) {
    self.isNativeAPIEnabled = isNativeAPIEnabled
    self.isTrustedDeviceSignInEnabled = isTrustedDeviceSignInEnabled
    self.offersEnrollmentAfterSignIn = offersEnrollmentAfterSignIn
    self.offersEnrollmentAfterSignUp = offersEnrollmentAfterSignUp
  }

  /// Reads `auth_config.native_settings`; a missing object or flag is off. Later servers call the flags
  /// `biometric_sign_in_enabled` and the like; either name counts.
  /// - Throws: `invalidMessage` for a flag that is no boolean.
  public init(_ json: JSONObject) throws {
    self.init()
    guard let settings = json["auth_config"]?["native_settings"], !settings.isNull else { return }
    let reader = try MemberReader(settings, of: "native settings")
    isNativeAPIEnabled = try reader.optionalFlag("api_enabled") ?? false
    isTrustedDeviceSignInEnabled = try Self.flag(reader, "sign_in_enabled")
    offersEnrollmentAfterSignIn = try Self.flag(reader, "enrollment_prompt_after_sign_in_enabled")
    offersEnrollmentAfterSignUp = try Self.flag(reader, "enrollment_prompt_after_sign_up_enabled")
  }

  private static func flag(_ reader: MemberReader, _ name: String) throws -> Bool {
    try reader.optionalFlag("trusted_device_" + name) ?? reader.optionalFlag("biometric_" + name) ?? false
  }

  /// The object as the server writes it.
  public var json: JSONObject {
    var settings = JSONObject([("object", "native_settings")])
    settings["api_enabled"] = .bool(isNativeAPIEnabled)
    settings["trusted_device_sign_in_enabled"] = .bool(isTrustedDeviceSignInEnabled)
    settings["trusted_device_enrollment_prompt_after_sign_in_enabled"] = .bool(offersEnrollmentAfterSignIn)
    settings["trusted_device_enrollment_prompt_after_sign_up_enabled"] = .bool(offersEnrollmentAfterSignUp)
    let configuration = JSONObject([("native_settings", .object(settings))])
    return JSONObject([("auth_config", .object(configuration))])
  }

  /// Why the feature is off; nil when it is on.
  var closedReason: TrustedDeviceAvailability.UnavailableReason? {
    if !isNativeAPIEnabled { return .nativeAPIDisabled }
    return isTrustedDeviceSignInEnabled ? nil : .featureDisabled
  }
}
