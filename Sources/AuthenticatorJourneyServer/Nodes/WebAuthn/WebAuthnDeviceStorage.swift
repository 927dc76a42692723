internal import AuthenticatorCoding
internal import AuthenticatorCrypto
internal import AuthenticatorRelyingParty

/// Stores the credential that a `WebAuthnRegistrationNode` has kept in the state; asks the client nothing.
///
/// Outcomes: `success`; `failure`, also when there is nothing to store; `exceedDeviceLimit` when there is a limit.
public struct WebAuthnDeviceStorage: TreeNode {
  public static let nodeType = "WebAuthnDeviceStorageNode"
  /// Whether the device comes with recovery codes; they stand in the state for `RecoveryCodeDisplay`.
  public var generatesRecoveryCodes: Bool
  /// How many devices a user may have; 0: any number.
  public var maxSavedDevices: Int

  /// Makes the node.
  public init(generatesRecoveryCodes: Bool = true, maxSavedDevices: Int = 0) {
    self.generatesRecoveryCodes = generatesRecoveryCodes
    self.maxSavedDevices = maxSavedDevices
  }

  public var outcomes: [NodeOutcome] {
    [.success, .failure] + (maxSavedDevices > 0 ? [WebAuthnRegistrationNode.exceedDeviceLimit] : [])
  }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    let kept = context.state.transient[NodeContext.WebAuthnState.postponedDevice]?.objectValue
    context.state.transient[NodeContext.WebAuthnState.postponedDevice] = nil
    guard let kept, let user = try await context.user(), user.isActive,
      let device = DeviceRecord(stateJSON: kept, family: .webAuthn, realm: context.realm), device.userID == user.id
    else { return .done(.failure) }
    return .done(
      try await context.storeWebAuthnDevice(
        device, of: user, limit: maxSavedDevices,
        recoveryCodes: generatesRecoveryCodes ? WebAuthnRegistrationNode.recoveryCodeCount : 0))
  }
}

extension NodeContext {
  /// Stores a credential with `recoveryCodes` new recovery codes, which stand in the transient state afterwards.
  mutating func storeWebAuthnDevice(
    _ device: DeviceRecord, of user: UserRecord, limit: Int, recoveryCodes count: Int
  ) async throws -> NodeOutcome {
    let codes = try await services.passwords.makeRecoveryCodes(count, for: user, deviceUUID: device.uuid)
    switch try await services.registry.addDevice(device, recoveryCodes: codes.map(\.record), limit: limit) {
    case .added: break
    case .limitReached: return WebAuthnRegistrationNode.exceedDeviceLimit
    case .alreadyPresent, .conflict:
      // A registration makes a new credential, so one that is here already is no new one, whoever has it.
      logRefusal(WebAuthnVerificationError.Code.credentialAlreadyRegistered.rawValue)
      return .failure
    }
    if !codes.isEmpty {
      state.transient[RecoveryCodeDisplay.codesStateName] = .array(codes.map { .string($0.text) })
      state.transient[RecoveryCodeDisplay.deviceStateName] = .string(device.name)
    }
    return .success
  }

  /// What vouches for attestation, by the server's configuration. Throws `TreeFault` for what that does not have.
  func attestationTrust(
    store: String?, level: FIDOCertificationLevel?
  ) throws -> (anchors: TrustAnchors?, models: ModelPolicy?) {
    let configuration = services.webAuthn
    var anchors = configuration.trustAnchors
    if let store {
      guard let named = configuration.trustStores[store] else {
        throw TreeFault(tree: journey, step: nodeID, "names trust anchors that are not there")
      }
      anchors = named
    }
    guard let level else { return (anchors, configuration.modelPolicy) }
    guard var models = configuration.modelPolicy else {
      throw TreeFault(tree: journey, step: nodeID, "asks for certified models without metadata")
    }
    models.requiredStatuses = level.statuses
    models.acceptsUnknownModels = false
    return (anchors, models)
  }
}
