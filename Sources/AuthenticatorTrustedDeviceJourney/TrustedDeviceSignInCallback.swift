import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourney
import AuthenticatorTrustedDevice
import DeviceAuthenticators

/// Asks the device to sign in with a trusted device's key.
///
/// Call `signIn`, then `ContinueNode.next()`, whether signing succeeded or threw: with the node given, the answer is in
/// its place. A refusal of the journey does not say whether the credential is gone, so it deletes nothing.
public final class TrustedDeviceSignInCallback: TrustedDeviceCallback {
  static let action = "trusted_device_sign_in"

  /// The user whose credentials count; nil: the credential says who signs in.
  public let userID: String?

  private var used: (credential: LocalCredential, ceremony: TrustedDeviceCeremony)?

  /// Reads the step.
  /// - Throws: `invalidMessage`, naming the first member that is missing or malformed.
  public required init(_ payload: CallbackPayload) throws {
    let data = payload.output("data")?.objectValue ?? JSONObject()
    userID = data["user_id"].map(\.isNull) ?? true ? nil : try Self.text(data, "user_id")
    try super.init(payload)
  }

  /// Signs the challenge with the newest usable credential; asks the person once.
  ///
  /// After it threw it may be called again, until the node is sent.
  /// - Parameters:
  ///   - node: the node of this callback: then the answer is written into its hidden field, for success and failure
  ///     alike. Without it, the app does that with `outcome`.
  ///   - id: only this credential.
  ///   - identifierHint: only credentials enrolled with this hint.
  /// - Returns: the name of the credential that signed.
  /// - Throws: `AuthenticatorError`; its code decided the word that the server gets: `noLocalCredential`,
  ///   `keyNotFound`, `keyInvalidated`, `biometryNotEnrolled`, `enrollmentStateUnreadable`, `verifierUnavailable`,
  ///   `lockedOut` when nothing can sign; the verifier's codes. `busy` while it runs already and `invalidRequest` when
  ///   the callback is answered: these change no answer.
  @discardableResult
  public func signIn(
    node: ContinueNode? = nil, id: String? = nil, identifierHint: String? = nil
  ) async throws -> String {
    try await run(in: node) { ceremony in
      let credential = try await choose(id: id, hint: identifierHint, ceremony)
      let authenticator = try await ceremony.configuration.authenticators.signing.make(
        credential.record.authenticator, ceremony.configuration.context)
      let signature: Signature
      do {
        signature = try await ceremony.prompt.sign(authenticator, credential.record, ceremony.operation)
      } catch let error as AuthenticatorError {
        throw await judged(error, credential, ceremony)
      }
      try ceremony.spendChallenge()
      used = (credential, ceremony)
      let answer = JSONObject([
        ("trusted_device_id", .string(credential.id)), ("client_data", .string(challenge.clientData)),
        ("signature", .string(try ProofText.text(signature))), ("algorithm", .string(challenge.algorithm.rawValue)),
        ("app_identifier", .string(ceremony.appIdentifier)),
      ])
      return (credential.id, answer)
    }
  }

  /// `signIn` with a configuration for this callback.
  @discardableResult
  public func signIn(
    _ configuration: TrustedDeviceJourneyConfiguration, node: ContinueNode? = nil, id: String? = nil,
    identifierHint: String? = nil
  ) async throws -> String {
    self.configuration = configuration
    return try await signIn(node: node, id: id, identifierHint: identifierHint)
  }

  // MARK: Choosing

  private func choose(
    id: String?, hint: String?, _ ceremony: TrustedDeviceCeremony
  ) async throws -> LocalCredential {
    let fits: (LocalCredential) -> Bool = { [userID] credential in
      (userID == nil || credential.userID == userID) && (id == nil || credential.id == id)
        && IdentifierHint.matches(credential.attributes.hint, asked: hint)
    }
    let credentials = Self.ordered(
      try await ceremony.shelf.active(userID: userID, id: id).filter(fits),
      try await unsettled(ceremony).filter { fits($0.credential) })
    guard !credentials.isEmpty else {
      let isAnyone = userID == nil && id == nil && hint == nil
      throw AuthenticatorError(
        .noLocalCredential, stage: "signIn",
        reason: isAnyone ? "" : "no credential here fits the user, id or hint that is asked for")
    }
    var obstacle: Obstacle?
    var lost: [(LocalCredential, TrustedDeviceEvent.RemovalReason)] = []
    for credential in credentials {
      switch try await ceremony.shelf.condition(of: credential) {
      case .usable: return credential
      // What became of an enrollment without an answer, the list will tell; it is not known that it was one.
      case .void where credential.record.state == .staged, .missing where credential.record.state == .staged: continue
      case .void: lost.append((credential, .keyInvalidated))
      case .missing: lost.append((credential, .keyMissing))
      case .unusable(let found): obstacle = obstacle ?? found
      }
    }
    if let obstacle { throw obstacle.error }
    guard !lost.isEmpty else { throw AuthenticatorError(.keyNotFound, stage: "signIn") }
    // Looking at the keys was the exact answer: they are void or gone.
    var isGone = false
    for (credential, reason) in lost {
      if await ceremony.shelf.condemn(
        credential, reason, keepsForRevocation: ceremony.configuration.revokesOrphans)
      {
        isGone = true
      }
    }
    let isVoid = lost.contains { $0.1 == .keyInvalidated }
    throw AuthenticatorError(
      isVoid ? .keyInvalidated : .keyNotFound, stage: "signIn",
      underlying: TrustedDeviceFailure(unavailableReason: .localKeyMissing, removedLocalState: isGone))
  }

  private typealias Unsettled = (credential: LocalCredential, mark: AttemptMark)

  /// Keys whose enrollment had no answer: the server may know them, and signing will tell. Newest first.
  private func unsettled(_ ceremony: TrustedDeviceCeremony) async throws -> [Unsettled] {
    let shelf = ceremony.shelf
    var found: [Unsettled] = []
    for record in try await shelf.store.records(matching: shelf.scope.query(user: userID, states: [.staged])) {
      guard let mark = try await shelf.mark(of: record), let id = mark.id else { continue }
      found.insert((try LocalCredential(staged: record, id: id), mark), at: 0)
    }
    return found
  }

  /// A server that accepted a newer key has given up the older one, so the newer goes first. Refused once, it stands
  /// back for the older, until that one is refused too; and an unsettled older one has its turn once the key in use is
  /// refused: whichever the server knows is reached.
  private static func ordered(_ active: [LocalCredential], _ unsettled: [Unsettled]) -> [LocalCredential] {
    var rest = unsettled
    var result: [LocalCredential] = []
    for credential in active {
      let isFirst = { (other: Unsettled) in
        !other.mark.isRefused && other.credential.userID == credential.userID
          && (other.mark.isPreferred || other.credential.record.createdAt >= credential.record.createdAt)
      }
      result += rest.filter(isFirst).map(\.credential)
      rest.removeAll(where: isFirst)
      result.append(credential)
    }
    return result + rest.filter { !$0.mark.isRefused }.map(\.credential)
      + rest.filter(\.mark.isRefused).map(\.credential)
  }

  private func judged(
    _ error: AuthenticatorError, _ credential: LocalCredential, _ ceremony: TrustedDeviceCeremony
  ) async -> AuthenticatorError {
    guard credential.record.state != .staged else { return error }
    guard error.code == .keyInvalidated || error.code == .keyNotFound else { return error }
    let isGone = await ceremony.shelf.condemn(
      credential, error.code == .keyInvalidated ? .keyInvalidated : .keyMissing,
      keepsForRevocation: ceremony.configuration.revokesOrphans)
    return isGone ? error.afterRemoval() : error
  }

  // MARK: The server's verdict

  /// What the first signature of a credential proves is written down.
  public override var awaitsOutcome: Bool { used != nil }

  /// A node that asks for a signature again has not accepted this one.
  public override func isAskedAgain(by node: ContinueNode) -> Bool {
    !node.callbacks(TrustedDeviceSignInCallback.self).isEmpty
  }

  /// A key whose enrollment had no answer has one now, when the server accepted its signature. A refusal is remembered
  /// beside it, so that the next sign-in tries the other key.
  /// - Throws: `storageFailed` when that could not be written down; it is found out again at the next sign-in.
  public override func stepEnded(_ outcome: StepOutcome) async throws {
    guard let (credential, ceremony) = used else { return }
    used = nil
    switch outcome {
    case .accepted: break
    case .refused: return await noteRefusal(of: credential, ceremony)
    case .unknown: return
    }
    let shelf = ceremony.shelf
    if credential.record.state == .staged {
      try await shelf.commit(credential.record, as: credential.id, credential.details)
      ceremony.configuration.onEvent(.enrolled(id: credential.id, isRecovered: true))
    } else if credential.details.isUnproven {
      try await shelf.prove(credential)
    } else {
      // A newer key that was refused, and the older accepted: the server never took the newer one.
      return await shelf.giveUpOvertaken(userID: credential.userID, at: ceremony.clock.now) { $1.isRefused }
    }
    await shelf.removeReplaced(
      by: credential.record, userID: credential.userID, in: ceremony.configuration.replaceScope)
    await shelf.giveUpOvertaken(userID: credential.userID, at: ceremony.clock.now) { other, _ in
      other.createdAt <= credential.record.createdAt
    }
  }

  private func noteRefusal(of credential: LocalCredential, _ ceremony: TrustedDeviceCeremony) async {
    let shelf = ceremony.shelf
    let isUnsettled = credential.record.state == .staged
    do {
      let query = shelf.scope.query(user: credential.userID, states: [.staged])
      for record in try await shelf.store.records(matching: query) {
        guard var mark = try await shelf.mark(of: record), mark.id != nil else { continue }
        // Where it was a settled key that was refused, every unsettled one has its turn again, whatever its age.
        let before = mark
        mark.isRefused = record.tag == credential.tag || (isUnsettled && mark.isRefused)
        mark.isPreferred = !mark.isRefused && (!isUnsettled || mark.isPreferred)
        guard mark != before else { continue }
        try await shelf.mark(record.tag, mark)
      }
    } catch {
      shelf.emit(.postponed(.saving, code: CredentialShelf.code(of: error)))
    }
  }
}
