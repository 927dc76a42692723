import AuthenticatorCoding

/// Which records to return; every given field must be equal. No query without an instance, except `everything`.
public struct KeyQuery: Hashable, Sendable {
  /// The configured server; nil in `everything` only.
  public var instance: String?
  /// The protocol; nil: any.
  public var family: ProtocolFamily?
  /// Realm, rp ID or app ID; nil: any.
  public var party: String?
  /// The account; nil: any.
  public var account: [UInt8]?
  /// The authenticator's type; nil: any.
  public var authenticator: AuthenticatorType?
  /// The slot; nil: any.
  public var slot: String?
  /// `kid`, credential ID or KeyID; nil: any.
  public var externalID: [UInt8]?
  /// The states admitted; active ones by default.
  public var states: Set<KeyRecord.State>
  /// At most so many of the records, those that were made last; nil: all. A store may return more.
  public var limit: Int?

  /// Makes a query over one instance.
  public init(
    instance: String, family: ProtocolFamily? = nil, party: String? = nil, account: [UInt8]? = nil,
    authenticator: AuthenticatorType? = nil, slot: String? = nil, externalID: [UInt8]? = nil,
    states: Set<KeyRecord.State> = KeyQuery.active, limit: Int? = nil
  ) {
    self.instance = instance
    self.family = family
    self.party = party
    self.account = account
    self.authenticator = authenticator
    self.slot = slot
    self.externalID = externalID
    self.states = states
    self.limit = limit
  }

  /// The state that queries admit unless told.
  public static let active: Set<KeyRecord.State> = [.active]

  private init(states: Set<KeyRecord.State>) { self.states = states }

  /// Every record of the store, in every state: for the operator's tool, never for a protocol.
  public static let everything = KeyQuery(states: Set(KeyRecord.State.allCases))

  /// Names are compared by their bytes, as stores look them up: texts that are canonically equivalent are two names.
  public static func == (left: KeyQuery, right: KeyQuery) -> Bool {
    isSame(left.instance, right.instance) && left.family == right.family && isSame(left.party, right.party)
      && left.account == right.account && left.authenticator == right.authenticator && isSame(left.slot, right.slot)
      && left.externalID == right.externalID && left.states == right.states && left.limit == right.limit
  }

  private static func isSame(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.isIdentical(to: right)
  }

  /// By what tells queries apart most; sets of states would cost more than they part.
  public func hash(into hasher: inout Hasher) {
    if let party { hasher.combine(identityOf: party) }
    if let slot { hasher.combine(identityOf: slot) }
    hasher.combine(family)
    externalID?.withUnsafeBytes { hasher.combine(bytes: $0) }
    account?.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
