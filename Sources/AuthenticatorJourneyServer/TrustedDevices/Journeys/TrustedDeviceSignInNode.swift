internal import AuthenticatorCoding
internal import AuthenticatorRelyingParty

/// Has a trusted device sign a challenge.
///
/// With a user name in the state only that user's credentials count; without one the credential says who the user is,
/// who is the journey's user from then on. Outcomes and state as those of `TrustedDeviceEnrollNode`.
public struct TrustedDeviceSignInNode: TreeNode {
  public static let nodeType = "TrustedDeviceSignInNode"
  public let outcomes: [NodeOutcome] = [
    .success, .failure, TrustedDeviceEnrollNode.unsupported, TrustedDeviceEnrollNode.clientError,
  ]
  /// What the person reads.
  public var reason: String
  /// The time the device has, in seconds.
  public var timeout: Int

  /// Makes the node.
  public init(reason: String = "Use biometrics to sign in.", timeout: Int = 60) {
    self.reason = reason
    self.timeout = timeout
  }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard context.services.trustedDevices.settings.trustedDevices else {
      return .done(TrustedDeviceEnrollNode.unsupported)
    }
    guard context.answers != nil, let challenge = JourneyChallenge(memory: context.memory) else {
      return try await ask(&context)
    }
    context.memory = [:]
    let outcome = context.trustedDeviceOutcome
    if let end = context.trustedDeviceEnd(outcome, unsupportedToo: TrustedDeviceOutcome.noKey) { return end }
    guard case .answer(let members) = outcome else { return .done(.failure) }
    do {
      context.state.username = try await verify(members, challenge, context).name
      return .done(.success)
    } catch let failure as FrontendFailure {
      return context.refuseTrustedDevice(failure)
    }
  }

  private func ask(_ context: inout NodeContext) async throws -> NodeResult {
    let challenge = try JourneyChallenge(
      .signIn, lifetime: .seconds(timeout), context.services.trustedDevices, now: context.now)
    context.memory = challenge.memory
    var data: JSONObject = [
      "_type": "TrustedDevice", "_action": "trusted_device_sign_in", "challenge": challenge.challenge.json,
    ]
    if let name = context.state.username {
      data["user_id"] = .string(try await context.services.userID(ofUserNamed: name, in: context.realm))
    }
    data["reason"] = .string(reason)
    data["timeout"] = .integer(Int64(timeout))
    return NodeContext.trustedDevicePage(data)
  }

  /// Whose device it is. Throws `FrontendFailure`.
  private func verify(
    _ members: [String: String], _ challenge: JourneyChallenge, _ context: NodeContext
  ) async throws -> UserRecord {
    let services = context.services.trustedDevices
    let id = try members.required("trusted_device_id")
    let clientData = try members.required("client_data")
    let (signature, algorithm) = (try members.required("signature"), try members.required("algorithm"))
    let app = try members.required("app_identifier")
    try challenge.check(clientData, now: context.now)
    let stored = id.utf8.count <= 64 ? try await services.registry.trustedDevice(id, realm: context.realm) : nil
    guard let device = stored else { throw FrontendFailure(.formResourceNotFound, "trusted_device_id") }
    guard device.isActive else { throw FrontendFailure(.trustedDeviceNotRegistered, "trusted_device_id") }
    guard device.appIdentifier == app else { throw FrontendFailure(.trustedDeviceBindingMismatch, "app_identifier") }
    try TrustedDeviceProof.check(
      clientData: clientData, signature: signature, algorithm: algorithm,
      by: try TrustedDeviceKey(x963Representation: device.publicKey))
    guard let user = try await services.registry.user(id: device.userID, in: context.realm) else {
      throw FrontendFailure(.trustedDeviceNotRegistered, "trusted_device_id")
    }
    if let name = context.state.username, UserRecord.nameKey(name) != UserRecord.nameKey(user.name) {
      throw FrontendFailure(.trustedDeviceBindingMismatch, "trusted_device_id")
    }
    guard user.isActive else { throw FrontendFailure(.userBanned) }
    guard try await services.registry.noteTrustedDeviceUse(id, realm: context.realm, at: context.now) else {
      throw FrontendFailure(.trustedDeviceNotRegistered, "trusted_device_id")
    }
    return user
  }
}
