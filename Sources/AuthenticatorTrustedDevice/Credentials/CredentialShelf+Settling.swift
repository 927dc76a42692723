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
    do {
      _ = try await Turnstile.shielded { try await store.commit(tag, externalID: id, details: details.bytes) }
    } catch {
      // The write may have taken effect although it failed; the record tells.
      let now = try await store.record(tag)
      guard now?.state == .active, now?.externalID == id else { throw error }
    }
    do { try await index.finish(record) } catch {
      // The entry was written before; only another process can have overwritten it.
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

  /// Removes what a new credential replaces here: the user's former keys, and with the scope `installation` everybody's.
  /// The server has replaced its own by itself. What cannot be removed is tried again and not offered.
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
        await removeOrPostpone(credential, .replaced)
      }
    } catch {
      emit(.postponed(.removal, code: Self.code(of: error)))
    }
  }

  /// A recovered credential is not this installation's after all: the key it had replaced is offered again, if there is
  /// one.
  /// - Returns: whether it is gone.
  package func takeBack(_ credential: LocalCredential) async -> Bool {
    let store = store
    do {
      let former = try await store.records(
        matching: scope.query(user: credential.userID, states: [.retired])
      ).last { $0.slot == credential.record.slot }
      guard let former else { return await removeOrPostpone(credential, .unproven) }
      try await CredentialIndex(store, scope: scope).noteReturn()
      try await Turnstile.shielded { try await store.restore(former.tag) }
      emit(.removed(id: credential.id, reason: .unproven))
      return true
    } catch {
      emit(.postponed(.removal, code: Self.code(of: error)))
      return false
    }
  }
}
