package import AuthenticatorCore

/// What becomes of a credential that another one took the place of.
///
/// It is kept, absent to every ceremony that does not name it, until its relying party has accepted a sign-in with the
/// new one or lists the new one: before that, the new one may be known to nobody.
package struct CredentialReplacement: Sendable {
  private let store: any KeyStore

  package init(_ store: any KeyStore) { self.store = store }

  /// The credential is known to its relying party: what it replaced goes.
  package func confirm(_ record: KeyRecord) async throws {
    guard CredentialDetails.isReplacing(record) else { return }
    for former in try await formers(of: record) { try await store.delete(former.tag) }
    try await change(record) { $0.isReplacing = false }
  }

  /// Puts a credential back in its place; the one that is there now is kept in its stead, until one of them is confirmed.
  package func bringBack(_ former: KeyRecord) async throws {
    try await store.exchange(former.tag)
    guard let present = try await store.record(former.tag) else { return }
    try await change(present) {
      $0.isReplacing = true
      $0.isHidden = false
    }
  }

  /// The credential that waits behind one, the oldest if there are several; nil: none does.
  package func former(of record: KeyRecord) async throws -> KeyRecord? {
    guard CredentialDetails.isReplacing(record) else { return nil }
    return try await formers(of: record).first
  }

  /// Destroys a credential and what waits behind it, which must not come back to life later.
  package func delete(_ record: KeyRecord) async throws {
    if record.state == .active { for former in try await formers(of: record) { try await store.delete(former.tag) } }
    try await store.delete(record.tag)
  }

  /// Takes back a credential that its relying party refused; the one behind it takes its place again.
  package func withdraw(_ record: KeyRecord) async throws {
    // Only what still holds its slot may give it back.
    guard let present = try await store.record(record.tag), present.state == .active else {
      if record.slot == nil { try await store.delete(record.tag) }
      return
    }
    if let former = try await former(of: present) { return try await store.restore(former.tag) }
    try await delete(present)
  }

  /// Leaves one credential behind the holder of a slot: the oldest, the only one that may have signed in.
  package func keepOneFormer(of record: KeyRecord) async throws {
    for former in try await formers(of: record).dropFirst() { try await store.delete(former.tag) }
  }

  /// The relying party's list of an account's credentials: what it shows is confirmed or brought back.
  ///
  /// - Returns: the tag of the credential that holds the place now.
  package func settle(_ record: KeyRecord, by ids: Set<CredentialID>) async throws -> KeyTag {
    if let id = record.externalID.flatMap(CredentialID.init), ids.contains(id) {
      try await confirm(record)
    } else if let former = try await former(of: record), let id = former.externalID.flatMap(CredentialID.init),
      ids.contains(id)
    {
      try await bringBack(former)
      return former.tag
    }
    return record.tag
  }

  private func formers(of record: KeyRecord) async throws -> [KeyRecord] {
    guard let slot = record.slot else { return [] }
    return try await store.records(
      matching: KeyQuery(
        instance: record.owner.instance, family: .webAuthn, slot: slot, states: [.retired]))
  }

  /// Rewrites the display data; starts over when somebody else was faster.
  func change(_ record: KeyRecord, _ body: (inout CredentialDetails) -> Void) async throws {
    var record = record
    for _ in 0..<8 {
      let old = try CredentialDetails(record)
      var new = old
      body(&new)
      guard new != old else { return }
      do {
        try await store.update(record.tag, details: new.encoded, expecting: record.version)
        return
      } catch let error as AuthenticatorError where error.code == .busy {
        guard let present = try await store.record(record.tag) else { return }
        record = present
      }
    }
    throw AuthenticatorError(.busy, stage: "credential", reason: "the record changes all the time")
  }
}
