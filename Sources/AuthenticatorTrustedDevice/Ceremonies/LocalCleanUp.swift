import AuthenticatorCore

/// What can be finished without the server: keys that were replaced, keys to be destroyed, and enrollments that ended
/// before anything was proved to the server.
struct LocalCleanUp {
  let client: TrustedDeviceClient

  /// How long after its deadline an enrollment is given up: clocks differ between processes' views of them.
  static let grace: Duration = .seconds(5)

  private var shelf: CredentialShelf { client.shelf }
  private var store: any KeyStore { client.shelf.store }

  /// Does what works and reports the rest.
  func run() async {
    guard !client.scope.party.isEmpty else { return }
    await destroyListed()
    do {
      let records = try await store.records(matching: client.scope.query(states: [.retired, .staged]))
      for record in records {
        switch record.state {
        case .retired:
          guard let credential = shelf.read([record]).first, try await isReplaced(record) else { continue }
          await shelf.removeOrPostpone(credential, .replaced)
        case .staged: await giveUp(record)
        default: break
        }
      }
    } catch {
      client.emit(.postponed(.settlement, code: CredentialShelf.code(of: error)))
    }
  }

  /// Whether a retired key is needed no more: its successor is not one that is still to prove itself.
  private func isReplaced(_ record: KeyRecord) async throws -> Bool {
    let query = KeyQuery(instance: record.owner.instance, family: record.owner.family, slot: record.slot)
    return shelf.read(try await store.records(matching: query)).allSatisfy { !$0.details.isUnproven }
  }

  private func destroyListed() async {
    let work = PendingWork(store, scope: client.scope)
    do {
      for entry in try await work.entries() {
        guard case .removal(let tag) = entry else { continue }
        let store = store
        try await Turnstile.shielded {
          try await store.delete(tag)
          try await work.remove(entry)
        }
      }
    } catch {
      client.emit(.postponed(.removal, code: CredentialShelf.code(of: error)))
    }
  }

  /// An enrollment past its deadline whose proof was never sent left nothing on the server.
  private func giveUp(_ record: KeyRecord) async {
    do {
      guard try await store.item(AttemptMark.item(of: record.tag)) == nil, client.isPast(record) else { return }
      await shelf.discard(record.tag)
      client.emit(.enrollmentUndone)
    } catch {
      client.emit(.postponed(.settlement, code: CredentialShelf.code(of: error)))
    }
  }
}

extension TrustedDeviceClient {
  /// Whether no process can be at work on a staged key any more.
  func isPast(_ record: KeyRecord) -> Bool {
    let deadline = EnrollmentJournal(record.journal)?.deadline ?? record.createdAt.advanced(by: .seconds(3600))
    let now = context.environment.now()
    // A clock that was set back must not keep it for ever.
    return deadline.advanced(by: LocalCleanUp.grace) < now || now.advanced(by: .seconds(3600)) < record.createdAt
  }
}
