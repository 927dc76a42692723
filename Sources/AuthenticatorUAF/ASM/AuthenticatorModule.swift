import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto

/// The authenticator-specific module: finds keys for an application and caller, binds them by access tokens, and talks
/// to the authenticators (FIDO UAF ASM API). Bundled with the client, it has no interface of its own on the outside.
final class AuthenticatorModule: Sendable {
  let context: AuthenticatorContext
  let authenticators: [SealedAuthenticator]
  let personaID: String
  /// Identifies the caller: the facet.
  let callerID: String
  let displaysImages: Bool
  private let memory = ModuleMemory()

  init(
    context: AuthenticatorContext, authenticators: [SealedAuthenticator], personaID: String, callerID: String,
    displaysImages: Bool
  ) {
    self.context = context
    self.authenticators = authenticators
    self.personaID = personaID
    self.callerID = callerID
    self.displaysImages = displaysImages
  }

  private static let tokenItem = ItemName(owner: nil, name: "uaf.asmToken")
  /// The states of keys that may sign.
  static let inUse: Set<KeyRecord.State> = [.active, .staged]

  // MARK: Tokens

  /// What keys of this application and caller are bound to, by the application's IDs, older ones first; empty before
  /// the first registration on this device, when there are no keys either.
  func tokens(of application: UAFApplication) async throws -> AccessTokens {
    guard let asmToken = try await context.keyStore.item(Self.tokenItem) else { return AccessTokens() }
    return try tokens(of: application, asmToken)
  }

  /// The same, for a registration. The token behind it is random, made at the first run and kept for the life of the
  /// store: of two first runs at once, the first one's is everybody's.
  func makeTokens(of application: UAFApplication) async throws -> AccessTokens {
    try tokens(
      of: application,
      try await context.keyStore.item(Self.tokenItem, orMaking: { try context.environment.random(32) }))
  }

  private func tokens(of application: UAFApplication, _ asmToken: [UInt8]) throws -> AccessTokens {
    if let known = memory.tokens(of: application, asmToken) { return known }
    guard asmToken.count == 32 else { throw AuthenticatorError(.integrityFailed, stage: "uaf.asm") }
    let ids = application.formerIDs + [application.id]
    var tokens = AccessTokens(
      byID: ids.map { id in
        let token = KeyHandle.accessToken(
          appID: id, asmToken: asmToken, personaID: personaID, callerID: callerID)
        return AccessTokens.Entry(appID: id, token: token)
      })
    tokens.failureItem = tokens.current.map(Self.failureItem)
    memory.remember(tokens, of: application, asmToken)
    return tokens
  }

  // MARK: Keys

  /// The keys of this application and caller, oldest first: active ones, and those whose server has not answered yet.
  func keys(
    _ tokens: AccessTokens, states: Set<KeyRecord.State> = AuthenticatorModule.inUse
  ) async throws -> [RegisteredKey] {
    var found: [RegisteredKey] = []
    for entry in tokens.byID {
      let query = KeyQuery(instance: context.instance, family: .uaf, party: entry.appID, states: states)
      for record in try await context.keyStore.records(matching: query) {
        let handle = try memory.handle(record.attributes)
        guard ConstantTime.equals(handle.accessToken, entry.token) else { continue }
        found.append(RegisteredKey(record: record, handle: handle))
      }
    }
    return found
  }

  /// All keys of this caller, for every application.
  func registrations() async throws -> [UAFRegistrations] {
    guard let token = try await context.keyStore.item(Self.tokenItem) else { return [] }
    let query = KeyQuery(instance: context.instance, family: .uaf, states: Self.inUse)
    var found: [UAFRegistrations] = []
    for record in try await context.keyStore.records(matching: query) {
      let handle = try KeyHandle(record.attributes)
      let appID = record.owner.party
      let expected = KeyHandle.accessToken(
        appID: appID, asmToken: token, personaID: personaID, callerID: callerID)
      guard ConstantTime.equals(handle.accessToken, expected) else { continue }
      let key = UAFRegistrations.Key(aaid: handle.aaid, keyID: handle.keyID, isConfirmed: record.state == .active)
      if let index = found.firstIndex(where: { $0.appID.isIdentical(to: appID) }) {
        found[index].keys.append(key)
      } else {
        found.append(UAFRegistrations(appID: appID, keys: [key]))
      }
    }
    return found
  }

  // MARK: Commands

  /// Register: a staged key and its assertion. `noteResponse(to:)` must follow before the assertion leaves.
  func register(
    _ command: SealedAuthenticator.Command, with authenticator: SealedAuthenticator, username: String,
    attestationType: UAFAttestationType, _ tokens: AccessTokens
  ) async throws -> (assertion: [UInt8], key: RegisteredKey) {
    let all = try await keys(tokens)
    try await discardUnanswered(all)
    try await forgetFailureWithoutKeys(tokens)
    let present = all.filter { $0.handle.aaid == authenticator.model.aaid }
    guard hasRoom(present, authenticator, username: username, tokens) else {
      throw AuthenticatorError(.insufficientAuthenticatorResources, stage: "uaf.asm")
    }
    let (assertion, key) = try await authenticator.register(
      command, username: username, attestationType: attestationType, accessToken: tokens.current ?? [])
    do {
      guard try await hasRoomStill(for: key, authenticator, username: username, tokens) else {
        throw AuthenticatorError(.insufficientAuthenticatorResources, stage: "uaf.asm")
      }
      return (assertion, key)
    } catch {
      await discard([key])
      throw error
    }
  }

  /// Marks new keys as answered: the response that speaks of all of them is made. As long as one of them is not marked,
  /// none counts as answered after a restart. The last one comes first, in which order they are discarded, too.
  func noteResponse(to keys: [RegisteredKey]) async throws {
    for key in keys.reversed() {
      _ = try await context.keyStore.update(
        key.record.tag, details: RegistrationJournal.answered, expecting: key.record.version)
    }
  }

  /// Whether a model has room for one more key of a user, whose own keys the new one is to replace. A key whose server
  /// has not answered takes room only as long as an answer may be on its way: a response may never have arrived.
  func hasRoom(
    _ present: [RegisteredKey], _ authenticator: SealedAuthenticator, username: String, _ tokens: AccessTokens
  ) -> Bool {
    guard let maximum = authenticator.model.maximumKeys else { return true }
    let slot = tokens.current.map { SealedAuthenticator.slot(authenticator.model.aaid, $0, username: username) }
    let now = context.environment.now()
    let others = present.filter { key in
      let isOwn =
        key.record.slot == slot || (!key.handle.username.isEmpty && key.handle.username.isIdentical(to: username))
      return !isOwn && !key.isAbandoned(at: now)
    }
    return others.count < maximum
  }

  /// Whether a key that was just made has room. Another process may have made one since room was looked for: the older
  /// keys go first, so that of several made at once the same ones stay for everybody who looks.
  private func hasRoomStill(
    for key: RegisteredKey, _ authenticator: SealedAuthenticator, username: String, _ tokens: AccessTokens
  ) async throws -> Bool {
    guard authenticator.model.maximumKeys != nil else { return true }
    let older = try await keys(tokens).prefix { $0.record.tag != key.record.tag }
    return hasRoom(
      older.filter { $0.handle.aaid == authenticator.model.aaid }, authenticator, username: username, tokens)
  }

  /// Takes a key into use that its server has accepted, in place of the user's older ones of the same model.
  func confirm(_ key: RegisteredKey, _ tokens: AccessTokens) async throws {
    if key.record.state == .staged {
      try await context.keyStore.commit(key.record.tag, externalID: nil, details: RegistrationJournal.answered)
    }
    let all = try await keys(tokens, states: [.active, .staged, .retired]).filter { $0.handle.aaid == key.handle.aaid }
    // In order of creation: the clock may have been set back.
    let place = all.firstIndex { $0.record.tag == key.record.tag } ?? 0
    var left: [RegisteredKey] = []
    for (index, other) in all.enumerated() where index != place {
      // The older key must not come back when this one is deregistered one day.
      if other.isOfUser(of: key), other.record.state == .retired || index < place {
        try await context.keyStore.delete(other.record.tag)
      } else if other.record.state != .retired {
        left.append(other)
      }
    }
    guard let maximum = authenticators.first(where: { $0.model.aaid == key.handle.aaid })?.model.maximumKeys else {
      return
    }
    // The room that this key took was that of one that no server has claimed for long.
    let now = context.environment.now()
    for other in left.filter({ $0.isAbandoned(at: now) }).prefix(max(left.count + 1 - maximum, 0)) {
      try await context.keyStore.discard(other.record.tag)
    }
  }

  /// Destroys staged keys of a failed operation, the last one first; one that cannot be destroyed now goes at the next
  /// start.
  func discard(_ keys: [RegisteredKey]) async {
    for key in keys.reversed() {
      do { try await context.keyStore.discard(key.record.tag) } catch {}
    }
  }

  /// Destroys staged keys whose response was never made: no server can know them.
  func discardUnanswered(_ keys: [RegisteredKey]) async throws {
    let now = context.environment.now()
    let unanswered = keys.filter { $0.record.state == .staged && $0.record.details.isEmpty && $0.hasEnded(by: now) }
    guard !unanswered.isEmpty else { return }
    let sets = Set(unanswered.map(\.set)).subtracting([[]])
    // Those of the same response that were marked already go first: without the others nothing would tell of them.
    for key in keys where key.record.state == .staged && !key.record.details.isEmpty && sets.contains(key.set) {
      try await context.keyStore.discard(key.record.tag)
    }
    for key in unanswered { try await context.keyStore.discard(key.record.tag) }
  }

  /// Authenticate: the assertion of one key.
  func sign(
    _ command: SealedAuthenticator.Command, with authenticator: SealedAuthenticator, key: RegisteredKey,
    ticket: VerificationTicket?, transaction: [UInt8]?, _ tokens: AccessTokens
  ) async throws -> [UInt8] {
    do {
      let token = tokens.token(for: key.record.owner.party) ?? tokens.current ?? []
      let assertion = try await authenticator.sign(
        command, with: key, accessToken: token, ticket: ticket, transaction: transaction)
      try await note(failureOf: nil, tokens)
      return assertion
    } catch {
      throw try await judged(error, key, tokens)
    }
  }

  /// What becomes of a key and of the next operation after a failure.
  func judged(_ error: any Error, _ key: RegisteredKey, _ tokens: AccessTokens) async throws -> AuthenticatorError {
    let error = AuthenticatorError.wrapping(error, as: .keyAccessDenied, stage: "uaf.asm")
    if error.code == .userVerificationFailed { try await note(failureOf: key.handle.aaid, tokens) }
    switch UAFCommandStatus(error.code) {
    case .keyDisappearedPermanently: try await bury(key)
    case .userNotEnrolled:
      // By its code, registrations alone tell that nobody is enrolled.
      return AuthenticatorError(
        .keyAccessDenied, stage: "uaf.asm", reason: "nobody is enrolled whom the authenticator could recognize",
        underlying: error)
    default: break
    }
    return error
  }

  /// Deregister: what is there goes, what is not is no error.
  func deregister(_ scope: UAFDeregistrationRequest.Scope, _ tokens: AccessTokens) async throws {
    var failure: (any Error)?
    for key in try await keys(tokens, states: Set(KeyRecord.State.allCases)) {
      let isMeant =
        switch scope {
        case .everything: true
        case .model(let aaid): key.handle.aaid == aaid
        case .key(let aaid, let keyID): key.handle.aaid == aaid && key.handle.keyID == keyID
        }
      guard isMeant else { continue }
      do { try await context.keyStore.delete(key.record.tag) } catch { failure = failure ?? error }
    }
    switch scope {
    case .everything:
      for one in authenticators { try await forgetGoneKeys(one.model.aaid, tokens) }
    case .model(let aaid): try await forgetGoneKeys(aaid, tokens)
    case .key(let aaid, let keyID): try await forgetGoneKeys(aaid, tokens, only: keyID)
    }
    if let failure { throw failure }
  }
}
