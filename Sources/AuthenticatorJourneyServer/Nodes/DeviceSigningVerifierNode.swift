internal import AuthenticatorCoding
internal import AuthenticatorRelyingParty

/// Has a bound device sign a challenge.
///
/// With a user name in the state only that user's devices count; without one the proof itself names the user, who is
/// the journey's user from then on. Outcomes: `success`, `failure`, `keyNotFound`, `noDeviceRegistered` when wanted,
/// and the client's error words. Why a proof failed stands in the shared state under `failureStateName`.
public struct DeviceSigningVerifierNode: TreeNode {
  public static let nodeType = "DeviceSigningVerifierNode"
  /// The proof names a key that nobody has bound.
  public static let keyNotFound: NodeOutcome = "keyNotFound"
  /// The named user has no device.
  public static let noDeviceRegistered: NodeOutcome = "noDeviceRegistered"
  /// The words a client reports an error with, unless the node is told otherwise.
  public static let defaultClientErrorOutcomes: [NodeOutcome] = [
    "Unsupported", "Abort", "Timeout", "ClientNotRegistered",
  ]
  /// Holds `INVALID_CLAIM`, `INVALID_SIGNATURE` and their like after a failure.
  public static let failureStateName = "DeviceSigningVerifierNode.FAILURE"

  /// Accepted values of `iss`; nil: those of the server.
  public var applicationIDs: [String]?
  /// What the person reads.
  public var prompt: DevicePrompt
  /// The time the device has, in seconds.
  public var timeout: Int
  /// Whether a named user without devices ends with `noDeviceRegistered` before anything is asked. That tells a
  /// stranger who has devices; without it everybody is asked alike.
  public var reportsMissingDevices: Bool
  /// The words of a client that lead to outcomes of their own; any other is a failure.
  public var clientErrorOutcomes: [NodeOutcome]

  /// Makes the node.
  public init(
    applicationIDs: [String]? = nil, prompt: DevicePrompt = DevicePrompt(), timeout: Int = 60,
    reportsMissingDevices: Bool = false, clientErrorOutcomes: [NodeOutcome] = defaultClientErrorOutcomes
  ) {
    self.applicationIDs = applicationIDs
    self.prompt = prompt
    self.timeout = timeout
    self.reportsMissingDevices = reportsMissingDevices
    self.clientErrorOutcomes = clientErrorOutcomes
  }

  public var outcomes: [NodeOutcome] {
    [.success, .failure, Self.keyNotFound] + (reportsMissingDevices ? [Self.noDeviceRegistered] : [])
      + clientErrorOutcomes
  }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let answer = context.answers?.first, let challenge = context.memory["challenge"]?.stringValue else {
      return try await ask(&context)
    }
    context.memory = [:]
    if let word = answer.text("clientError"), !word.isEmpty {
      let outcome = NodeOutcome(rawValue: word)
      return .done(clientErrorOutcomes.contains(outcome) ? outcome : .failure)
    }
    guard let jws = answer.text("jws"), !jws.isEmpty else { return .done(.failure) }
    do {
      return .done(try await verify(jws, challenge, &context))
    } catch let error as DeviceBindingVerificationError {
      context.services.log(.proofRefused(journey: context.journey, check: error.check.rawValue))
      return .done(fail(error.reason, &context))
    }
  }

  private func ask(_ context: inout NodeContext) async throws -> NodeResult {
    var userID = ""
    if let name = context.state.username {
      if reportsMissingDevices, let user = try await context.user() {
        let devices = try await context.services.registry.devices(
          ofUser: user.id, family: .binding, realm: context.realm)
        if devices.isEmpty { return .done(Self.noDeviceRegistered) }
      }
      userID = try await context.services.universalID(ofUserNamed: name, in: context.realm)
    }
    let challenge = try context.makeChallenge()
    context.memory = ["challenge": .string(challenge)]
    return .ask([
      ServerCallback(
        "DeviceSigningVerifierCallback",
        output: [
          "userId": .string(userID), "challenge": .string(challenge), "title": .string(prompt.title),
          "subtitle": .string(prompt.subtitle), "description": .string(prompt.description),
          "timeout": .integer(Int64(timeout)),
        ], inputs: [.init("jws"), .init("clientError")])
    ])
  }

  private func fail(_ reason: DeviceBindingVerificationError.Reason, _ context: inout NodeContext) -> NodeOutcome {
    context.state.shared[Self.failureStateName] = .string(reason.rawValue)
    return .failure
  }

  private func verify(
    _ jws: String, _ challenge: String, _ context: inout NodeContext
  ) async throws -> NodeOutcome {
    let proof = try DeviceProof(jws)
    let registry = context.services.registry
    guard let device = try await registry.device(proof.keyID, family: .binding, realm: context.realm) else {
      return Self.keyNotFound
    }
    guard let owner = try await registry.user(id: device.userID, in: context.realm) else {
      return fail(.invalidUser, &context)
    }
    if let name = context.state.username, UserRecord.nameKey(name) != UserRecord.nameKey(owner.name) {
      throw DeviceBindingVerificationError(.subject)
    }
    let key = try BoundKey(jwk: .object(device.key), keyID: device.externalID)
    let verifier = DeviceBindingVerifier(applicationIDs: applicationIDs ?? context.services.applicationIDs)
    try verifier.verifySigning(
      proof, key: key, userID: owner.universalID, challenge: challenge, now: context.now.seconds)
    guard owner.isActive else { return fail(.inactiveUser, &context) }
    try await registry.touchDevice(device, at: context.now)
    context.state.username = owner.name
    return .success
  }
}
