import AuthenticatorCore
import AuthenticatorSQLite

/// Keys as device binding makes them, four to a realm.
enum BenchKeys {
  static let instance = "https://id.example.com/am"

  static let environment = AuthenticatorEnvironment(appIdentifier: "com.example.app", deviceName: "Bench")

  static func owner(_ number: Int) -> KeyOwner {
    KeyOwner(
      instance: instance, family: .deviceBinding, party: "/realm-\(number / 4)",
      account: Array("id=user-\(number),ou=user,dc=openam,dc=example,dc=com".utf8))
  }

  static func request(_ number: Int) -> KeyRequest {
    KeyRequest(
      owner: owner(number), algorithms: [.es256], slot: "/realm-\(number / 4)/user-\(number)",
      externalID: Array("0b9d0f6e-6f0a-4c0e-9f57-\(100_000_000_000 + number)".utf8))
  }

  /// Makes active keys.
  static func make(_ numbers: Range<Int>, in store: any KeyStore) async throws -> [KeyTag] {
    var tags: [KeyTag] = []
    for number in numbers {
      let record = try await store.stage(
        request(number), as: .none, access: KeyAccess(gate: .open), enrollmentState: nil, ticket: nil)
      try await store.commit(record.tag, externalID: nil, details: Array("user-\(number)".utf8))
      tags.append(record.tag)
    }
    return tags
  }

  /// What a record holds, without any encoding: the content that a bare table would have to keep.
  static func contentSize(_ record: KeyRecord) -> Int {
    let texts = [
      record.owner.instance, record.owner.family.rawValue, record.owner.party, record.authenticator.rawValue,
      record.algorithm.rawValue, record.slot ?? "", record.protection.residence.rawValue,
    ]
    let blobs = [
      record.owner.account ?? [], record.externalID ?? [], record.attributes, record.details, record.journal,
      record.publicKey.x963Representation ?? [],
    ]
    // Scalar and point of the key, two times, the version.
    return texts.reduce(0) { $0 + $1.utf8.count } + blobs.reduce(0) { $0 + $1.count } + 97 + 2 * 8 + 4
  }
}
