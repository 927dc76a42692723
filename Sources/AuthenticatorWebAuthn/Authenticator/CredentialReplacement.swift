package import AuthenticatorCore

/// What becomes of a credential that another one took the place of.
///
/// It is kept, absent to every ceremony that does not name it, until its relying party has accepted a sign-in with the
/// new one or lists the new one: before that, the new one may be known to nobody.
package struct CredentialReplacement: Sendable {
  /// How many credentials wait behind one at most.
  package static let maximumFormers = 8

  private let store: any KeyStore

  package init(_ store: any KeyStore) { self.store = store }

  /// The credential is known to its relying party: what it replaced goes.
  ///
  /// One whose place was taken meanwhile confirms nothing, as it is itself what waits.
  package func confirm(_ record: KeyRecord) async throws {
    guard CredentialDetails.isReplacing(record), let standing = try await standing(of: record) else { return }
    for former in standing.formers { try await store.delete(former.tag) }
    try await change(standing.holder) { $0.isReplacing = false }
  }

  /// Puts a credential back in its place; the one that is there now is kept in its stead, until one of them is
  /// confirmed.
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
    return try await standing(of: record)?.formers.first
  }

  /// Destroys a credential and what waits behind it, which must not come back to life later.
  package func delete(_ record: KeyRecord) async throws {
    if let standing = try await standing(of: record) {
      for former in standing.formers { try await store.delete(former.tag) }
    }
    try await store.delete(record.tag)
  }

  /// Takes back a credential that its relying party refused; the oldest one behind it takes its place again, as the one
  /// that is known best, and the others go on waiting.
  package func withdraw(_ record: KeyRecord) async throws {
    guard let present = try await store.record(record.tag) else { return }
    guard present.state != .staged else {
      do { return try await store.discard(present.tag) } catch let error as AuthenticatorError
        where error.code == .invalidKeyState
      {
        // It was committed in this moment.
        return try await withdraw(record)
      }
    }
    // Only what still holds its slot may give it back.
    guard present.state == .active, CredentialDetails.isReplacing(present),
      let former = try await standing(of: present)?.formers.first
    else { return try await delete(present) }
    // While it waits, this says nothing; afterwards, others that wait are nobody's without it.
    try await change(former) { $0.isReplacing = true }
    // A third one that has taken the place in this moment is no refused one: it waits, and is not destroyed.
    try await store.exchange(former.tag)
    try await store.delete(present.tag)
  }

  /// Leaves as many credentials behind the holder of a slot as may wait: the oldest, and the youngest, which somebody
  /// has just been given.
  package func dropSurplusFormers(of record: KeyRecord) async throws {
    guard let formers = try await standing(of: record)?.formers else { return }
    for former in formers.dropFirst().dropLast(Self.maximumFormers - 1) { try await store.delete(former.tag) }
  }

  /// The relying party's list of an account's credentials: what it shows is confirmed or brought back.
  ///
  /// - Returns: the tag of the credential that holds the place now.
  package func settle(_ record: KeyRecord, by ids: Set<CredentialID>) async throws -> KeyTag {
    if let id = record.externalID.flatMap(CredentialID.init), ids.contains(id) {
      try await confirm(record)
    } else if CredentialDetails.isReplacing(record),
      let former = try await standing(of: record)?.formers.first(where: {
        $0.externalID.flatMap(CredentialID.init).map(ids.contains) == true
      })
    {
      try await bringBack(former)
      return former.tag
    }
    return record.tag
  }

  /// A credential that holds its slot, and those behind it in order of making, seen at one moment; nil: it does not
  /// hold one, or does no longer.
  private func standing(of record: KeyRecord) async throws -> (holder: KeyRecord, formers: [KeyRecord])? {
    guard let slot = record.slot else { return nil }
    let records = try await store.records(
      matching: KeyQuery(
        instance: record.owner.instance, family: .webAuthn, slot: slot, states: [.active, .retired]))
    guard let holder = records.first(where: { $0.tag == record.tag && $0.state == .active }) else { return nil }
    return (holder, records.filter { $0.state == .retired })
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
