import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import DeviceAuthenticators

/// Asks the device to sign a challenge with a bound key.
///
/// Call `sign(_:with:)`, then `ContinueNode.next()`, whether signing succeeded or threw: the answer, or the word for
/// the failure, is in place.
public final class DeviceSigningVerifierCallback: Callback {
  public override class var wireType: String { "DeviceSigningVerifierCallback" }

  /// Whose key is to sign, as a DN; nil: anybody's, the proof says whose.
  public let userID: String?
  /// What is to be signed; never decoded.
  public let challenge: String
  /// The server's time limit, counted from the call of `sign`; at most an hour.
  public let timeout: Duration

  private let texts: ServerTexts
  private var isRunning = false
  private var signed: (key: UserKey, store: any KeyStore)?

  /// Reads the callback strictly.
  /// - Throws: `invalidMessage`, naming the first missing output or input.
  public required init(_ payload: CallbackPayload) throws {
    let userID = payload.text("userId") ?? ""
    self.userID = userID.isEmpty ? nil : userID
    challenge = try payload.requiredText("challenge")
    texts = try ServerTexts(payload)
    timeout = try ServerTimeout.read(payload)
    for suffix in ["jws", "clientError"] { try payload.requireInput(suffix) }
    try super.init(payload)
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
  /// The word for a failure. `sign` sets it when it throws; an app may put a word of its own there.
  public var clientError: String? {
    get { answer(suffix: "clientError")?.stringValue }
    set { answer(.string(newValue ?? ""), suffix: "clientError") }
  }

  // MARK: Signing

  /// Signs with the key of the named user, or with the one that is there or chosen; asks the person as the key demands.
  ///
  /// It may be called again until the node is sent, but a challenge is answered with one proof only.
  /// - Parameter authenticator: used instead of the factory's for the key's type.
  /// - Returns: the key that signed.
  /// - Throws: `AuthenticatorError`; its code decided the word in `clientError`. `busy` while it runs already, which
  ///   changes no answer.
  @discardableResult
  public func sign(
    _ configuration: DeviceBindingConfiguration, with authenticator: (any DeviceAuthenticator)? = nil
  ) async throws -> UserKey {
    guard !isRunning else { throw AuthenticatorError(.busy, stage: "sign") }
    guard jws == nil else {
      throw AuthenticatorError(.invalidRequest, stage: "sign", reason: "the callback is answered")
    }
    isRunning = true
    defer { isRunning = false }
    withdrawAnswers()
    do {
      return try await run(configuration, authenticator)
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .invalidRequest, stage: "sign")
      clientError = ClientError(error).rawValue
      throw error
    }
  }

  private func run(
    _ configuration: DeviceBindingConfiguration, _ given: (any DeviceAuthenticator)?
  ) async throws -> UserKey {
    let keys = UserKeys(
      context: given?.context ?? configuration.context, realm: payload.context.journey.realm)
    let candidates = try await keys.active(ofUser: userID)
    try await checkClaims(configuration, candidates, given)
    let ceremony = try Ceremony(configuration, self, texts: texts, timeout: timeout)
    try Ceremony.checkFresh(challenge, self)
    let userKey = try await select(candidates, ceremony)
    let authenticator = try await ceremony.authenticator(given, type: userKey.record.authenticator)
    try await checkSupport(authenticator, userKey)

    let opened = try await authenticator.authenticate(
      SigningRequest(
        record: userKey.record, operation: ceremony.operation, prompt: ceremony.prompt, deadline: ceremony.deadline))
    try ceremony.checkDeadline()
    let signer = ProofSigner(authenticator)
    let times = ceremony.times(signer)
    let params = UserKeySigningParameters(
      key: opened, userKey: userKey, challenge: challenge, issuer: ceremony.issuer, issueTime: times.issue,
      notBeforeTime: times.notBefore, expirationTime: times.expiration, customClaims: configuration.customClaims)
    let proof: String
    do {
      proof = try await signer.proof(params, journey: ceremony.journey)
    } catch {
      throw ceremony.judged(error)
    }
    try ceremony.checkDeadline()
    try Task.checkCancellation()
    try Ceremony.spend(challenge, self)
    answer(.string(proof), suffix: "jws")
    signed = (userKey, authenticator.context.keyStore)
    return userKey
  }

  /// Asks every authenticator that may come to sign, before anything is shown; without any, the standard rule holds.
  private func checkClaims(
    _ configuration: DeviceBindingConfiguration, _ candidates: [UserKey], _ given: (any DeviceAuthenticator)?
  ) async throws {
    let claims = configuration.customClaims
    guard !claims.isEmpty else { return }
    if let given {
      guard await ProofSigner(given).admits(claims) else { throw Self.refused(claims) }
      return
    }
    let types = Set(candidates.map(\.record.authenticator)).intersection(configuration.factories.types)
    if types.isEmpty, ReservedClaims.first(in: claims) != nil { throw Self.refused(claims) }
    for type in types {
      let authenticator = try await configuration.factories.make(type, configuration.context)
      guard await ProofSigner(authenticator).admits(claims) else { throw Self.refused(claims) }
    }
  }

  private static func refused(_ claims: JSONObject) -> AuthenticatorError {
    let reason = ReservedClaims.first(in: claims).map { "the claim \($0) is reserved" } ?? "the authenticator refused"
    return AuthenticatorError(.invalidCustomClaims, stage: "sign", reason: reason)
  }

  /// The key to use; never another user's, never a guess among several.
  private func select(_ candidates: [UserKey], _ ceremony: Ceremony) async throws -> UserKey {
    guard let first = candidates.first else {
      throw AuthenticatorError(.keyNotFound, stage: "sign", reason: "no key is bound for this user")
    }
    guard candidates.count > 1 else { return first }
    guard let selector = ceremony.configuration.keySelector else {
      throw AuthenticatorError(.notInteractive, stage: "sign", reason: "several keys, and nobody to choose")
    }
    let chosen = try await DeadlineRace.run(until: ceremony.deadline, in: ceremony.environment, stage: "sign") {
      try await selector.selectKey(among: candidates)
    }
    guard let chosen else { throw AuthenticatorError(.userCanceled, stage: "sign") }
    guard let key = candidates.first(where: { $0.tag == chosen.tag }) else {
      throw AuthenticatorError(.invalidRequest, stage: "sign", reason: "the selector returned a foreign key")
    }
    return key
  }

  private func checkSupport(_ authenticator: any DeviceAuthenticator, _ key: UserKey) async throws {
    guard await !authenticator.isSupported(attestation: .none) else { return }
    switch await authenticator.availability() {
    // The enrolled set is gone: what that means for the key is its own rule, which `authenticate` applies.
    case .unavailable(.biometryNotEnrolled) where key.record.enrollmentState != nil: return
    case .unavailable(let code), .unknown(let code):
      throw AuthenticatorError(code, stage: "sign", reason: "the authenticator is not available")
    case .available:
      throw AuthenticatorError(.unsupported, stage: "sign", reason: "the authenticator is not supported here")
    }
  }

  // MARK: The server's verdict

  /// A node that asks for a signature again has not accepted this one.
  public override func isAskedAgain(by node: ContinueNode) -> Bool {
    node.callback(DeviceSigningVerifierCallback.self) != nil
  }

  /// Once a key has signed its user in, the one it replaced is no longer needed. It stays as `revoking`, neither
  /// offered nor restorable, until `BindingDevices.reconcile()` has removed it from the server too: its row is all that
  /// is known of the server's half.
  ///
  /// Only a sign-in that ends here counts: a journey that goes on may be asking for a password because it refused the
  /// proof.
  public override func stepEnded(_ outcome: StepOutcome) async throws {
    guard let (key, store) = signed else { return }
    signed = nil
    guard case .accepted(.success) = outcome, let slot = key.record.slot else { return }
    let owner = key.record.owner
    try await Ceremony.settled {
      let query = KeyQuery(instance: owner.instance, family: owner.family, slot: slot, states: [.retired])
      for record in try await store.records(matching: query) where record.owner == owner {
        try await store.beginRevoking(record.tag)
      }
    }
  }
}
