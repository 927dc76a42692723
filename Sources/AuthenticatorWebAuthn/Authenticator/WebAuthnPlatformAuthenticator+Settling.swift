internal import AuthenticatorCoding
internal import AuthenticatorCore

/// What becomes of credentials that were not finished, replaced or refused.
extension WebAuthnPlatformAuthenticator {
  /// Takes back a new credential whose server refused it; the one it replaced comes back.
  ///
  /// To be called before the new credential was used; a replaced one that is gone by then stays gone.
  /// - Throws: what the store throws; a credential that is not there is no error.
  public func withdraw(_ credential: PublicKeyCredentialSource) async throws {
    try await withdraw(credential.record)
  }

  /// `withdraw(_:)` for whoever knows the credential's name only.
  package func withdraw(_ id: CredentialID) async throws {
    let query = KeyQuery(instance: context.instance, family: .webAuthn, externalID: id.bytes)
    for record in try await store.records(matching: query) { try await withdraw(record) }
  }

  private func withdraw(_ record: KeyRecord) async throws {
    if let slot = record.slot {
      let retired = try await store.records(
        matching: KeyQuery(instance: context.instance, family: .webAuthn, slot: slot, states: [.active, .retired]))
      // Only what still holds its slot may give it back.
      guard retired.contains(where: { $0.tag == record.tag && $0.state == .active }) else { return }
      if let former = retired.last(where: { $0.state == .retired }) { return try await store.restore(former.tag) }
    }
    try await store.delete(record.tag)
  }

  /// Undoes a registration that failed. What even that leaves behind is staged, offered by nobody, and discarded by a
  /// later ceremony or `discardAbandonedCredentials()`.
  func takeBack(_ staged: StagedKey) async {
    do {
      try await staged.discard()
    } catch let error as AuthenticatorError where error.code == .invalidKeyState {
      // The commit came through although it was reported as failed.
      do { try await withdraw(staged.record) } catch {}
    } catch {}
  }

  /// Discards what a failed `register` left behind; the name of the key is known, whatever became of the answer.
  func discardStaged(_ key: KeyRequest) async {
    let query = KeyQuery(
      instance: key.owner.instance, family: key.owner.family, party: key.owner.party, externalID: key.externalID,
      states: [.staged])
    do {
      for record in try await store.records(matching: query) { try await store.discard(record.tag) }
    } catch {}
  }

  /// Discards credentials whose making was cut off (a crash, a failing disk) and whose time is over.
  ///
  /// Ceremonies do so for their own account; an app may call this when it starts.
  /// - Throws: what the store throws.
  public func discardAbandonedCredentials() async throws {
    let query = KeyQuery(instance: context.instance, family: .webAuthn, states: [.staged])
    for record in try await store.records(matching: query) where isAbandoned(record) {
      try await store.discard(record.tag)
    }
  }

  /// Cleans one slot before a key is made for it: staged keys whose time is over, and retired ones whose successor has
  /// signed. Returns whether there is something to be replaced.
  ///
  /// What cannot be cleaned now is absent to every ceremony and waits for the next time.
  func settle(slot: String) async -> Bool {
    do {
      let records = try await store.records(
        matching: KeyQuery(
          instance: context.instance, family: .webAuthn, slot: slot, states: [.staged, .active, .retired]))
      let holder = records.first { $0.state == .active }
      for record in records where record.state != .active {
        if record.state == .staged {
          if isAbandoned(record) { try await store.discard(record.tag) }
        } else if let holder, !CredentialDetails.isReplacing(holder) {
          try await store.delete(record.tag)
        }
      }
      return holder != nil
    } catch {
      return true
    }
  }

  /// Destroys what a credential replaced, now that it has signed. The signature is good whether this succeeds or not;
  /// if not, the next one tries again.
  func settle(provenBy record: KeyRecord) async {
    guard let slot = record.slot else { return }
    do {
      let retired = try await store.records(
        matching: KeyQuery(instance: context.instance, family: .webAuthn, slot: slot, states: [.retired]))
      for former in retired { try await store.delete(former.tag) }
      try await change(record) { $0.isReplacing = false }
    } catch {}
  }

  // MARK: - Journal

  /// When a staged key is given up for lost, in wall-clock milliseconds.
  static func journal(until deadline: Duration, in environment: AuthenticatorEnvironment) -> [UInt8] {
    let end = environment.now().advanced(by: deadline - environment.uptime() + .seconds(60))
    var writer = ByteWriter(capacity: 8)
    writer.write(UInt64(bitPattern: end.milliseconds))
    return writer.bytes
  }

  private func isAbandoned(_ record: KeyRecord) -> Bool {
    var reader = ByteReader(record.journal)
    guard let end = try? reader.read(UInt64.self) else { return false }
    return environment.now().milliseconds > Int64(bitPattern: end)
  }
}
