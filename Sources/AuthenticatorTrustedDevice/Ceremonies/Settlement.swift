import AuthenticatorCore

extension TrustedDeviceClient {
  func reconcile() async throws -> TrustedDeviceReconciliation {
    // The first look at what earlier runs have left is this one, so that what it finishes is reported.
    var local = try await startAnew()
    guard !scope.party.isEmpty, let session = state.session, session.isSignedIn, let userID = session.user?.id else {
      try await local.countLeftovers(of: shelf)
      return local
    }
    var settlement = Settlement(client: self, sessionID: session.id, userID: userID, report: local)
    return try await settlement.reconcile(isActive: session.status == .active)
  }

  /// Settles what earlier runs have left for the signed-in user. Asks the server only when something is left; what
  /// fails is reported and tried again.
  func settleQuietly() async {
    guard !scope.party.isEmpty, let session = state.session, session.isSignedIn, let userID = session.user?.id
    else { return }
    do {
      var settlement = Settlement(client: self, sessionID: session.id, userID: userID)
      try await settlement.settleLeftovers()
    } catch {
      emit(.postponed(.settlement, code: CredentialShelf.code(of: error)))
    }
  }

  /// The same, unless an operation is under way that does it itself.
  func settleIfFree() async {
    do {
      _ = try await operations.runIfFree {
        try await started()
        await settleQuietly()
      }
    } catch {
      emit(.postponed(.settlement, code: CredentialShelf.code(of: error)))
    }
  }

  /// What became of an attempt without an answer.
  enum Recovery: Sendable {
    /// The server made a credential of it, which is committed.
    case enrolled(TrustedDevice)
    /// It is not in the server's list.
    case absent
    /// The list could not be had, or what is in it cannot be told apart.
    case unknown
  }

  /// Looks in the server's list for what an attempt without an answer may have made.
  func recover(_ tag: KeyTag, sessionID: String, userID: String) async -> Recovery {
    var settlement = Settlement(client: self, sessionID: sessionID, userID: userID)
    do {
      guard let record = try await shelf.store.record(tag) else { return .unknown }
      if let device = try await settlement.settle(staged: record) { return .enrolled(device) }
      return settlement.report.failures.isEmpty && !settlement.isAmbiguous ? .absent : .unknown
    } catch {
      emit(.postponed(.settlement, code: CredentialShelf.code(of: error)))
      return .unknown
    }
  }

  /// Deletes a credential on the server; one that is not there is no error.
  /// - Returns: the device as the server describes it; nil: there is none.
  /// - Throws: `invalidMessage` for an answer that is about another device, or does not say that it is revoked.
  func revokeOnServer(_ id: String, sessionID: String?) async throws -> TrustedDevice? {
    do {
      return try await deleteOnServer(id, sessionID: sessionID)
    } catch let error as AuthenticatorError {
      guard let refusal = error.frontendError else { throw error }
      if refusal.isCredentialMissing { return nil }
      guard refusal.saysSomethingIsMissing, try await isUnlisted(id, sessionID: sessionID, after: error) else {
        throw error
      }
      return nil
    }
  }

  /// The same, with every refusal as an error.
  func deleteOnServer(_ id: String, sessionID: String?) async throws -> TrustedDevice {
    let answer = try await api.send(
      FrontendRequest("DELETE", "me", configuration.urlFamily.rawValue, id, sessionID: sessionID, retrying: .once))
    let device = try TrustedDevice(try answer.object("trusted device"))
    guard device.id == id, device.status == .revoked else {
      throw AuthenticatorError(
        .invalidMessage, stage: "revoke",
        reason: "the server's answer is about another device, or does not say that it is revoked")
    }
    return device
  }

  /// After an answer that says that something is missing, and not what: whether the list lacks the credential.
  /// - Throws: `error` when the list cannot be had.
  private func isUnlisted(_ id: String, sessionID: String?, after error: AuthenticatorError) async throws -> Bool {
    do {
      return try await !fetchList(sessionID: sessionID).contains { $0.id == id && $0.status == .active }
    } catch {
      emit(.postponed(.revocation, code: CredentialShelf.code(of: error)))
    }
    throw error
  }
}

extension FrontendAPIError {
  /// Whether the server, in its own form, says that there is no such thing; a bare 404 of some proxy is not that.
  fileprivate var saysSomethingIsMissing: Bool {
    status == 404 && (has("resource_not_found") || has("form_resource_not_found"))
  }
}

/// Brings one user's credentials on this installation and on the server together, in that user's session.
struct Settlement {
  let client: TrustedDeviceClient
  let sessionID: String
  let userID: String
  private(set) var report: TrustedDeviceReconciliation
  /// Whether more than one credential could be what an attempt has made.
  private(set) var isAmbiguous = false
  private var listed: (devices: [TrustedDevice], clock: ServerClock)?

  init(
    client: TrustedDeviceClient, sessionID: String, userID: String,
    report: TrustedDeviceReconciliation = TrustedDeviceReconciliation()
  ) {
    self.client = client
    self.report = report
    self.sessionID = sessionID
    self.userID = userID
  }

  private var store: any KeyStore { client.shelf.store }
  private var scope: CredentialScope { client.scope }

  /// How long a credential may be missing from the list after its challenge ended: lists lag, clocks differ.
  private static let grace: Duration = .seconds(60)

  /// - Parameter isActive: whether nothing is left to do in the session; before that, what earlier runs have left is
  ///   settled, and nothing else is looked at.
  mutating func reconcile(isActive: Bool) async throws -> TrustedDeviceReconciliation {
    guard isActive else {
      try await settleLeftovers()
      return report
    }
    report.askedServer = true
    // Read before the list: what another process enrolls meanwhile is not missing from it.
    let before = try await client.shelf.active(userID: userID)
    let devices = try await list().devices
    try await settleLeftovers()
    let after = Set(try await client.shelf.active(userID: userID).map(\.tag))
    for credential in before where after.contains(credential.tag) {
      let device = devices.first { $0.id == credential.id }
      guard device?.status != .active else { continue }
      await remove(credential, device == nil ? .missingOnServer : .revokedOnServer)
    }
    return report
  }

  /// - Throws: when the store cannot be read; what fails for one credential is reported.
  mutating func settleLeftovers() async throws {
    for record in try await store.records(matching: scope.query(user: userID, states: [.staged])) {
      do { _ = try await settle(staged: record) } catch { note(error) }
    }
    await finishRevocations()
    let tombstones = try await store.records(matching: scope.query(user: userID, states: [.revoking]))
    for credential in client.shelf.read(tombstones) {
      if credential.details.isUnproven {
        leave(credential.id)
      } else {
        guard await revoke(credential.id) else { continue }
      }
      let (store, tag) = (store, credential.tag)
      do { try await Turnstile.shielded { try await store.delete(tag) } } catch { note(error) }
    }
    guard client.configuration.revokesOrphans else { return }
    for credential in try await client.shelf.active(userID: userID) {
      switch try await client.shelf.condition(of: credential) {
      case .missing: await revokeLost(credential, .keyMissing)
      case .void: await revokeLost(credential, .keyInvalidated)
      case .usable, .unusable: break
      }
    }
  }

  // MARK: Interrupted enrollments

  /// - Returns: the credential, when the server made one of it and it is committed.
  mutating func settle(staged record: KeyRecord) async throws -> TrustedDevice? {
    guard record.state == .staged else { return nil }
    let item = try await store.item(AttemptMark.item(of: record.tag))
    guard let item else {
      // Nothing was proved to the server: the local clean-up gives it up once its time is over.
      if !client.shelf.isPast(record) { report.pending += 1 }
      return nil
    }
    let mark: AttemptMark
    do { mark = try AttemptMark(item) } catch {
      // The widest span that an attempt of this key can have.
      let deadline = EnrollmentJournal(record.journal)?.deadline ?? record.createdAt
      mark = AttemptMark(
        from: record.createdAt.advanced(by: .seconds(-3600)), until: deadline.advanced(by: .seconds(3600)))
    }
    let (devices, clock) = try await list()
    if let own = try Self.own(record, mark, among: devices) {
      return try await accept(own, for: record, isCertain: true)
    }
    let found = mark.id == nil ? try await candidates(for: record, mark, among: devices) : []
    if found.count == 1 { return try await accept(found[0], for: record, isCertain: false) }
    isAmbiguous = !found.isEmpty
    guard mark.until.advanced(by: Self.grace) < clock.now else {
      report.pending += 1
      return nil
    }
    // The challenge has ended: what is not there now was never made, and what cannot be told apart stays the server's.
    try await undo(record)
    for device in found { leave(device.id) }
    return nil
  }

  private mutating func undo(_ record: KeyRecord) async throws {
    let (store, tag) = (store, record.tag)
    try await Turnstile.shielded { try await store.discard(tag) }
    report.undone += 1
    client.emit(.enrollmentUndone)
  }

  /// A credential that may be another installation's is not touched, whatever becomes of ours; the person can tell.
  private mutating func leave(_ id: String) {
    report.unclaimed.append(id)
    client.emit(.unclaimed(id: id))
  }

  /// What the attempt has certainly made: the credential that was named beforehand, or the one of this very key.
  private static func own(
    _ record: KeyRecord, _ mark: AttemptMark, among devices: [TrustedDevice]
  ) throws -> TrustedDevice? {
    let thumbprint = try ProofText.thumbprint(record.publicKey)
    return devices.first { device in
      guard device.status == .active else { return false }
      return device.publicKeyThumbprint.map { $0 == thumbprint } ?? (mark.id == device.id)
    }
  }

  /// What the attempt can have made, where the server shows no keys: of this app and platform, made in its time, and
  /// nobody else's here. A server may write a name in its own way, so that decides only among several.
  private func candidates(
    for record: KeyRecord, _ mark: AttemptMark, among devices: [TrustedDevice]
  ) async throws -> [TrustedDevice] {
    let attributes = try CredentialAttributes(record.attributes)
    let known = try await store.records(matching: scope.query(states: .everyState)).compactMap(\.externalID)
    let earliest = mark.from.advanced(by: .seconds(-2))
    let latest = mark.until.advanced(by: Self.grace)
    let found = devices.filter { device in
      device.status == .active && device.publicKeyThumbprint == nil && device.algorithm == .es256
        && device.appIdentifier == scope.party && device.platform.rawValue == attributes.platform
        && device.createdAt >= earliest && device.createdAt <= latest && !known.contains(Array(device.id.utf8))
    }
    guard found.count > 1 else { return found }
    let named = found.filter { ($0.name ?? "") == (attributes.name ?? "") }
    return named.isEmpty ? found : named
  }

  private mutating func accept(
    _ device: TrustedDevice, for record: KeyRecord, isCertain: Bool
  ) async throws -> TrustedDevice? {
    let active = try await store.records(matching: scope.query(user: userID))
    guard !active.contains(where: { $0.createdAt > record.createdAt }) else {
      // A later enrollment has succeeded meanwhile: this one is undone, and the server's half if it is certainly ours.
      if isCertain {
        guard await revoke(device.id) else { return nil }
      } else {
        leave(device.id)
      }
      try await undo(record)
      return nil
    }
    // A list entry that only fits is not certain to be this key's.
    try await client.shelf.commit(
      record, as: device.id,
      CredentialDetails(createdAt: device.createdAt, updatedAt: device.updatedAt, isUnproven: !isCertain))
    report.enrolled.append(device.id)
    client.emit(.enrolled(id: device.id, isRecovered: true))
    // Otherwise the key it replaces stays, not offered, until the first signature has shown that this is the right one.
    if isCertain {
      await client.shelf.removeReplaced(by: record, userID: userID, in: client.configuration.replaceScope)
    }
    return device
  }

  // MARK: Revocations

  private mutating func finishRevocations() async {
    let work = PendingWork(store, scope: scope)
    do {
      for entry in try await work.entries() {
        guard case .revocation(let id, userID) = entry, await revoke(id) else { continue }
        try await Turnstile.shielded { try await work.remove(entry) }
      }
    } catch {
      note(error)
    }
  }

  private mutating func revokeLost(
    _ credential: LocalCredential, _ reason: TrustedDeviceEvent.RemovalReason
  ) async {
    // What was only recovered from the list may be another installation's.
    if credential.details.isUnproven {
      leave(credential.id)
      return await remove(credential, reason)
    }
    if await revoke(credential.id) { return await remove(credential, reason) }
    // The row stays and remembers; it is not offered any more.
    _ = await client.shelf.condemn(credential, reason, keepsForRevocation: true)
  }

  /// - Returns: whether the server has no such credential any more.
  private mutating func revoke(_ id: String) async -> Bool {
    do {
      _ = try await client.revokeOnServer(id, sessionID: sessionID)
      report.revoked.append(id)
      client.emit(.orphanRevoked(id: id))
      return true
    } catch {
      note(error)
      return false
    }
  }

  private mutating func remove(_ credential: LocalCredential, _ reason: TrustedDeviceEvent.RemovalReason) async {
    // A wrongly recovered credential gives its place back to the key that it had replaced.
    let failure =
      credential.details.isUnproven
      ? await client.shelf.takeBack(credential) : await client.shelf.tryRemoving(credential, reason)
    if let failure {
      report.note(failure)
    } else {
      report.removed.append(.init(id: credential.id, reason: reason))
    }
  }

  private mutating func list() async throws -> (devices: [TrustedDevice], clock: ServerClock) {
    if let listed { return listed }
    let fetched = try await client.fetchListAndClock(sessionID: sessionID)
    report.askedServer = true
    listed = fetched
    return fetched
  }

  private mutating func note(_ error: any Error) {
    let error = AuthenticatorError.wrapping(error, as: .storageFailed, stage: "reconcile")
    report.note(error)
    client.emit(.postponed(.settlement, code: error.code))
  }
}
