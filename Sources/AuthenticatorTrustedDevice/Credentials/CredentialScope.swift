import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto

/// The part of the key store that belongs to one app on one server. Nothing outside it is ever touched.
package struct CredentialScope: Hashable, Sendable {
  /// The server, as key records name it.
  package let instance: String
  /// The app's identifier.
  package let party: String

  package init(instance: String, party: String) {
    self.instance = instance
    self.party = party
  }

  package func owner(_ userID: String) -> KeyOwner {
    KeyOwner(instance: instance, family: .trustedDevice, party: party, account: Array(userID.utf8))
  }

  /// One active key for each user: the length of the first part keeps two pairs from giving one text.
  package func slot(_ userID: String) -> String { "\(party.utf8.count):\(party)\(userID)" }

  package func query(
    user userID: String? = nil, id: String? = nil, states: Set<KeyRecord.State> = KeyQuery.active,
    limit: Int? = nil
  ) -> KeyQuery {
    KeyQuery(
      instance: instance, family: .trustedDevice, party: party, account: userID.map { Array($0.utf8) },
      externalID: id.map { Array($0.utf8) }, states: states, limit: limit)
  }

  /// An item of the store that belongs to this scope, or to something in it.
  package func item(_ kind: String, of subject: String? = nil) -> ItemName {
    let text = "\(instance.utf8.count):\(instance)" + (subject.map { "\(party.utf8.count):\(party)\($0)" } ?? party)
    return ItemName(owner: nil, name: "trusted-device.\(kind)." + Base64URL.encode(SHA256.hash(Array(text.utf8))))
  }
}

extension Set<KeyRecord.State> {
  /// Every state a key can be in.
  package static let everyState = Set(KeyRecord.State.allCases)
}
