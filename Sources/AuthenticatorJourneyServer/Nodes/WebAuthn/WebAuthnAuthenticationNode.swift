internal import AuthenticatorCoding
internal import AuthenticatorRelyingParty

/// Has a registered WebAuthn credential sign a challenge.
///
/// Outcomes: `success`; `failure` for a response that does not verify, also of a credential that is not known;
/// `unsupported` and `error` as the client reports them, the error's name and message under
/// `WebAuthenticationDOMException` in the shared state; `noDevice` when the named user has none; `recoveryCode` when
/// the person chose that; `successSignCountMismatch` when the node tells it apart.
public struct WebAuthnAuthenticationNode: TreeNode {
  public static let nodeType = "WebAuthnAuthenticationNode"
  /// The named user has no credential.
  public static let noDevice: NodeOutcome = "noDevice"
  /// The person wants to use a recovery code.
  public static let recoveryCode: NodeOutcome = "recoveryCode"
  /// Everything is in order but the counter, which did not rise: the authenticator may have been copied.
  public static let successSignCountMismatch: NodeOutcome = "successSignCountMismatch"

  /// The relying party ID; nil: the server's.
  public var relyingPartyID: String?
  /// The origins that may run the ceremony; empty: the server's.
  public var origins: [String] = []
  /// Whether the person must be verified.
  public var userVerification = WebAuthnUserVerification.preferred
  /// Whether a button leads to the outcome `recoveryCode`.
  public var allowsRecoveryCode = false
  /// The time the client has, in seconds.
  public var timeout = 60
  /// Whether the credential says who the user is. A user named before must be the same.
  public var takesUsernameFromDevice = false
  /// Whether a counter that did not rise is an outcome of its own; otherwise it is a failure.
  public var detectsSignCountMismatch = false
  /// Whether somebody without a credential is asked for one to three all the same, always the same ones that nobody
  /// has. Then a stranger does not learn who has credentials or which names exist, and the outcome `noDevice` never
  /// happens.
  public var concealsMissingDevices = false
  /// Whether the browser should offer the credential among a form's suggestions.
  public var isConditional = false
  /// Whether browsers get a script that runs the ceremony, in place of data. Nodes made in Swift send data unless told;
  /// imported ones keep PingAM's default, the script.
  public var asScript = false

  /// Makes the node with PingAM's defaults, but for `asScript`.
  public init() {}

  /// Makes the node and changes some of its settings.
  public init(_ adjust: (inout WebAuthnAuthenticationNode) -> Void) { adjust(&self) }

  public var outcomes: [NodeOutcome] {
    [.success, .failure, WebAuthnRegistrationNode.unsupported, WebAuthnRegistrationNode.error, Self.noDevice]
      + (allowsRecoveryCode ? [Self.recoveryCode] : [])
      + (detectsSignCountMismatch ? [Self.successSignCountMismatch] : [])
  }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    let party = try RelyingPartyIdentity(domain: relyingPartyID, origins: origins, context)
    guard let answers = context.answers, let challenge = context.endCeremony() else {
      return try await ask(party, &context)
    }
    let button = answers.first { $0.type == "ConfirmationCallback" }
    if allowsRecoveryCode, button?.integer() == 0 { return .done(Self.recoveryCode) }
    switch WebAuthnQuestion.outcome(in: answers) {
    case .unsupported: return .done(WebAuthnRegistrationNode.unsupported)
    case .error(let text):
      context.state.shared[NodeContext.WebAuthnState.error] = .string(text)
      return .done(WebAuthnRegistrationNode.error)
    case .malformed:
      context.logRefusal(WebAuthnVerificationError.Code.responseMalformed.rawValue)
      return .done(.failure)
    case .response(let response):
      do {
        return .done(try await verify(response, challenge, party, &context))
      } catch let error as WebAuthnVerificationError {
        context.logRefusal(error.code.rawValue)
        return .done(.failure)
      }
    }
  }

  // MARK: Asking

  private func ask(_ party: RelyingPartyIdentity, _ context: inout NodeContext) async throws -> NodeResult {
    var allowed: [[UInt8]] = []
    if !takesUsernameFromDevice {
      if let user = try await context.user(), user.isActive {
        allowed = try WebAuthnQuestion.ids(of: try await context.webAuthnDevices(of: user, at: party))
      }
      if allowed.isEmpty {
        guard concealsMissingDevices, let name = context.state.username else { return .done(Self.noDevice) }
        allowed = context.services.pseudonyms.credentialIDs(for: name, in: context.realm)
      }
    }
    let question = AuthenticationQuestion(
      node: self, party: party, challenge: try context.beginCeremony(), allowed: allowed,
      extensions: try context.webAuthnExtensions())
    var callbacks =
      asScript ? WebAuthnQuestion.callbacks(script: question.script) : WebAuthnQuestion.callbacks(data: question.data)
    if allowsRecoveryCode { callbacks.append(.confirmation(options: ["Use Recovery Code"], defaultOption: 0)) }
    return .ask(callbacks)
  }

  // MARK: Verifying

  private func verify(
    _ response: WebAuthnOutcome.Response, _ challenge: [UInt8], _ party: RelyingPartyIdentity,
    _ context: inout NodeContext
  ) async throws -> NodeOutcome {
    let received = try Self.read(response)
    let registry = context.services.registry
    guard
      let record = try await registry.device(
        WebAuthnDevice.externalID(received.id), family: .webAuthn, realm: context.realm)
    else {
      throw WebAuthnVerificationError(.credentialNotAllowed)
    }
    guard let owner = try await registry.user(id: record.userID, in: context.realm) else {
      throw WebAuthnVerificationError(.userHandleMismatch)
    }
    try checkOwner(owner, received.userHandle, context)
    let device = try WebAuthnDevice(record)
    let expectation = AuthenticationExpectation(
      ceremony: CeremonyExpectation(
        challenge: challenge, origins: party.origins, relyingPartyID: party.id,
        requiresUserVerification: userVerification == .required),
      account: .known(WebAuthnDevice.userHandle(of: owner.id)),
      signCountPolicy: detectsSignCountMismatch ? .flag : .reject,
      backupEligibilityPolicy: context.services.webAuthn.backupEligibilityPolicy)
    let verdict = try expectation.verify(received, with: device.credential)
    guard owner.isActive else {
      context.logRefusal("inactiveUser")
      return .failure
    }
    let hasRisen = try await store(verdict, of: device, context)
    context.state.username = owner.name
    context.note(record)
    context.state.shared[NodeContext.WebAuthnState.assertionInfo] = verdict.flags.info(response.attachment)
    return hasRisen ? .success : Self.successSignCountMismatch
  }

  /// The user named before must own the credential; where the credential names the user, it must do so.
  private func checkOwner(
    _ owner: UserRecord, _ handle: [UInt8]?, _ context: NodeContext
  ) throws(WebAuthnVerificationError) {
    if takesUsernameFromDevice, handle == nil { throw WebAuthnVerificationError(.userHandleMissing) }
    if let name = context.state.username {
      guard UserRecord.nameKey(name) == UserRecord.nameKey(owner.name) else {
        throw WebAuthnVerificationError(.userHandleMismatch)
      }
    } else if !takesUsernameFromDevice {
      throw WebAuthnVerificationError(.userHandleMismatch)
    }
  }

  /// False: the counter did not rise, and the node tells that apart.
  private func store(
    _ verdict: AuthenticationVerdict, of device: WebAuthnDevice, _ context: NodeContext
  ) async throws -> Bool {
    let registry = context.services.registry
    if !verdict.isSignCountMismatched {
      // Somebody else may have signed in with this credential, or removed it, since it was read.
      if try await registry.advanceDevice(device.updated(to: verdict.credential, now: context.now)) { return true }
      let isThere = try await registry.device(device.record.externalID, family: .webAuthn, realm: context.realm) != nil
      guard isThere, detectsSignCountMismatch else {
        throw WebAuthnVerificationError(isThere ? .signCountMismatch : .credentialNotAllowed)
      }
    }
    context.logRefusal(WebAuthnVerificationError.Code.signCountMismatch.rawValue)
    try await registry.touchDevice(device.record, at: context.now)
    return false
  }

  private static func read(
    _ response: WebAuthnOutcome.Response
  ) throws(WebAuthnVerificationError) -> ReceivedAuthentication {
    let parts = response.parts
    guard (4...5).contains(parts.count), let data = SignedBytes.decode(parts[1]),
      let signature = SignedBytes.decode(parts[2]), let id = try? Base64URL.decode(String(parts[3]))
    else { throw WebAuthnVerificationError(.responseMalformed) }
    let handle = parts.count == 5 && !parts[4].isEmpty ? Array(parts[4].utf8) : nil
    return ReceivedAuthentication(
      id: id, clientDataJSON: Array(parts[0].utf8), authenticatorData: data, signature: signature, userHandle: handle)
  }
}
