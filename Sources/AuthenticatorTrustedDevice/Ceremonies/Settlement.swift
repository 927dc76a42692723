import AuthenticatorCore

/// Brings one user's credentials on this installation and on the server together, in that user's session.
struct Settlement {
  let client: TrustedDeviceClient
  let sessionID: String
  let userID: String
  var report: TrustedDeviceReconciliation
  /// Whether more than one credential could be what an attempt has made.
  var isAmbiguous = false
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

  var store: any KeyStore { client.shelf.store }
  var scope: CredentialScope { client.scope }

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

  // MARK: Revocations

  /// A credential that may be another installation's is not touched, whatever becomes of ours; the person can tell.
  mutating func leave(_ id: String) {
    report.unclaimed.append(id)
    client.emit(.unclaimed(id: id))
  }

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
    // Only the server's half is left to do then, and remembered.
    if await client.shelf.condemn(credential, reason, keepsForRevocation: true) {
      report.removed.append(.init(id: credential.id, reason: reason))
    }
  }

  /// - Returns: whether the server has no such credential any more.
  mutating func revoke(_ id: String) async -> Bool {
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

  mutating func list() async throws -> (devices: [TrustedDevice], clock: ServerClock) {
    if let listed { return listed }
    let fetched = try await client.fetchListAndClock(sessionID: sessionID)
    report.askedServer = true
    listed = fetched
    return fetched
  }

  mutating func note(_ error: any Error) {
    let error = AuthenticatorError.wrapping(error, as: .storageFailed, stage: "reconcile")
    report.note(error)
    client.emit(.postponed(.settlement, code: error.code))
  }
}
