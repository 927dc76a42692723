import AuthenticatorCore

/// What can be finished without the server: keys that were replaced, keys to be destroyed, and enrollments that ended
/// before anything was proved to the server.
package struct LocalCleanUp {
  private let shelf: CredentialShelf
  private var report = TrustedDeviceReconciliation()

  package init(_ shelf: CredentialShelf) { self.shelf = shelf }

  /// How long after its deadline an enrollment is given up: clocks differ between processes' views of them.
  static let grace: Duration = .seconds(5)

  private var store: any KeyStore { shelf.store }

  /// Does what works and reports the rest.
  /// - Returns: what was removed and undone, and what failed.
  @discardableResult
  package static func run(_ shelf: CredentialShelf) async -> TrustedDeviceReconciliation {
    guard !shelf.scope.party.isEmpty else { return TrustedDeviceReconciliation() }
    var cleanUp = LocalCleanUp(shelf)
    await cleanUp.destroyListed()
    await cleanUp.settleReplacedAndStaged()
    return cleanUp.report
  }

  private mutating func settleReplacedAndStaged() async {
    do {
      for record in try await store.records(matching: shelf.scope.query(states: [.retired, .staged])) {
        switch record.state {
        case .retired:
          guard let credential = shelf.read([record]).first, try await isReplaced(record) else { continue }
          await remove(credential)
        case .staged: await giveUp(record)
        default: break
        }
      }
    } catch {
      note(error, .settlement)
    }
  }

  private mutating func remove(_ credential: LocalCredential) async {
    if let failure = await shelf.tryRemoving(credential, .replaced) {
      report.note(failure)
    } else {
      report.removed.append(.init(id: credential.id, reason: .replaced))
    }
  }

  /// Whether a retired key is needed no more: its successor is not one that is still to prove itself.
  private func isReplaced(_ record: KeyRecord) async throws -> Bool {
    let query = KeyQuery(instance: record.owner.instance, family: record.owner.family, slot: record.slot)
    return shelf.read(try await store.records(matching: query)).allSatisfy { !$0.details.isUnproven }
  }

  private mutating func destroyListed() async {
    let work = PendingWork(store, scope: shelf.scope)
    do {
      for entry in try await work.entries() {
        guard case .removal(let tag) = entry else { continue }
        // Read first: the name is needed for the report.
        let record = try await readable(tag)
        let store = store
        try await Turnstile.shielded {
          try await store.delete(tag)
          try await work.remove(entry)
        }
        guard let record else { continue }
        guard record.externalID != nil else {
          report.undone += 1
          continue
        }
        for credential in shelf.read([record]) {
          report.removed.append(.init(id: credential.id, reason: .postponed))
          shelf.emit(.removed(id: credential.id, reason: .postponed))
        }
      }
    } catch {
      note(error, .removal)
    }
  }

  /// Nil: there is none, or one that cannot be read; it goes all the same.
  private func readable(_ tag: KeyTag) async throws -> KeyRecord? {
    do { return try await store.record(tag) } catch let error as AuthenticatorError where error.code == .integrityFailed
    {
      return nil
    }
  }

  /// An enrollment past its deadline whose proof was never sent left nothing on the server.
  private mutating func giveUp(_ record: KeyRecord) async {
    do {
      guard try await store.item(AttemptMark.item(of: record.tag)) == nil, shelf.isPast(record) else { return }
      let (store, tag) = (store, record.tag)
      try await Turnstile.shielded { try await store.discard(tag) }
      report.undone += 1
      shelf.emit(.enrollmentUndone)
    } catch {
      note(error, .settlement)
    }
  }

  private mutating func note(_ error: any Error, _ task: TrustedDeviceEvent.Task) {
    let error = AuthenticatorError.wrapping(error, as: .storageFailed, stage: "reconcile")
    report.note(error)
    shelf.emit(.postponed(task, code: error.code))
  }
}
