import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorWebAuthn

/// One credential as `webauthn list` shows it.
struct CredentialEntry: Sendable {
  let source: PublicKeyCredentialSource
  /// As it is offered beside the others of its relying party.
  let name: String

  /// Entries of credentials, in their order.
  static func entries(_ sources: [PublicKeyCredentialSource]) -> [CredentialEntry] {
    let groups = Dictionary(grouping: sources) { [$0.record.owner.instance, $0.relyingPartyID] }
      .mapValues { CredentialNames($0) }
    return sources.map { source in
      let names = groups[[source.record.owner.instance, source.relyingPartyID]]
      return CredentialEntry(source: source, name: names?.name(of: source.id) ?? "")
    }
  }

  var json: JSONValue {
    let record = source.record
    return [
      "id": .string(source.id.base64URLEncodedString()), "instance": .string(record.owner.instance),
      "rpId": .string(source.relyingPartyID),
      "rpName": .string(source.relyingPartyName),
      "userHandle": record.owner.account.map { .string(Base64URL.encode($0)) } ?? .null,
      "userName": .string(source.userName), "displayName": .string(source.userDisplayName),
      "name": .string(name),
      "discoverable": .bool(source.isDiscoverable), "hidden": .bool(source.isHidden),
      "algorithm": source.algorithm.map { .integer(Int64($0.rawValue)) } ?? .null,
      "credProtect": .integer(Int64(source.protection.rawValue)), "backupEligible": .bool(source.isBackupEligible),
      "authenticator": .string(record.authenticator.rawValue), "protection": .string(record.protection.name),
      "createdAt": .string(RFC3339.text(record.createdAt)),
      "lastUsedAt": record.lastUsedAt.map { .string(RFC3339.text($0)) } ?? .null, "tag": .string(record.tag.rawValue),
    ]
  }

  var line: String {
    "\(source.id.base64URLEncodedString())  \(source.relyingPartyID)  \(name)"
      + (source.isDiscoverable ? "" : "  not discoverable") + (source.isHidden ? "  hidden" : "")
  }
}

extension KeyHolder {
  /// The credentials of this device that are in use, of whatever server, in order of making. Records that cannot be
  /// read are left out; `keys list` shows them.
  /// - Parameter relyingPartyID: nil: of all relying parties.
  func credentials(of relyingPartyID: String? = nil) async throws -> [PublicKeyCredentialSource] {
    try await store.records(matching: .everything)
      .filter { record in
        record.owner.family == .webAuthn && record.state == .active
          && (relyingPartyID ?? record.owner.party) == record.owner.party
      }
      .compactMap { try? PublicKeyCredentialSource($0) }
  }

  /// The credential of a name, of whatever server; one in use before one that waits.
  func credential(_ id: CredentialID, includingWaiting: Bool) async throws -> KeyRecord? {
    let named = try await store.records(matching: .everything)
      .filter { $0.owner.family == .webAuthn && $0.externalID == id.bytes }
    return named.first { $0.state == .active } ?? (includingWaiting ? named.first : nil)
  }
}
