import AuthenticatorCore

/// What becomes of new keys, and of those they replace.
extension CredentialShelf {
  /// Makes the key of an enrollment: durable, not offered.
  /// - Throws: what the authenticator throws, foreign errors as `keyGenerationFailed`.
  package func stage(
    _ attributes: CredentialAttributes, userID: String, with authenticator: any DeviceAuthenticator,
    _ operation: OperationID, _ prompt: Prompt, deadline: Duration, journal: EnrollmentJournal
  ) async throws -> StagedKey {
    let key = KeyRequest(
      owner: scope.owner(userID), algorithms: [.es256], slot: scope.slot(userID), attributes: attributes.bytes,
      journal: journal.bytes)
    do {
      return try await authenticator.register(
        RegistrationRequest(key: key, operation: operation, prompt: prompt, deadline: deadline))
    } catch {
      throw AuthenticatorError.wrapping(error, as: .keyGenerationFailed, stage: "enroll")
    }
  }

  /// Notes, before a proof is sent, that the server may know a staged key from now on.
  package func mark(_ tag: KeyTag, _ mark: AttemptMark) async throws {
    let store = store
    try await Turnstile.shielded { try await store.setItem(AttemptMark.item(of: tag), to: mark.bytes) }
  }

  /// The mark of a staged key; nil: its proof never left, or what is stored of that cannot be read.
  package func mark(of record: KeyRecord) async throws -> AttemptMark? {
    guard record.state == .staged, let item = try await store.item(AttemptMark.item(of: record.tag)) else { return nil }
    do { return try AttemptMark(item) } catch {
      emit(.recordSetAside(reason: Self.code(of: error)))
      return nil
    }
  }

  /// Gives up a user's interrupted enrollments that a newer fact has overtaken: another key was accepted, and their
  /// challenges have ended. The server told their names beforehand, so what it may have made of them is certainly this
  /// installation's: it is revoked in the user's next session.
  /// - Parameters:
  ///   - time: now, on the server's clock.
  ///   - isOvertaken: whether a key that no process is at work on is one of them.
  package func giveUpOvertaken(
    userID: String, at time: UnixTime, where isOvertaken: (KeyRecord, AttemptMark) -> Bool
  ) async {
    do {
      for record in try await store.records(matching: scope.query(user: userID, states: [.staged])) {
        guard isPast(record), let mark = try await mark(of: record), let id = mark.id, mark.until < time,
          isOvertaken(record, mark)
        else { continue }
        let (store, scope, tag) = (store, scope, record.tag)
        try await Turnstile.shielded {
          try await PendingWork(store, scope: scope).add(.revocation(id: id, userID: userID))
          try await store.discard(tag)
        }
        emit(.enrollmentUndone)
      }
    } catch {
      emit(.postponed(.settlement, code: Self.code(of: error)))
    }
  }

  /// Destroys a staged key, now or as soon as that works.
  package func discard(_ tag: KeyTag) async {
    let store = store
    do {
      try await Turnstile.shielded { try await store.discard(tag) }
    } catch {
      emit(.postponed(.removal, code: Self.code(of: error)))
      // Its journal has a deadline, after which it goes; the list makes that sooner.
      await listForRemoval(tag)
    }
  }

  /// The server has accepted: the key is offered from now on, the slot's former holder is not.
  package func commit(_ record: KeyRecord, as id: String, _ details: CredentialDetails) async throws {
    let index = CredentialIndex(store, scope: scope)
    try await index.prepare(record, id: id, details)
    let (store, tag, id) = (store, record.tag, Array(id.utf8))
    let committed: KeyRecord
    do {
      committed = try await Turnstile.shielded { try await store.commit(tag, externalID: id, details: details.bytes) }
    } catch {
      // The write may have taken effect although it failed; the record tells.
      guard let now = try await store.record(tag), now.state == .active, now.externalID == id else { throw error }
      committed = now
    }
    await makeCertain(committed, details)
    do { try await index.finish(record) } catch {
      // The entry was written before; only another process can have overwritten it.
      emit(.postponed(.saving, code: Self.code(of: error)))
    }
  }

  /// Another process may have taken the key into use from the list alone: whoever knows better writes that down.
  private func makeCertain(_ record: KeyRecord, _ details: CredentialDetails) async {
    guard record.details != details.bytes, !details.isUnproven else { return }
    do {
      guard try CredentialDetails(record.details).isUnproven else { return }
      let (store, tag, version) = (store, record.tag, record.version)
      try await Turnstile.shielded { _ = try await store.update(tag, details: details.bytes, expecting: version) }
    } catch {
      // It stays unproven: the first signature proves it.
      emit(.postponed(.saving, code: Self.code(of: error)))
    }
  }

  /// Writes down that the server has taken a recovered credential's signature.
  package func prove(_ credential: LocalCredential) async throws {
    var details = credential.details
    details.isUnproven = false
    guard let record = try await store.record(credential.tag) else { return }
    try await store.update(credential.tag, details: details.bytes, expecting: record.version)
  }

  /// Removes what a new credential replaces here: the user's former keys, and with the scope `installation`
  /// everybody's. The server has replaced the user's own by itself; others' are revoked in the next session of theirs.
  /// What cannot be removed is tried again and not offered.
  package func removeReplaced(
    by record: KeyRecord, userID: String, in replaceScope: TrustedDeviceConfiguration.ReplaceScope
  ) async {
    do {
      let retired = scope.query(user: userID, states: [.retired])
      var others = try await store.records(matching: retired)
      if replaceScope == .installation {
        others += try await store.records(matching: scope.query(states: [.active, .retired]))
      }
      var seen: Set<KeyTag> = [record.tag]
      for other in others where seen.insert(other.tag).inserted {
        guard let credential = read([other]).first else { continue }
        if credential.userID != userID {
          await removeOther(credential)
        } else {
          await removeOrPostpone(credential, .replaced)
        }
      }
    } catch {
      emit(.postponed(.removal, code: Self.code(of: error)))
    }
  }

  /// Removes another user's credential here. The server's is revoked in a session of that user, unless it may be
  /// another installation's, which is only reported.
  private func removeOther(_ credential: LocalCredential) async {
    if credential.details.isUnproven {
      emit(.unclaimed(id: credential.id))
    } else if !(await queueRevocation(of: credential)) {
      _ = await bury(credential, .replaced)
      return
    }
    await removeOrPostpone(credential, .replaced)
  }

  /// A recovered credential is not this installation's after all: the key it had replaced is offered again, if there is
  /// one.
  /// - Returns: why that could not be done now; nil: it is gone.
  func takeBack(_ credential: LocalCredential) async -> AuthenticatorError? {
    let store = store
    do {
      let former = try await store.records(
        matching: scope.query(user: credential.userID, states: [.retired])
      ).last { $0.slot == credential.record.slot }
      guard let former else { return await tryRemoving(credential, .unproven) }
      try await CredentialIndex(store, scope: scope).noteReturn()
      try await Turnstile.shielded { try await store.restore(former.tag) }
      emit(.removed(id: credential.id, reason: .unproven))
      return nil
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .storageFailed, stage: "trustedDevice")
      emit(.postponed(.removal, code: error.code))
      return error
    }
  }
}
