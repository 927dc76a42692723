internal import AuthenticatorCoding

/// `GET /v1/environment`: the switches, for everybody, even when the rest is off.
enum EnvironmentEndpoint {
  static func respond(to call: FrontendCall) throws(FrontendFailure) -> ServerResponse {
    try call.require("GET")
    let settings = call.settings
    var native: JSONObject = [
      "object": "native_settings", "api_enabled": .bool(settings.nativeAPI),
      "trusted_device_sign_in_enabled": .bool(settings.trustedDevices),
      "trusted_device_enrollment_prompt_after_sign_in_enabled": .bool(settings.promptAfterSignIn),
      "trusted_device_enrollment_prompt_after_sign_up_enabled": .bool(settings.promptAfterSignUp),
    ]
    if settings.urlFamilies.contains(.biometricCredentials) {
      native["biometric_sign_in_enabled"] = .bool(settings.trustedDevices)
    }
    let mode: JSONValue = settings.signUp ? "public" : "restricted"
    return call.json([
      "auth_config": [
        "object": "auth_config", "single_session_mode": .bool(settings.singleSession),
        "native_settings": .object(native),
      ],
      "display_config": ["object": "display_config", "instance_environment_type": "development"],
      "user_settings": [
        "attributes": ["username": attribute, "password": attribute], "sign_up": ["mode": mode],
      ], "maintenance_mode": false,
    ])
  }

  private static let attribute: JSONValue = ["enabled": true, "required": true, "used_for_first_factor": true]
}
