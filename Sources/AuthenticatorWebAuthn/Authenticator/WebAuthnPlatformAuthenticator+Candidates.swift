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
    var found = try await listed(request, relyingPartyID: request.relyingPartyID)
    if found.isEmpty, let appID = request.appID { found = try await listed(request, relyingPartyID: appID) }
    return found
  }

  private func listed(_ request: GetAssertionRequest, relyingPartyID: String) async throws -> [Candidate] {
    var found: [Candidate] = []
    for descriptor in request.allowCredentials where descriptor.type == .publicKey {
      for record in try await records(of: relyingPartyID, named: descriptor.id) {
        if let candidate = try candidate(record, request, isListed: true),
          !found.contains(where: { $0.record.tag == candidate.record.tag })
        {
          found.append(candidate)
        }
      }
    }
    return found
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

  /// The active credential of a relying party with this name; a name bound to another relying party is not there.
  func records(of relyingPartyID: String, named id: CredentialID) async throws -> [KeyRecord] {
    try await store.records(
      matching: KeyQuery(
        instance: context.instance, family: .webAuthn, party: relyingPartyID, externalID: id.bytes))
  }
}
