import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourney
import DeviceAuthenticators

/// Asks the device to make a key for the user and to prove that it has it.
///
/// Call `bind(_:with:)`, then `ContinueNode.next()`, whether binding succeeded or threw: the answer, or the word for
/// the failure, is in place. The new key stands beside an old one until the server has gone on; only then does it take
/// the old one's place, inside `next()`. After a refusal, a cancel or a timeout nothing of the new key is left and the
/// old one works on.
public final class DeviceBindingCallback: Callback {
  public override class var wireType: String { "DeviceBindingCallback" }

  /// The user's identifier, a DN; goes into the proof verbatim.
  public let userID: String
  /// The user's name, for display.
  public let userName: String
  /// The kind of authenticator that is asked for.
  public let authenticationType: WireAuthenticationType
  /// What is to be signed; never decoded.
  public let challenge: String
  /// The server's time limit, counted from the call of `bind`; at most an hour.
  public let timeout: Duration
  /// Whether the key must be attested.
  public let wantsAttestation: Bool

  private let texts: ServerTexts
  private var isRunning = false
  private var staged: (key: StagedKey, store: any KeyStore)?

  /// Reads the callback strictly.
  /// - Throws: `invalidMessage`, naming the first missing output or input.
  public required init(_ payload: CallbackPayload) throws {
    userID = try payload.requiredText("userId")
    userName = try payload.requiredText("username")
    authenticationType = WireAuthenticationType(rawValue: try payload.requiredText("authenticationType"))
    challenge = try payload.requiredText("challenge")
    texts = try ServerTexts(payload)
    timeout = try ServerTimeout.read(payload)
    wantsAttestation = try Self.readAttestation(payload)
    for suffix in ["jws", "deviceName", "deviceId", "clientError"] { try payload.requireInput(suffix) }
    try super.init(payload)
  }

  private static func readAttestation(_ payload: CallbackPayload) throws -> Bool {
    // Absent on older servers.
    guard let value = payload.output("attestation") else { return false }
    if let flag = value.boolValue { return flag }
    guard let text = value.stringValue, text == "true" || text == "false" else {
      throw AuthenticatorError(.invalidMessage, stage: "journey.callback", reason: "attestation is no boolean")
    }
    return text == "true"
  }

  /// The server's heading for the person.
  public var title: String { texts.title }
  /// The server's line under it.
  public var subtitle: String { texts.subtitle }
  /// The server's reason. (`description` on the wire.)
  public var promptDescription: String { texts.description }

  // MARK: The answer

  /// The proof.
  public var jws: String? { answer(suffix: "jws")?.stringValue }
  /// The device's name in the answer.
  public var deviceName: String? { answer(suffix: "deviceName")?.stringValue }
  /// The device's identifier in the answer.
  public var deviceID: String? { answer(suffix: "deviceId")?.stringValue }
  /// The word for a failure. `bind` sets it when it throws; an app may put a word of its own there.
  public var clientError: String? {
    get { answer(suffix: "clientError")?.stringValue }
    set { answer(.string(newValue ?? ""), suffix: "clientError") }
  }

  // MARK: Binding

  /// Makes a key and answers with its proof; asks the person at most once.
  ///
  /// After it threw it may be called again, until the node is sent.
  /// - Parameter authenticator: used instead of the configured one for the server's word.
  /// - Returns: the new key, staged: it is offered for signing only when the server has accepted it.
  /// - Throws: `AuthenticatorError`; its code decided the word in `clientError`. Nothing of the key is left then.
  ///   `busy` while it runs already and `invalidRequest` when the callback is answered: these change no answer.
  @discardableResult
  public func bind(
    _ configuration: DeviceBindingConfiguration, with authenticator: (any DeviceAuthenticator)? = nil
  ) async throws -> UserKey {
    guard !isRunning else { throw AuthenticatorError(.busy, stage: "bind") }
    guard staged == nil else {
      throw AuthenticatorError(.invalidRequest, stage: "bind", reason: "the callback is answered")
    }
    isRunning = true
    defer { isRunning = false }
    withdrawAnswers()
    do {
      return try await run(configuration, authenticator)
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .invalidRequest, stage: "bind")
      clientError = ClientError(error).rawValue
      throw error
    }
  }

  private func run(
    _ configuration: DeviceBindingConfiguration, _ given: (any DeviceAuthenticator)?
  ) async throws -> UserKey {
    let ceremony = try Ceremony(configuration, self, texts: texts, timeout: timeout)
    try Ceremony.checkFresh(challenge, self)
    guard (1...2048).contains(userID.utf8.count), userName.utf8.count <= 2048 else {
      throw AuthenticatorError(.invalidMessage, stage: "bind", reason: "the user's identifier or name")
    }
    guard let type = configuration.types[authenticationType] else {
      throw AuthenticatorError(.unsupported, stage: "bind", reason: "the server asks for an unknown authenticator")
    }
    let authenticator = try await ceremony.authenticator(given, type: type)
    try await checkSupport(authenticator, configuration)

    let keyID = UUIDText.make(from: try ceremony.environment.random(16))
    let request = RegistrationRequest(
      key: keyRequest(ceremony, keyID: keyID), operation: ceremony.operation, prompt: ceremony.prompt,
      deadline: ceremony.deadline)
    try await Leftovers.clearExpired(
      of: request.key, in: authenticator.context.keyStore, at: ceremony.environment.now())
    let key = try await authenticator.register(request)
    do {
      try await answer(ceremony, authenticator, key, keyID: keyID)
    } catch {
      withdrawAnswers()
      try await discard(key, after: ceremony.judged(error))
    }
    guard let userKey = UserKey(key.record) else {
      throw AuthenticatorError(.integrityFailed, stage: "bind", reason: "the store changed the new record")
    }
    return userKey
  }

  /// Decides before a key is made and anything is shown.
  private func checkSupport(
    _ authenticator: any DeviceAuthenticator, _ configuration: DeviceBindingConfiguration
  ) async throws {
    let attestation: Attestation = wantsAttestation ? .challenge(challenge) : .none
    guard await authenticator.isSupported(attestation: attestation) else {
      if case .unavailable(let code) = await authenticator.availability() {
        throw AuthenticatorError(code, stage: "bind", reason: "the authenticator is not available")
      }
      throw AuthenticatorError(.unsupported, stage: "bind", reason: "the authenticator is not supported here")
    }
    guard wantsAttestation else { return }
    guard let attestor = configuration.attestor, await attestor.canAttest(authenticator.type()) else {
      throw AuthenticatorError(.unsupported, stage: "bind", reason: "the key cannot be attested")
    }
  }

  private func keyRequest(_ ceremony: Ceremony, keyID: String) -> KeyRequest {
    let journal = BindingJournal(
      challengeDigest: Ceremony.digest(challenge), deadline: ceremony.environment.now().advanced(by: timeout))
    return KeyRequest(
      owner: KeyOwner(
        instance: ceremony.journey.instance, family: .deviceBinding, party: ceremony.journey.realm,
        account: Array(userID.utf8)),
      algorithms: [.es256], slot: "\(ceremony.journey.realm)\n\(userID)", externalID: Array(keyID.utf8),
      attributes: BindingAttributes(userName: userName, authenticationType: authenticationType).bytes,
      journal: journal.bytes)
  }

  /// Verifies the person, signs, and fills the inputs.
  private func answer(
    _ ceremony: Ceremony, _ authenticator: any DeviceAuthenticator, _ key: StagedKey, keyID: String
  ) async throws {
    let opened = try await authenticator.authenticate(
      SigningRequest(
        record: key.record, operation: ceremony.operation, prompt: ceremony.prompt, deadline: ceremony.deadline,
        ticket: key.ticket))
    try ceremony.checkDeadline()
    let chain =
      wantsAttestation
      ? try await ceremony.configuration.attestor?.certificates(for: opened, challenge: challenge) : nil
    let signer = ProofSigner(authenticator)
    let times = ceremony.times(signer)
    let proof = try await signer.proof(
      SigningParameters(
        key: opened, keyID: keyID, userID: userID, challenge: challenge, issuer: ceremony.issuer,
        platform: ceremony.configuration.platform, issueTime: times.issue, notBeforeTime: times.notBefore,
        expirationTime: times.expiration, attestation: chain),
      journey: ceremony.journey)
    let deviceID = try await DeviceIdentity(ceremony.configuration.context).identifier()
    try ceremony.checkDeadline()
    try Task.checkCancellation()
    try Ceremony.spend(challenge, self)

    let name = ceremony.configuration.deviceName ?? ceremony.environment.deviceName
    answer(.string(proof), suffix: "jws")
    answer(.string(name), suffix: "deviceName")
    answer(.string(deviceID), suffix: "deviceId")
    staged = (key, authenticator.context.keyStore)
  }

  /// Undoes the staging, then throws what led to it.
  private func discard(_ key: StagedKey, after error: any Error) async throws -> Never {
    do {
      try await Ceremony.settled { try await key.discard() }
    } catch {
      // The row stays staged: never offered, and cleared by a later binding, or by `BindingDevices.reconcile()` once
      // its deadline is past.
    }
    throw error
  }

  // MARK: The server's verdict

  /// A node that asks this user to bind again has not accepted the binding.
  public override func isAskedAgain(by node: ContinueNode) -> Bool {
    node.callbacks(DeviceBindingCallback.self).contains { $0.userID == userID }
  }

  /// Commits an accepted key, retires the one it replaces and clears what interrupted bindings left behind, or destroys
  /// a refused one. A key of unknown fate stays staged for `BindingDevices.reconcile()`.
  public override func stepEnded(_ outcome: StepOutcome) async throws {
    guard let (key, store) = staged else { return }
    staged = nil
    let details = BindingAttributes(userName: userName, authenticationType: authenticationType).details
    switch outcome {
    case .accepted:
      try await Ceremony.settled {
        let accepted = try await key.commit(details: details)
        await Leftovers.clear(beside: accepted, in: store)
      }
    case .refused: try await Ceremony.settled { try await key.discard() }
    case .unknown: break
    }
  }
}
