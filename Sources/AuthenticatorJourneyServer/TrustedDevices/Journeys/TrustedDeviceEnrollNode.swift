internal import AuthenticatorCoding
internal import AuthenticatorRelyingParty

/// Enrolls the device in front of the user named so far as a trusted device.
///
/// Outcomes: `success`, `failure`, `unsupported` (the device cannot, or the feature is off), `clientError` (it reports
/// another error). The reason of a failure stands in the shared state under `trustedDeviceFailure`, the client's word
/// under `trustedDeviceClientError`.
public struct TrustedDeviceEnrollNode: TreeNode {
  public static let nodeType = "TrustedDeviceEnrollNode"
  /// The device cannot do it at all.
  public static let unsupported: NodeOutcome = "unsupported"
  /// The device could not do it this time.
  public static let clientError: NodeOutcome = "clientError"

  /// How the key is guarded at least.
  public enum Policy: String, Hashable, Sendable, CaseIterable {
    /// By biometrics, or the device passcode in their place.
    case biometryOrDevicePasscode = "biometry_or_device_passcode"
    /// By biometrics.
    case biometryAny = "biometry_any"
    /// By the biometrics that are enrolled now.
    case biometryCurrentSet = "biometry_current_set"
  }

  public let outcomes: [NodeOutcome] = [.success, .failure, unsupported, clientError]
  /// How the key is guarded at least. The server cannot see it: it is a request to the client.
  public var policy: Policy
  /// What the person reads.
  public var reason: String
  /// The time the device has, in seconds.
  public var timeout: Int

  /// Makes the node.
  public init(
    policy: Policy = .biometryOrDevicePasscode, reason: String = "Use biometrics to enroll this device.",
    timeout: Int = 60
  ) {
    self.policy = policy
    self.reason = reason
    self.timeout = timeout
  }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let user = try await context.user(), user.isActive else { return .done(.failure) }
    guard context.services.trustedDevices.settings.trustedDevices else { return .done(Self.unsupported) }
    guard context.answers != nil, let challenge = JourneyChallenge(memory: context.memory) else {
      return try ask(user, &context)
    }
    context.memory = [:]
    let outcome = context.trustedDeviceOutcome
    if let end = context.trustedDeviceEnd(outcome) { return end }
    guard case .answer(let members) = outcome else { return .done(.failure) }
    do {
      try await enroll(members, challenge, user, context)
      return .done(.success)
    } catch let failure as FrontendFailure {
      return context.refuseTrustedDevice(failure)
    }
  }

  private func ask(_ user: UserRecord, _ context: inout NodeContext) throws -> NodeResult {
    let challenge = try JourneyChallenge(
      .enroll, lifetime: .seconds(timeout), context.services.trustedDevices, now: context.now)
    context.memory = challenge.memory
    return NodeContext.trustedDevicePage([
      "_type": "TrustedDevice", "_action": "trusted_device_enroll", "challenge": challenge.challenge.json,
      "trusted_device_id": challenge.enrolledID.map(JSONValue.string) ?? .null, "user_id": .string(user.id),
      "username": .string(user.name), "policy": .string(policy.rawValue), "reason": .string(reason),
      "timeout": .integer(Int64(timeout)),
    ])
  }

  /// Throws `FrontendFailure`.
  private func enroll(
    _ members: [String: String], _ challenge: JourneyChallenge, _ user: UserRecord, _ context: NodeContext
  ) async throws {
    let services = context.services.trustedDevices
    let clientData = try members.required("client_data")
    let signature = try members.required("signature")
    try challenge.check(clientData, now: context.now)
    let fields = try EnrollmentFields({ members[$0] }, appIdentifiers: services.appIdentifiers)
    try TrustedDeviceProof.check(
      clientData: clientData, signature: signature, algorithm: fields.algorithm, by: fields.key)
    let record = fields.record(
      id: try challenge.enrolledID ?? services.makeID(.device), user: user, clientID: nil,
      installation: members["installation_id"], now: context.now)
    switch try await services.registry.enrollTrustedDevice(record, challenge: nil, rules: services.enrollmentRules) {
    case .enrolled: return
    case .alreadyEnrolled: throw FrontendFailure(.trustedDeviceAlreadyEnrolled)
    case .quotaExceeded: throw FrontendFailure(.trustedDeviceCredentialQuotaExceeded)
    case .challengeUsed: throw FrontendFailure(.trustedDeviceChallengeNotFound)
    }
  }
}
