internal import AuthenticatorCoding
internal import AuthenticatorCore

/// Listing and removing credentials, and what a relying party tells about them. Silent: nothing is shown.
extension WebAuthnPlatformAuthenticator {
  /// The discoverable credentials of a relying party in order of making, hidden ones included (silent credential
  /// discovery, WebAuthn Level 3 section 6.3.5). Not to be disclosed to the relying party.
  ///
  /// Credentials that only open to a verified person are listed too: the list stays on this device.
  public func credentials(of relyingPartyID: String) async throws -> [PublicKeyCredentialSource] {
    try await allRecords(of: relyingPartyID).compactMap { record in
      let source = try PublicKeyCredentialSource(record)
      return source.isDiscoverable ? source : nil
    }
  }

  /// Removes one credential of a relying party, discoverable or not, with the one it replaced. Its server still lists
  /// it: signing in there fails until it is registered again.
  /// - Throws: `keyNotFound` when there is none.
  public func deleteCredential(_ id: CredentialID, of relyingPartyID: String) async throws {
    let records = try await records(of: relyingPartyID, named: id)
    guard !records.isEmpty else { throw AuthenticatorError(.keyNotFound, stage: "deleteCredential") }
    for record in records { try await replacement.delete(record) }
  }

  /// Removes every credential of a relying party, in whatever state.
  public func deleteCredentials(of relyingPartyID: String) async throws {
    let query = KeyQuery(
      instance: context.instance, family: .webAuthn, party: relyingPartyID,
      states: Set(KeyRecord.State.allCases))
    for record in try await store.records(matching: query) { try await store.delete(record.tag) }
  }

  /// Removes every credential of this instance, of whatever type and in whatever state.
  func deleteAllCredentials() async throws {
    let query = KeyQuery(
      instance: context.instance, family: .webAuthn, states: Set(KeyRecord.State.allCases))
    for record in try await store.records(matching: query) { try await store.delete(record.tag) }
  }

  // MARK: - Signals (WebAuthn Level 3 section 5.1.10)

  /// The relying party does not know this credential: it is not offered any more. One that it replaced, and that waits,
  /// takes its place again.
  ///
  /// Hidden, not deleted: a relying party that is wrong, or restored from a backup, finds it again by naming it.
  public func hideCredential(_ id: CredentialID, of relyingPartyID: String) async throws {
    for record in try await records(of: relyingPartyID, named: id) {
      if let former = try await replacement.former(of: record) {
        try await replacement.bringBack(former)
      } else {
        try await setHidden(true, record)
      }
    }
  }

  /// These are all credentials the relying party accepts for an account: of what is here, only they are offered. What
  /// one of them replaced is destroyed; one that was replaced by another takes its place again.
  public func acceptCredentials(
    _ ids: Set<CredentialID>, userHandle: [UInt8], of relyingPartyID: String
  ) async throws {
    for record in try await records(of: relyingPartyID, userHandle: userHandle) {
      guard let id = record.externalID.flatMap(CredentialID.init) else { continue }
      let holder = try await replacement.settle(record, by: ids)
      guard holder == record.tag, let present = try await store.record(record.tag) else { continue }
      try await setHidden(!ids.contains(id), present)
    }
  }

  /// The account's names are now these.
  public func renameUser(
    _ userHandle: [UInt8], of relyingPartyID: String, name: String, displayName: String
  ) async throws {
    for record in try await records(of: relyingPartyID, userHandle: userHandle) {
      try await change(record) { details in
        details.userName = DisplayText.stored(name)
        details.userDisplayName = DisplayText.stored(displayName)
      }
    }
  }

  private func setHidden(_ isHidden: Bool, _ record: KeyRecord) async throws {
    try await change(record) { $0.isHidden = isHidden }
  }

  private func change(_ record: KeyRecord, _ body: (inout CredentialDetails) -> Void) async throws {
    try await replacement.change(record, body)
  }

  // MARK: - Look-up

  private func allRecords(of relyingPartyID: String) async throws -> [KeyRecord] {
    try await store.records(
      matching: KeyQuery(instance: context.instance, family: .webAuthn, party: relyingPartyID))
  }

  private func records(of relyingPartyID: String, userHandle: [UInt8]) async throws -> [KeyRecord] {
    try await store.records(
      matching: KeyQuery(
        instance: context.instance, family: .webAuthn, party: relyingPartyID, account: userHandle))
  }
}
