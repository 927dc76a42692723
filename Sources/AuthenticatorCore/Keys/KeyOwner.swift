/// Whose key it is. Looked up by equality only, so that a store may index every field blindly.
public struct KeyOwner: Hashable, Sendable {
  /// The configured server (base URL without trailing slash): two servers never see each other's keys.
  public var instance: String
  /// The protocol that the key signs for.
  public var family: ProtocolFamily
  /// Realm (`/alpha`), rp ID, UAF app ID or app identifier.
  public var party: String
  /// User DN, user handle, user name or id; nil when the key belongs to no account yet.
  public var account: [UInt8]?

  /// Makes an owner.
  public init(instance: String, family: ProtocolFamily, party: String, account: [UInt8]?) {
    self.instance = instance
    self.family = family
    self.party = party
    self.account = account
  }
}
