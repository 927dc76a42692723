internal import AuthenticatorCoding
internal import AuthenticatorRelyingParty

/// Registers a WebAuthn credential for the user named so far.
///
/// Outcomes: `success`; `failure` for a response that does not verify; `unsupported` and `error` as the client reports
/// them, the error's name and message under `WebAuthenticationDOMException` in the shared state; `exceedDeviceLimit`
/// when there is a limit. A credential id that is taken, by whomever, is a failure.
public struct WebAuthnRegistrationNode: TreeNode {
  public static let nodeType = "WebAuthnRegistrationNode"
  /// The client has no WebAuthn.
  public static let unsupported: NodeOutcome = "unsupported"
  /// The ceremony failed on the client.
  public static let error: NodeOutcome = "error"
  /// The user has as many devices as allowed.
  public static let exceedDeviceLimit = DeviceBindingNode.exceedDeviceLimit
  /// How many recovery codes a device comes with.
  static let recoveryCodeCount = 10

  /// What people read as the name of the party that asks.
  public var relyingPartyName = "ForgeRock"
  /// The relying party ID; nil: the server's.
  public var relyingPartyID: String?
  /// The origins that may run the ceremony; empty: the server's.
  public var origins: [String] = []
  /// Whether the person must be verified.
  public var userVerification = WebAuthnUserVerification.preferred
  /// How much the authenticator should prove about itself; verified as
  /// `RegistrationExpectation.AttestationRequirement`.
  public var attestation = WebAuthnAttestationPreference.none
  /// The algorithms that are offered, the preferred one first.
  public var algorithms: [WebAuthnAlgorithm] = [.es256, .rs256]
  /// Which authenticators may be used; nil: any.
  public var attachment: WebAuthnAttachment?
  /// Whether the credential must sign in without a user name; nil: not said.
  public var residentKey: WebAuthnResidentKey?
  /// The name of the trust anchors in the server's configuration; nil: its `trustAnchors`.
  public var trustStore: String?
  /// Whether every issuer of an attestation's certificates must have a revocation list among those of the trust
  /// anchors; otherwise the lists that are there count.
  public var enforcesRevocationCheck = false
  /// The certification that FIDO's metadata must report for the model; nil: none. Needs a `modelPolicy` in the server's
  /// configuration.
  public var certificationLevel: FIDOCertificationLevel?
  /// The time the client has, in seconds.
  public var timeout = 60
  /// Whether the client is told which credentials the user has, so that no authenticator makes a second one.
  public var excludesCredentials = false
  /// Whether the device comes with recovery codes; they stand in the state for `RecoveryCodeDisplay`.
  public var generatesRecoveryCodes = true
  /// Whether the response is kept in the transient state, for nodes of one's own.
  public var storesAttestationData = false
  /// Whether the device is only kept in the state, for `WebAuthnDeviceStorage` to store.
  public var postponesStorage = false
  /// The name in the shared state that holds what people read as the account's name; nil: the user name.
  public var displayNameState: String?
  /// Whether browsers get a script that runs the ceremony, in place of data. Nodes made in Swift send data unless told;
  /// imported ones keep PingAM's default, the script.
  public var asScript = false
  /// How many devices a user may have; 0: any number.
  public var maxSavedDevices = 0

  /// Makes the node with PingAM's defaults, but for `asScript`.
  public init() {}

  /// Makes the node and changes some of its settings.
  public init(_ adjust: (inout WebAuthnRegistrationNode) -> Void) { adjust(&self) }

  public var outcomes: [NodeOutcome] {
    [.success, .failure, Self.unsupported, Self.error]
      + (maxSavedDevices > 0 && !postponesStorage ? [Self.exceedDeviceLimit] : [])
  }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let user = try await context.user(), user.isActive else { return .done(.failure) }
    let party = try RelyingPartyIdentity(domain: relyingPartyID, origins: origins, context)
    guard let answers = context.answers, let challenge = context.endCeremony() else {
      return try await ask(user, party, &context)
    }
    switch WebAuthnQuestion.outcome(in: answers) {
    case .unsupported: return .done(Self.unsupported)
    case .error(let text):
      context.state.shared[NodeContext.WebAuthnState.error] = .string(text)
      return .done(Self.error)
    case .malformed:
      context.logRefusal(WebAuthnVerificationError.Code.responseMalformed.rawValue)
      return .done(.failure)
    case .response(let response):
      do {
        let verdict = try verify(response, challenge, user, party, context)
        return .done(try await finish(response, verdict, user, party, &context))
      } catch let error as WebAuthnVerificationError {
        context.logRefusal(error.code.rawValue)
        return .done(.failure)
      }
    }
  }

  // MARK: Asking

  private func ask(
    _ user: UserRecord, _ party: RelyingPartyIdentity, _ context: inout NodeContext
  ) async throws -> NodeResult {
    if outcomes.contains(Self.exceedDeviceLimit) {
      let devices = try await context.services.registry.devices(
        ofUser: user.id, family: .webAuthn, realm: context.realm)
      guard devices.count < maxSavedDevices else { return .done(Self.exceedDeviceLimit) }
    }
    let excluded = excludesCredentials ? try await context.webAuthnDevices(of: user, at: party) : []
    let displayName = displayNameState.flatMap { context.state.shared[$0]?.stringValue } ?? user.name
    var node = self
    // Without a statement no model could be accepted.
    if node.attestation == .none, context.services.webAuthn.modelPolicy != nil { node.attestation = .direct }
    let question = RegistrationQuestion(
      node: node, party: party, challenge: try context.beginCeremony(),
      userHandle: WebAuthnDevice.userHandleText(of: user.id), userName: user.name, displayName: displayName,
      excluded: try WebAuthnQuestion.ids(of: excluded), extensions: try context.webAuthnExtensions())
    return .ask(
      asScript
        ? WebAuthnQuestion.callbacks(script: question.script) : WebAuthnQuestion.callbacks(data: question.data))
  }

  // MARK: Verifying

  private func verify(
    _ response: WebAuthnOutcome.Response, _ challenge: [UInt8], _ user: UserRecord, _ party: RelyingPartyIdentity,
    _ context: NodeContext
  ) throws -> RegistrationVerdict {
    let parts = response.parts
    guard let object = SignedBytes.decode(parts[1]), let id = try? Base64URL.decode(String(parts[2])) else {
      throw WebAuthnVerificationError(.responseMalformed)
    }
    let trust = try context.attestationTrust(store: trustStore, level: certificationLevel)
    var expectation = RegistrationExpectation(
      ceremony: CeremonyExpectation(
        challenge: challenge, origins: party.origins, relyingPartyID: party.id,
        requiresUserVerification: userVerification == .required),
      algorithms: Set(algorithms.map(\.rawValue)), attestation: attestation.requirement,
      trustAnchors: trust.anchors, modelPolicy: trust.models, userHandle: WebAuthnDevice.userHandle(of: user.id))
    expectation.requiresRevocationLists = enforcesRevocationCheck
    return try expectation.verify(
      ReceivedRegistration(id: id, clientDataJSON: Array(parts[0].utf8), attestationObject: object),
      at: context.now.seconds)
  }

  // MARK: Storing

  private func finish(
    _ response: WebAuthnOutcome.Response, _ verdict: RegistrationVerdict, _ user: UserRecord,
    _ party: RelyingPartyIdentity, _ context: inout NodeContext
  ) async throws -> NodeOutcome {
    // A name with two colons in it has fallen apart; PingAM gives such a device the standard name, too.
    let name = response.parts.count == 4 ? String(response.parts[3]) : nil
    let device = WebAuthnDevice(
      verdict.credential, user: user, name: name, relyingPartyID: party.id,
      uuid: UUIDText.make(from: try context.services.environment.random(16)), now: context.now)
    let outcome = try await store(device.record, user, &context)
    guard outcome == .success else { return outcome }
    context.note(device.record)
    context.state.shared[NodeContext.WebAuthnState.attestationInfo] = verdict.flags.info(response.attachment)
    if storesAttestationData {
      context.state.transient[NodeContext.WebAuthnState.attestationType] = .string(
        verdict.credential.attestation.type.rawValue)
      context.state.transient[NodeContext.WebAuthnState.data] = [
        "clientDataJSON": .string(String(response.parts[0])), "attestationObject": .string(String(response.parts[1])),
        "credentialId": .string(device.record.externalID),
      ]
    }
    return .success
  }

  private func store(
    _ device: DeviceRecord, _ user: UserRecord, _ context: inout NodeContext
  ) async throws -> NodeOutcome {
    guard !postponesStorage else {
      context.state.transient[NodeContext.WebAuthnState.postponedDevice] = .object(device.stateJSON)
      return .success
    }
    return try await context.storeWebAuthnDevice(
      device, of: user, limit: maxSavedDevices, recoveryCodes: generatesRecoveryCodes ? Self.recoveryCodeCount : 0)
  }
}

extension WebAuthnAttestationPreference {
  /// What is demanded of a statement.
  fileprivate var requirement: RegistrationExpectation.AttestationRequirement {
    switch self {
    case .none: .none
    case .indirect: .indirect
    case .direct: .direct
    }
  }
}

extension WebAuthnFlags {
  /// The flags and where the authenticator is, as they stand in the shared state.
  func info(_ attachment: String?) -> JSONValue {
    ["flags": .object(json), "authenticatorAttachment": attachment.map(JSONValue.string) ?? .null]
  }
}
