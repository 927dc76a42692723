internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto
internal import AuthenticatorJOSE

/// Where a journey stands: what the step token carries.
struct JourneyPosition: Sendable {
  var journeyID: JourneyID
  /// The tree's name.
  var tree: String
  /// Counted from 1; the step this position waits for the answer of.
  var step: Int
  /// The node that asked.
  var nodeID: String
  /// What it asked.
  var shapes: [CallbackShape]
  var state: NodeState
  /// Whether the journey was started with `noSession=true`.
  var noSession: Bool
}

/// Makes and reads the `authId`: a signed token whose state is encrypted, so that no server needs to remember a
/// journey.
///
/// Claims: `iss`, `aud`, `purpose`, `realm`, `tree`, `step`, `sid` (the run of the journey), `iat`, `exp`, and `state`,
/// the position sealed with AES-256-GCM under a key of its own, bound to realm, tree, run and step.
struct StepTokens: Sendable {
  typealias Purpose = StepTokenRules.Purpose

  /// The longest token, in bytes.
  static let maximumBytes = 1 << 16

  /// How long a step waits for its answer, in seconds.
  let lifetime: Int
  /// The most the sealed state may have, in bytes.
  let maximumStateBytes: Int
  let random: @Sendable (Int) throws -> [UInt8]

  /// Throws `RESTFailure` when the state is larger than allowed: 413 after a client's answers, 500 at the start.
  func make(
    _ position: JourneyPosition, purpose: Purpose, realm: Realm, keys: TokenKeyRing.Snapshot, now: UnixTime,
    lifetime: Int? = nil
  ) throws -> String {
    let sealed = try seal(position, realm: realm, keys: keys)
    let lifetime = lifetime ?? self.lifetime
    return try SignedToken.issue(
      [
        "step": .integer(Int64(position.step)), "sid": .string(Base64URL.encode(position.journeyID.bytes)),
        "state": .string(sealed),
      ], rules: StepTokenRules.rules(purpose, realm: realm, tree: position.tree, maximumLifetime: lifetime),
      keys: keys.keys,
      now: Int(now.seconds), lifetime: lifetime)
  }

  /// Reads a token of this realm and, when given, this tree.
  ///
  /// Throws `RESTFailure`: 401 with `errorCode` 110 when it has expired, 400 for everything else that is wrong with it.
  func read(
    _ text: String, purpose: Purpose, realm: Realm, tree: String?, ring: TokenKeyRing, now: UnixTime,
    maximumLifetime: Int? = nil
  ) async throws -> JourneyPosition {
    let rules = StepTokenRules.rules(
      purpose, realm: realm, tree: tree, maximumLifetime: maximumLifetime ?? lifetime)
    var keys = try await ring.current()
    let token: SignedToken
    do {
      token = try Self.verify(text, keys: keys, rules: rules, now: now)
    } catch  where error.code == .unknownKey {
      // Another server of this registry may have made a key meanwhile.
      keys = try await ring.reloaded()
      do { token = try Self.verify(text, keys: keys, rules: rules, now: now) } catch { throw Self.failure(error) }
    } catch {
      throw Self.failure(error)
    }
    guard let position = open(token, realm: realm, key: keys.stateKeys[token.keyID]) else {
      throw RESTFailure.badRequest("The authId JWT cannot be parsed")
    }
    return position
  }

  private static func verify(
    _ text: String, keys: TokenKeyRing.Snapshot, rules: ClaimRules, now: UnixTime
  ) throws(JOSEError) -> SignedToken {
    try SignedToken.verify(text, keys: keys.keys, rules: rules, now: Int(now.seconds), limit: maximumBytes)
  }

  private static func failure(_ error: JOSEError) -> RESTFailure {
    switch error.code {
    case .expired: .timedOut
    case .invalidSignature, .unknownKey: .badRequest("The signature of the authId JWT is not valid")
    case .claimMismatch, .purposeMismatch, .audienceMismatch, .issuerMismatch, .lifetimeExceeded, .notYetValid:
      .badRequest("The authId JWT is not for this request")
    default: .badRequest("The authId JWT cannot be parsed")
    }
  }

  // MARK: State

  private func seal(
    _ position: JourneyPosition, realm: Realm, keys: TokenKeyRing.Snapshot
  ) throws -> String {
    var content: JSONObject = [
      "n": .string(position.nodeID), "q": .array(position.shapes.map(\.json)), "s": position.state.json,
    ]
    if position.noSession { content["x"] = true }
    let plaintext = content.serialized()
    guard plaintext.count <= maximumStateBytes else {
      // Before the first answer only the tree can have filled it.
      throw position.step > 1 ? RESTFailure.answersTooLarge : RESTFailure.internalFault
    }
    guard let key = keys.stateKeys[keys.keys.currentID] else { throw RESTFailure.internalFault }
    let nonce = try random(AESGCM.nonceCount)
    let context = Self.context(
      realm: realm, tree: position.tree, journeyID: position.journeyID, step: position.step)
    return Base64URL.encode(nonce + (try AESGCM.seal(plaintext, with: key, nonce: nonce, additionalData: context)))
  }

  /// The token's code was right, so this fails only for a token of another version: all failures are one.
  private func open(_ token: SignedToken, realm: Realm, key: SecretBytes?) -> JourneyPosition? {
    guard let key, let tree = token.claims["tree"]?.stringValue, let step = token.claims["step"]?.intValue, step > 0,
      let run = token.claims["sid"]?.stringValue, let runBytes = try? Base64URL.decode(run),
      let journeyID = JourneyID(runBytes), let text = token.claims["state"]?.stringValue,
      let sealed = try? Base64URL.decode(text), sealed.count > AESGCM.nonceCount,
      let plaintext = try? AESGCM.openMessage(
        Array(sealed[AESGCM.nonceCount...]), with: key, nonce: Array(sealed[..<AESGCM.nonceCount]),
        additionalData: Self.context(realm: realm, tree: tree, journeyID: journeyID, step: step)),
      let content = try? JSONValue.parse(plaintext), let nodeID = content["n"]?.stringValue,
      let questions = content["q"]?.arrayValue, let state = content["s"].flatMap(NodeState.init(json:))
    else { return nil }
    let shapes = questions.compactMap(CallbackShape.init(json:))
    guard shapes.count == questions.count else { return nil }
    return JourneyPosition(
      journeyID: journeyID, tree: tree, step: step, nodeID: nodeID, shapes: shapes, state: state,
      noSession: content["x"] == true)
  }

  private static func context(realm: Realm, tree: String, journeyID: JourneyID, step: Int) -> [UInt8] {
    Array("\(realm.path)\u{0}\(tree)\u{0}\(step)\u{0}".utf8) + journeyID.bytes
  }
}
