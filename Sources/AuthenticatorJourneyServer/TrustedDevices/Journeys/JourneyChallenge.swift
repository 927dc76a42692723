internal import AuthenticatorCoding
internal import AuthenticatorCore

/// A challenge of a journey. It is kept in the journey's state, which is sealed and good for one answer, so nothing of
/// it has to be sealed in itself.
struct JourneyChallenge: Hashable, Sendable {
  let challenge: DeviceChallenge
  /// The id that a credential enrolled with it gets.
  let enrolledID: String?

  /// Makes one that ends with the challenge's lifetime, or with the step that carries it.
  init(_ purpose: DeviceChallenge.Purpose, lifetime: Duration, _ services: TrustedDeviceServices, now: UnixTime) throws
  {
    let random = services.environment.random
    challenge = DeviceChallenge(
      id: try services.makeID(.challenge), challenge: Base64URL.encode(try random(32)), purpose: purpose,
      expiresAt: now.advanced(by: min(lifetime, services.settings.challengeLifetime)))
    enrolledID = purpose == .enroll ? try services.makeID(.device) : nil
  }

  var memory: JSONObject {
    var memory: JSONObject = [
      "id": .string(challenge.id), "challenge": .string(challenge.challenge),
      "purpose": .string(challenge.purpose.rawValue), "expires": .integer(challenge.expiresAt.milliseconds),
    ]
    if let enrolledID { memory["device"] = .string(enrolledID) }
    return memory
  }

  init?(memory: JSONObject) {
    guard let id = memory["id"]?.stringValue, let text = memory["challenge"]?.stringValue,
      let purpose = memory["purpose"]?.stringValue.flatMap(DeviceChallenge.Purpose.init),
      let expires = memory["expires"]?.intValue
    else { return nil }
    challenge = DeviceChallenge(
      id: id, challenge: text, purpose: purpose, expiresAt: UnixTime(milliseconds: Int64(expires)))
    enrolledID = memory["device"]?.stringValue
  }

  /// Compares what was signed with what was sent.
  ///
  /// Throws `FrontendFailure`: `trusted_device_invalid_client_data`, `trusted_device_challenge_expired`.
  func check(_ clientData: String, now: UnixTime) throws(FrontendFailure) {
    guard clientData.isIdentical(to: challenge.clientData) else {
      throw FrontendFailure(.trustedDeviceInvalidClientData, "client_data")
    }
    guard now < challenge.expiresAt else { throw FrontendFailure(.trustedDeviceChallengeExpired, "client_data") }
  }
}

extension Dictionary where Key == String, Value == String {
  /// A member of a client's answer.
  ///
  /// Throws `FrontendFailure` (`form_param_missing`) when it is absent or empty.
  func required(_ name: String) throws(FrontendFailure) -> String {
    guard let value = self[name], !value.isEmpty else { throw FrontendFailure(.formParamMissing, name) }
    return value
  }
}
