import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto

/// The authenticator-specific module: finds keys for an application and caller, binds them by access tokens, and talks to
/// the authenticators (FIDO UAF ASM API). Bundled with the client, it has no interface of its own on the outside.
struct AuthenticatorModule: Sendable {
  let context: AuthenticatorContext
  let authenticators: [SealedAuthenticator]
  let personaID: String
  /// Identifies the caller: the facet.
  let callerID: String
  let displaysImages: Bool

  private static let tokenItem = ItemName(owner: nil, name: "uaf.asmToken")

  // MARK: Tokens

  /// Random, made at the first run, kept for the life of the store: of two first runs at once, the first one's is
  /// everybody's.
  private func asmToken() async throws -> [UInt8] {
    let token = try await context.keyStore.item(Self.tokenItem, orMaking: { try context.environment.random(32) })
    guard token.count == 32 else { throw AuthenticatorError(.integrityFailed, stage: "uaf.asm") }
    return token
  }

  /// What binds keys to this application, persona and caller.
  func accessToken(appID: String) async throws -> [UInt8] {
    KeyHandle.accessToken(
      appID: appID, asmToken: try await asmToken(), personaID: personaID, callerID: callerID)
  }

  // MARK: Keys

  /// The keys of this application and caller, oldest first: active ones, and those whose server has not answered yet.
  func keys(appID: String, token: [UInt8], states: Set<KeyRecord.State> = [.active, .staged]) async throws
    -> [RegisteredKey]
  {
    let query = KeyQuery(instance: context.instance, family: .uaf, party: appID, states: states)
    return try await context.keyStore.records(matching: query).compactMap { record in
      let handle = try KeyHandle(record.attributes)
      guard ConstantTime.equals(handle.accessToken, token) else { return nil }
      return RegisteredKey(record: record, handle: handle)
    }
  }

  /// All keys of this caller, for every application.
  func registrations() async throws -> [UAFRegistrations] {
    let query = KeyQuery(instance: context.instance, family: .uaf, states: [.active, .staged])
    let token = try await asmToken()
    var found: [UAFRegistrations] = []
    for record in try await context.keyStore.records(matching: query) {
      let handle = try KeyHandle(record.attributes)
      let appID = record.owner.party
      let expected = KeyHandle.accessToken(
        appID: appID, asmToken: token, personaID: personaID, callerID: callerID)
      guard ConstantTime.equals(handle.accessToken, expected) else { continue }
      let key = UAFRegistrations.Key(aaid: handle.aaid, keyID: handle.keyID, isConfirmed: record.state == .active)
      if let index = found.firstIndex(where: { $0.appID == appID }) {
        found[index].keys.append(key)
      } else {
        found.append(UAFRegistrations(appID: appID, keys: [key]))
      }
    }
    return found
  }

  // MARK: Keys that are gone for good

  private func goneItem(_ aaid: AAID, token: [UInt8]) -> ItemName {
    let name = SHA256.hash(token + Array(aaid.rawValue.uppercased().utf8))
    return ItemName(owner: nil, name: "uaf.gone." + Base64URL.encode(name))
  }

  /// The keys of a model that a changed enrolled set has ended.
  func goneKeys(_ aaid: AAID, token: [UInt8]) async throws -> Set<UAFKeyID> {
    guard let bytes = try await context.keyStore.item(goneItem(aaid, token: token)) else { return [] }
    return Set(Self.keyIDs(bytes))
  }

  private static func keyIDs(_ bytes: [UInt8]) -> [UAFKeyID] {
    stride(from: 0, to: bytes.count - bytes.count % 32, by: 32).compactMap { start in
      UAFKeyID(bytes: Array(bytes[start..<start + 32]))
    }
  }

  /// Deletes a key that can never be used again and remembers that it was there.
  func bury(_ key: RegisteredKey) async throws {
    let name = goneItem(key.handle.aaid, token: key.handle.accessToken)
    let keyID = key.handle.keyID
    try await context.keyStore.changeItem(name) { bytes in
      guard keyID.bytes.count == 32, !Self.keyIDs(bytes ?? []).contains(keyID) else { return bytes }
      return Array(((bytes ?? []) + keyID.bytes).suffix(32 * 64))
    }
    try await context.keyStore.delete(key.record.tag)
  }

  func forgetGoneKeys(_ aaid: AAID, token: [UInt8], only keyID: UAFKeyID? = nil) async throws {
    try await context.keyStore.changeItem(goneItem(aaid, token: token)) { bytes in
      guard let bytes, let keyID else { return nil }
      let kept = Self.keyIDs(bytes).filter { $0 != keyID }
      return kept.isEmpty ? nil : kept.flatMap(\.bytes)
    }
  }

  // MARK: Failures that the next operation must know of

  private func failureItem(_ aaid: AAID) -> ItemName {
    ItemName(owner: nil, name: "uaf.failed.\(aaid.rawValue.uppercased())")
  }

  /// Whether the last operation with this authenticator ended without recognizing the person.
  func hasFailed(_ aaid: AAID) async throws -> Bool {
    try await context.keyStore.item(failureItem(aaid)) != nil
  }

  func note(failure: Bool, of aaid: AAID) async throws {
    guard try await hasFailed(aaid) != failure else { return }
    try await context.keyStore.setItem(failureItem(aaid), to: failure ? [1] : nil)
  }

  // MARK: Commands

  /// Register: a staged key and its assertion. The key is marked as answered before the assertion leaves.
  func register(
    _ command: SealedAuthenticator.Command, with authenticator: SealedAuthenticator, username: String,
    attestationType: UAFAttestationType
  ) async throws -> (assertion: [UInt8], key: RegisteredKey) {
    let present = try await keys(appID: command.appID, token: command.accessToken)
      .filter { $0.handle.aaid == authenticator.model.aaid }
    try await discardUnanswered(present)
    if let maximum = authenticator.model.maximumKeys, present.count >= maximum {
      throw AuthenticatorError(.insufficientAuthenticatorResources, stage: "uaf.asm")
    }
    let (assertion, key) = try await authenticator.register(
      command, username: username, attestationType: attestationType)
    do {
      let record = try await context.keyStore.update(
        key.record.tag, details: RegistrationJournal.answered, expecting: key.record.version)
      return (assertion, RegisteredKey(record: record, handle: key.handle))
    } catch {
      await discard([key])
      throw error
    }
  }

  /// Takes a key into use that its server has accepted, in place of the user's older ones of the same model.
  func confirm(_ key: RegisteredKey) async throws {
    if key.record.state == .staged {
      try await context.keyStore.commit(key.record.tag, externalID: nil, details: RegistrationJournal.answered)
    }
    // The older key must not come back when this one is deregistered one day.
    guard let slot = key.record.slot else { return }
    let older = try await keys(
      appID: key.record.owner.party, token: key.handle.accessToken, states: [.retired, .staged]
    ).filter { other in
      other.record.slot == slot && other.record.tag != key.record.tag
        && (other.record.state == .retired || other.record.createdAt < key.record.createdAt)
    }
    for other in older { try await context.keyStore.delete(other.record.tag) }
  }

  /// Destroys staged keys of a failed operation; one that cannot be destroyed now goes at the next start.
  func discard(_ keys: [RegisteredKey]) async {
    for key in keys {
      do { try await context.keyStore.discard(key.record.tag) } catch {}
    }
  }

  /// Destroys staged keys whose response was never made: no server can know them.
  func discardUnanswered(_ keys: [RegisteredKey]) async throws {
    let now = context.environment.now()
    for key in keys where key.record.state == .staged && key.record.details.isEmpty {
      guard let journal = RegistrationJournal(key.record.journal), journal.end < now else { continue }
      try await context.keyStore.discard(key.record.tag)
    }
  }

  /// Authenticate: the assertion of one key.
  func sign(
    _ command: SealedAuthenticator.Command, with authenticator: SealedAuthenticator, key: RegisteredKey,
    ticket: VerificationTicket?, transaction: [UInt8]?
  ) async throws -> [UInt8] {
    do {
      let assertion = try await authenticator.sign(command, with: key, ticket: ticket, transaction: transaction)
      try await note(failure: false, of: authenticator.model.aaid)
      return assertion
    } catch {
      throw try await judged(error, key)
    }
  }

  /// What becomes of a key and of the next operation after a failure.
  func judged(_ error: any Error, _ key: RegisteredKey) async throws -> AuthenticatorError {
    let error = AuthenticatorError.wrapping(error, as: .keyAccessDenied, stage: "uaf.asm")
    switch error.code {
    case .keyInvalidated, .deviceNotRegistered: try await bury(key)
    case .userVerificationFailed: try await note(failure: true, of: key.handle.aaid)
    case .biometryNotEnrolled:
      // Registrations alone tell that nobody is enrolled.
      return AuthenticatorError(.keyAccessDenied, stage: "uaf.asm", underlying: error)
    default: break
    }
    return error
  }

  /// Deregister: what is there goes, what is not is no error.
  func deregister(_ scope: UAFDeregistrationRequest.Scope, appID: String) async throws {
    let token = try await accessToken(appID: appID)
    let all = try await keys(appID: appID, token: token, states: Set(KeyRecord.State.allCases))
    var failure: (any Error)?
    for key in all {
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
      for one in authenticators { try await forgetGoneKeys(one.model.aaid, token: token) }
    case .model(let aaid): try await forgetGoneKeys(aaid, token: token)
    case .key(let aaid, let keyID): try await forgetGoneKeys(aaid, token: token, only: keyID)
    }
    if let failure { throw failure }
  }
}

/// The keys that a caller has registered for one application.
public struct UAFRegistrations: Hashable, Sendable {
  /// One key.
  public struct Key: Hashable, Sendable {
    /// The model that holds it.
    public var aaid: AAID
    /// Its identifier.
    public var keyID: UAFKeyID
    /// Whether the server is known to have accepted it.
    public var isConfirmed: Bool
  }

  /// The application.
  public var appID: String
  /// Its keys, oldest first.
  public var keys: [Key]
}
