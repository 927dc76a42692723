internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// One installation of an app as the Frontend API knows it: by a device token, which holds all there is to know until
/// somebody signs in.
struct FrontendClient: Hashable, Sendable {
  /// `client_…`
  let id: String
  let createdAt: UnixTime
  /// What everything the server keeps or seals names the client by: with a stolen registry, which holds the key of the
  /// tokens, nobody can make the token of a client whose id he does not know.
  let digest: String

  init(id: String, createdAt: UnixTime) {
    self.id = id
    self.createdAt = createdAt
    digest = Base64URL.encode(SHA256.hash(Array(id.utf8)))
  }

  /// Reads a device token; nil: it is none of this server's.
  init?(token: String, seal: Seal) {
    guard let content = seal.open(token, for: .client), let id = content["c"]?.stringValue,
      let created = content["t"]?.intValue
    else { return nil }
    self.init(id: id, createdAt: UnixTime(milliseconds: Int64(created)))
  }

  func token(seal: Seal) throws -> String {
    try seal.seal(["c": .string(id), "t": .integer(createdAt.milliseconds)], for: .client)
  }
}
