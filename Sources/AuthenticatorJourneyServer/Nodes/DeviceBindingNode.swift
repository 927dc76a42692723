internal import AuthenticatorCoding
internal import AuthenticatorRelyingParty

/// Binds a key of the device to the user named so far.
///
/// Outcomes: `success`, `failure`, `exceedDeviceLimit` when there is a limit, and the client's error words. Binding the
/// same key for the same user again succeeds; a key id that names anything else fails.
public struct DeviceBindingNode: TreeNode {
  public static let nodeType = "DeviceBindingNode"
  /// The user has as many devices as allowed.
  public static let exceedDeviceLimit: NodeOutcome = "exceedDeviceLimit"
  /// The words a client reports an error with, unless the node is told otherwise.
  public static let defaultClientErrorOutcomes: [NodeOutcome] = ["Unsupported", "Abort", "Timeout"]

  /// The kind of authenticator that is asked for.
  public var authenticationType: WireAuthenticationType
  /// Accepted values of `iss`; nil: those of the server.
  public var applicationIDs: [String]?
  /// What the person reads.
  public var prompt: DevicePrompt
  /// How many devices a user may have; 0: any number.
  public var maxSavedDevices: Int
  /// The time the device has, in seconds.
  public var timeout: Int
  /// Whether the key must come with an attestation.
  public var attestation: Bool
  /// Whether the device is only kept in the state, for `DeviceBindingStorage` to store.
  public var postponesStorage: Bool
  /// The words of a client that lead to outcomes of their own; any other is a failure.
  public var clientErrorOutcomes: [NodeOutcome]

  /// Makes the node.
  public init(
    authenticationType: WireAuthenticationType = .biometricAllowFallback, applicationIDs: [String]? = nil,
    prompt: DevicePrompt = DevicePrompt(), maxSavedDevices: Int = 0, timeout: Int = 60, attestation: Bool = false,
    postponesStorage: Bool = false, clientErrorOutcomes: [NodeOutcome] = defaultClientErrorOutcomes
  ) {
    self.authenticationType = authenticationType
    self.applicationIDs = applicationIDs
    self.prompt = prompt
    self.maxSavedDevices = maxSavedDevices
    self.timeout = timeout
    self.attestation = attestation
    self.postponesStorage = postponesStorage
    self.clientErrorOutcomes = clientErrorOutcomes
  }

  public var outcomes: [NodeOutcome] {
    [.success, .failure] + (maxSavedDevices > 0 ? [Self.exceedDeviceLimit] : []) + clientErrorOutcomes
  }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let user = try await context.user(), user.isActive else { return .done(.failure) }
    guard let answer = context.answers?.first, let challenge = context.memory["challenge"]?.stringValue else {
      return try await ask(user, &context)
    }
    context.memory = [:]
    if let word = answer.text("clientError"), !word.isEmpty {
      let outcome = NodeOutcome(rawValue: word)
      return .done(clientErrorOutcomes.contains(outcome) ? outcome : .failure)
    }
    guard let jws = answer.text("jws"), !jws.isEmpty, let deviceID = answer.text("deviceId"), !deviceID.isEmpty,
      deviceID.utf8.count <= 256
    else { return .done(.failure) }
    let verifier = DeviceBindingVerifier(applicationIDs: applicationIDs ?? context.services.applicationIDs)
    do {
      let (key, proof) = try verifier.verifyBinding(
        jws, userID: user.universalID, challenge: challenge, now: context.now.seconds)
      guard try await isAttested(key, proof, challenge, context) else { return refuse("attestation", context) }
      let device = try record(key, user: user, deviceID: deviceID, name: answer.text("deviceName"), context)
      return .done(try await store(device, &context))
    } catch let error as DeviceBindingVerificationError {
      return refuse(error.check.rawValue, context)
    }
  }

  private func ask(_ user: UserRecord, _ context: inout NodeContext) async throws -> NodeResult {
    if maxSavedDevices > 0 {
      let devices = try await context.services.registry.devices(
        ofUser: user.id, family: .binding, realm: context.realm)
      guard devices.count < maxSavedDevices else { return .done(Self.exceedDeviceLimit) }
    }
    let challenge = try context.makeChallenge()
    context.memory = ["challenge": .string(challenge)]
    return .ask([
      ServerCallback(
        "DeviceBindingCallback",
        output: [
          "userId": .string(user.universalID), "username": .string(user.name),
          "authenticationType": .string(authenticationType.rawValue), "challenge": .string(challenge),
          "title": .string(prompt.title), "subtitle": .string(prompt.subtitle),
          "description": .string(prompt.description), "timeout": .integer(Int64(timeout)),
          "attestation": .bool(attestation),
        ],
        inputs: [.init("jws"), .init("deviceName"), .init("deviceId"), .init("clientError")])
    ])
  }

  private func refuse(_ check: String, _ context: NodeContext) -> NodeResult {
    context.services.log(.proofRefused(journey: context.journey, check: check))
    return .done(.failure)
  }

  private func isAttested(
    _ key: BoundKey, _ proof: DeviceProof, _ challenge: String, _ context: NodeContext
  ) async throws -> Bool {
    guard attestation else { return true }
    guard let judge = context.services.attestationJudge, let certificates = key.attestationCertificates,
      let point = key.publicKey.x963Representation
    else { return false }
    return try await judge(certificates, challenge, point)
  }

  private func record(
    _ key: BoundKey, user: UserRecord, deviceID: String, name: String?, _ context: NodeContext
  ) throws -> DeviceRecord {
    let now = context.now
    return DeviceRecord(
      family: .binding, realm: context.realm, externalID: key.keyID, userID: user.id,
      uuid: UUIDText.make(from: try context.services.environment.random(16)),
      name: DisplayText.deviceName(name, otherwise: "My Device"),
      deviceID: deviceID, key: key.jwk, createdAt: now, lastAccessAt: now)
  }

  private func store(_ device: DeviceRecord, _ context: inout NodeContext) async throws -> NodeOutcome {
    if postponesStorage {
      context.state.transient[DeviceBindingStorage.stateName] = .object(device.stateJSON)
      return .success
    }
    switch try await context.services.registry.addDevice(device, limit: maxSavedDevices) {
    case .added, .alreadyPresent: return .success
    case .limitReached: return Self.exceedDeviceLimit
    case .conflict:
      context.services.log(.proofRefused(journey: context.journey, check: "keyTaken"))
      return .failure
    }
  }
}
