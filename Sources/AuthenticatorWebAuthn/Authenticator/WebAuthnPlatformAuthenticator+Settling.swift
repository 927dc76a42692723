internal import AuthenticatorCoding
internal import AuthenticatorCore

/// What becomes of credentials that were not finished, replaced or refused.
extension WebAuthnPlatformAuthenticator {
  /// Takes back a new credential whose server refused it; the one it replaced comes back.
  ///
  /// To be called before the new credential was used; a replaced one that is gone by then stays gone.
  /// - Throws: what the store throws; a credential that is not there is no error.
  public func withdraw(_ credential: PublicKeyCredentialSource) async throws {
    try await replacement.withdraw(credential.record)
  }

  /// `withdraw(_:)` for whoever knows the credential's name only.
  ///
  /// One that another credential has taken the place of meanwhile goes, or one that is not finished, and the place
  /// stays as it is.
  /// - Returns: false when there is none of this name.
  @discardableResult
  package func withdraw(_ id: CredentialID) async throws -> Bool {
    let records = try await records(named: id, states: [.staged, .active, .retired])
    for record in records { try await replacement.withdraw(record) }
    return !records.isEmpty
  }

  /// Hands a new credential's response on; when that fails, nobody will ever know the credential, and it is taken back.
  ///
  /// - Throws: what `body` throws, even if the credential cannot be taken back.
  package func handingOver<Result>(
    _ response: RegistrationResponse, _ body: () throws -> Result
  ) async throws -> Result {
    do { return try body() } catch {
      do { try await withdraw(response.id) } catch {}
      throw error
    }
  }

  /// The relying party has accepted a sign-in with a credential, or lists it: what it replaced is destroyed.
  ///
  /// To be called by whoever learns of the acceptance; until then the replaced one waits, and signs in when the relying
  /// party names it. `acceptCredentials(_:userHandle:of:)` does the same for a whole list.
  /// - Throws: what the store throws; a credential that is not there is no error.
  public func confirm(_ id: CredentialID, of relyingPartyID: String) async throws {
    for record in try await records(of: relyingPartyID, named: id) { try await replacement.confirm(record) }
  }

  /// `confirm(_:of:)` for whoever knows the credential's name only.
  ///
  /// - Returns: false when there is none of this name.
  @discardableResult
  package func confirm(_ id: CredentialID) async throws -> Bool {
    let records = try await records(named: id, states: [.active])
    for record in records { try await replacement.confirm(record) }
    return !records.isEmpty
  }

  /// Of whichever relying party.
  private func records(named id: CredentialID, states: Set<KeyRecord.State>) async throws -> [KeyRecord] {
    try await store.records(
      matching: KeyQuery(instance: context.instance, family: .webAuthn, externalID: id.bytes, states: states))
  }

  var replacement: CredentialReplacement { CredentialReplacement(store) }

  /// Undoes a registration that failed. What even that leaves behind is staged, offered by nobody, and discarded by a
  /// later ceremony or `discardAbandonedCredentials()`.
  func takeBack(_ staged: StagedKey) async {
    do {
      try await staged.discard()
    } catch let error as AuthenticatorError where error.code == .invalidKeyState {
      // The commit came through although it was reported as failed.
      do { try await replacement.withdraw(staged.record) } catch {}
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

  /// Cleans one slot before a key is made for it: staged keys whose time is over, and retired ones whose successor is
  /// confirmed or was deleted.
  ///
  /// What cannot be cleaned now is absent to every ceremony and waits for the next time.
  func settle(slot: String) async {
    do {
      let records = try await store.records(
        matching: KeyQuery(
          instance: context.instance, family: .webAuthn, slot: slot, states: [.staged, .active, .retired]))
      let holder = records.first { $0.state == .active }
      for record in records where record.state != .active {
        if record.state == .staged {
          if isAbandoned(record) { try await store.discard(record.tag) }
        } else if holder.map(CredentialDetails.isReplacing) != true {
          try await store.delete(record.tag)
        }
      }
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
