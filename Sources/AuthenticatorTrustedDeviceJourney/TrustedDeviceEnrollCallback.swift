import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTrustedDevice
import DeviceAuthenticators

/// Asks the device to enroll itself for the user as a trusted device.
///
/// Call `enroll`, then `ContinueNode.next()`, whether enrolling succeeded or threw: with the node given, the answer is
/// in its place. The new key stands beside a former one until the server has gone on; only then does it take its place,
/// inside `next()`. After a refusal, a cancel or a timeout nothing of the new key is left and the former one works on.
public final class TrustedDeviceEnrollCallback: TrustedDeviceCallback {
  static let action = "trusted_device_enroll"

  /// The name the credential will have on the server.
  public let trustedDeviceID: String
  /// The server's identifier of the user; goes into the record.
  public let userID: String
  /// The user's name, for display.
  public let username: String
  /// The weakest policy that the server asks for.
  public let policy: TrustedDevicePolicy

  private var staged: (record: KeyRecord, ceremony: TrustedDeviceCeremony, known: Set<KeyTag>)?

  /// Reads the step.
  /// - Throws: `invalidMessage`, naming the first member that is missing or malformed.
  public required init(_ payload: CallbackPayload) throws {
    let data = payload.output("data")?.objectValue ?? JSONObject()
    trustedDeviceID = try Self.text(data, "trusted_device_id")
    userID = try Self.text(data, "user_id")
    username = try Self.text(data, "username")
    policy = TrustedDevicePolicy(rawValue: try Self.text(data, "policy"))
    try super.init(payload)
  }

  /// Makes a key and answers with its proof; asks the person once.
  ///
  /// After it threw it may be called again, until the node is sent.
  /// - Parameters:
  ///   - node: the node of this callback: then the answer is written into its hidden field, for success and failure
  ///     alike. Without it, the app does that with `outcome`.
  ///   - deviceName: what the server lists the device as; nil: the configuration's, or the environment's.
  ///   - identifierHint: tells users' credentials apart at sign-in; nil: the user's name. Kept here, never sent.
  ///   - policy: how the key opens, unless the server asks for more; nil: the configuration's.
  /// - Throws: `AuthenticatorError`; its code decided the word that the server gets. Nothing of the key is left then.
  ///   `busy` while it runs already and `invalidRequest` when the callback is answered: these change no answer.
  public func enroll(
    node: ContinueNode? = nil, deviceName: String? = nil, identifierHint: String? = nil,
    policy: TrustedDevicePolicy? = nil
  ) async throws {
    try await run(in: node) { ceremony in
      let configuration = ceremony.configuration
      let policy = try PolicySupport.stricter(of: policy ?? configuration.policy, self.policy)
      let support = PolicySupport(
        context: configuration.context, authenticators: configuration.authenticators, policy: policy)
      let authenticator = try await support.authenticator()
      let name = deviceName ?? configuration.deviceName ?? configuration.context.environment.deviceName
      let attributes = CredentialAttributes(
        policy: policy, hint: identifierHint ?? username, platform: configuration.platform.rawValue,
        name: name.isEmpty ? nil : name)
      let key = try await stage(attributes, authenticator, ceremony)
      do {
        try support.check(key.record.access)
        let (answer, known) = try await answer(key, attributes, authenticator, ceremony)
        staged = (key.record, ceremony, known)
        return ((), answer)
      } catch {
        await ceremony.shelf.discard(key.record.tag)
        throw error
      }
    }
  }

  /// `enroll` with a configuration for this callback.
  public func enroll(
    _ configuration: TrustedDeviceJourneyConfiguration, node: ContinueNode? = nil, deviceName: String? = nil,
    identifierHint: String? = nil, policy: TrustedDevicePolicy? = nil
  ) async throws {
    self.configuration = configuration
    try await enroll(node: node, deviceName: deviceName, identifierHint: identifierHint, policy: policy)
  }

  private func stage(
    _ attributes: CredentialAttributes, _ authenticator: any DeviceAuthenticator, _ ceremony: TrustedDeviceCeremony
  ) async throws -> StagedKey {
    guard (attributes.hint?.utf8.count ?? 0) <= 1024, (attributes.name?.utf8.count ?? 0) <= 1024 else {
      throw AuthenticatorError(.invalidRequest, stage: "enroll", reason: "the name or the hint is too long")
    }
    let environment = ceremony.configuration.context.environment
    // A challenge that has ended proves nothing any more.
    let longest = ceremony.clock.span(until: challenge.expiresAt) + .seconds(60)
    return try await ceremony.shelf.stage(
      attributes, userID: userID, with: authenticator, ceremony.operation, Prompt(reason: ceremony.reason),
      deadline: environment.uptime() + ceremony.limit,
      journal: EnrollmentJournal(deadline: environment.now().advanced(by: longest)))
  }

  private func answer(
    _ key: StagedKey, _ attributes: CredentialAttributes, _ authenticator: any DeviceAuthenticator,
    _ ceremony: TrustedDeviceCeremony
  ) async throws -> (answer: JSONObject, known: Set<KeyTag>) {
    let signature = try await ceremony.prompt.sign(
      authenticator, key.record, ceremony.operation, ticket: key.ticket)
    let installation = InstallationIdentity(ceremony.configuration.context, scope: ceremony.shelf.scope)
    var answer = JSONObject([
      ("public_key_jwk", .string(try ProofText.jwk(key.record.publicKey))),
      ("client_data", .string(challenge.clientData)), ("signature", .string(try ProofText.text(signature))),
      ("algorithm", .string(challenge.algorithm.rawValue)), ("platform", .string(attributes.platform)),
      ("app_identifier", .string(ceremony.appIdentifier)),
      ("installation_id", .string(try await installation.identifier())),
    ])
    if let name = attributes.name { answer["name"] = .string(name) }
    guard answer.serialized().count <= Self.maximumOutcomeBytes else {
      throw AuthenticatorError(.invalidRequest, stage: "enroll", reason: "the answer is too long")
    }
    let known = try await ceremony.shelf.holders(userID: userID)
    // From here on the server may know the key, whatever happens to this process.
    try await ceremony.shelf.mark(
      key.record.tag,
      AttemptMark(from: ceremony.clock.now, until: challenge.expiresAt, id: trustedDeviceID))
    try ceremony.spendChallenge()
    return (answer, known)
  }

  // MARK: The server's verdict

  /// A new key awaits it; the answer itself stands in the hidden field.
  public override var awaitsOutcome: Bool { staged != nil }

  /// A node that asks for an enrollment of this user again has not accepted this one.
  public override func isAskedAgain(by node: ContinueNode) -> Bool {
    node.callbacks(TrustedDeviceEnrollCallback.self).contains { $0.userID == userID }
  }

  /// Takes the new key into use, or destroys it. One of unknown fate stays, not offered: the server's list tells a
  /// `TrustedDeviceClient` what became of it, and so does the first sign-in with it.
  /// - Throws: `storageFailed` when the accepted key could not be taken into use; it stays and is settled later.
  ///   `overtaken` when another process has enrolled this installation for the user meanwhile: which of both the server
  ///   took last, its step does not say. The other stays in use, and this one's fate is unknown.
  public override func stepEnded(_ outcome: StepOutcome) async throws {
    guard let (record, ceremony, known) = staged else { return }
    staged = nil
    switch outcome {
    case .accepted: try await accept(record, ceremony, since: known)
    case .refused: await ceremony.shelf.discard(record.tag)
    case .unknown: break
    }
  }

  private func accept(_ record: KeyRecord, _ ceremony: TrustedDeviceCeremony, since known: Set<KeyTag>) async throws {
    let (shelf, now) = (ceremony.shelf, ceremony.clock.now)
    guard try await shelf.rivals(of: record, userID: userID, since: known).isEmpty else {
      try await shelf.standBack(record)
      throw CredentialShelf.overtaken(
        "another process has enrolled this installation meanwhile; which of both stands, the next sign-in shows")
    }
    do {
      try await shelf.commit(record, as: trustedDeviceID, CredentialDetails(createdAt: now, updatedAt: now))
    } catch let error as AuthenticatorError where error.code == .keyNotFound || error.code == .invalidKeyState {
      // Taken into use from the server's list by another process, and replaced since.
      throw CredentialShelf.overtaken("another process has replaced this enrollment meanwhile")
    }
    ceremony.configuration.onEvent(.enrolled(id: trustedDeviceID, isRecovered: false))
    await shelf.removeReplaced(by: record, userID: userID, in: ceremony.configuration.replaceScope)
    await shelf.giveUpOvertaken(userID: userID, at: now) { other, _ in other.createdAt <= record.createdAt }
  }
}
