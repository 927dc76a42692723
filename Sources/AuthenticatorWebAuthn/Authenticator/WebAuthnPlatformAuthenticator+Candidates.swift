internal import AuthenticatorCore

/// A credential that a ceremony may use.
struct Candidate {
  let record: KeyRecord
  let id: CredentialID
  let attributes: CredentialAttributes
  /// The relying party ID or AppID whose hash is signed.
  let relyingPartyID: String
}

extension WebAuthnPlatformAuthenticator {
  /// Step 2 of getAssertion: every credential of this relying party that resolves, those that hide themselves left out.
  func candidates(_ request: GetAssertionRequest) async throws -> [Candidate] {
    if request.allowCredentials.isEmpty {
      let records = try await store.records(
        matching: KeyQuery(instance: context.instance, family: .webAuthn, party: request.relyingPartyID))
      return try records.compactMap { try candidate($0, request, isListed: false) }
    }
    let ids = [request.relyingPartyID] + (request.appID.map { [$0] } ?? [])
    for look in [{ try await self.records(of: $0, named: $1) }, { try await self.waiting(of: $0, named: $1) }] as [Look]
    {
      for id in ids {
        let found = try await listed(request, relyingPartyID: id, look)
        if !found.isEmpty { return found }
      }
    }
    return []
  }

  private typealias Look = (String, CredentialID) async throws -> [KeyRecord]

  private func listed(
    _ request: GetAssertionRequest, relyingPartyID: String, _ look: Look
  ) async throws -> [Candidate] {
    var found: [Candidate] = []
    for descriptor in request.allowCredentials where descriptor.type == .publicKey {
      for record in try await look(relyingPartyID, descriptor.id) {
        if let candidate = try candidate(record, request, isListed: true),
          !found.contains(where: { $0.record.tag == candidate.record.tag })
        {
          found.append(candidate)
        }
      }
    }
    return found
  }

  /// The credentials with this name that were replaced by one that its relying party has not confirmed: it may know
  /// them alone. Those whose successor was deleted are nobody's.
  func waiting(of relyingPartyID: String, named id: CredentialID) async throws -> [KeyRecord] {
    let records = try await store.records(
      matching: KeyQuery(
        instance: context.instance, family: .webAuthn, party: relyingPartyID, externalID: id.bytes,
        states: [.retired]))
    var waiting: [KeyRecord] = []
    for record in records {
      guard let slot = record.slot else { continue }
      let holders = try await store.records(
        matching: KeyQuery(instance: context.instance, family: .webAuthn, slot: slot))
      if holders.contains(where: CredentialDetails.isReplacing) { waiting.append(record) }
    }
    return waiting
  }

  private func candidate(
    _ record: KeyRecord, _ request: GetAssertionRequest, isListed: Bool
  ) throws -> Candidate? {
    guard canOpen(record), let id = record.externalID.flatMap(CredentialID.init) else { return nil }
    let attributes = try CredentialAttributes(record)
    if !isListed, !attributes.flags.contains(.discoverable) || CredentialDetails.isHidden(record) { return nil }
    // The key's own gate verifies the person whether the request asks for it or not, unless nobody takes part at all.
    let isVerified =
      request.requireUserVerification || (record.access.level == .verified && request.level > .none)
    guard attributes.protection.admits(isListed: isListed, isVerified: isVerified) else { return nil }
    return Candidate(record: record, id: id, attributes: attributes, relyingPartyID: record.owner.party)
  }

  /// Refuses before anybody is asked when none of the candidates could sign: a counter is written before a signature is
  /// made, and so is that a credential takes its place again.
  /// - Throws: what a write would, when it is certain that it fails.
  func checkWritable(for candidates: [Candidate]) throws {
    guard candidates.allSatisfy({ $0.record.counter != .zero || $0.record.state == .retired }) else { return }
    try store.checkWritable()
  }

  /// The active credential of a relying party with this name; a name bound to another relying party is not there.
  func records(of relyingPartyID: String, named id: CredentialID) async throws -> [KeyRecord] {
    try await store.records(
      matching: KeyQuery(
        instance: context.instance, family: .webAuthn, party: relyingPartyID, externalID: id.bytes))
  }
}
