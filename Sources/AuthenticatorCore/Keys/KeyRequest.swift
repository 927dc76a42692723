import AuthenticatorCrypto

/// What a protocol asks of a new key. It may raise protection, never lower it.
public struct KeyRequest: Sendable {
  /// Whose it will be.
  public var owner: KeyOwner
  /// In the server's order of preference; tried within the strongest admitted provider first.
  public var algorithms: [SignatureAlgorithm]
  /// At most one active key holds a slot (instance and family are implied); nil: the key replaces none.
  public var slot: String?
  /// `kid`, credential ID or UAF KeyID; nil: named by the server, set once, at commit.
  public var externalID: [UInt8]?
  /// The protocol's own immutable fields, at most 64 KiB, sealed with the key.
  public var attributes: [UInt8]
  /// How its signature counter will behave.
  public var counter: CounterMode
  /// Or'ed with the authenticator's own demand.
  public var requiresHardware: Bool
  /// Extra secrets of 32 random bytes each.
  public var secrets: [SecretName: SecretProtection]
  /// What the protocol needs to settle this key after a crash; at most 64 KiB.
  public var journal: [UInt8]
  /// When the record says that the key was made; nil: when it is.
  public var createdAt: UnixTime?

  /// Makes a request; only owner and algorithms have no default.
  public init(
    owner: KeyOwner, algorithms: [SignatureAlgorithm], slot: String? = nil, externalID: [UInt8]? = nil,
    attributes: [UInt8] = [], counter: CounterMode = .zero, requiresHardware: Bool = false,
    secrets: [SecretName: SecretProtection] = [:], journal: [UInt8] = []
  ) {
    self.owner = owner
    self.algorithms = algorithms
    self.slot = slot
    self.externalID = externalID
    self.attributes = attributes
    self.counter = counter
    self.requiresHardware = requiresHardware
    self.secrets = secrets
    self.journal = journal
  }
}

/// One mode for a key's whole life.
public enum CounterMode: String, Hashable, Sendable {
  /// The counter is always 0.
  case zero
  /// Each value is greater than the one before; gaps are allowed, repeats never.
  case rising
}

/// What opens an extra secret.
public enum SecretProtection: String, Hashable, Sendable {
  /// The key's own gate.
  case likeTheKey
  /// Nothing beyond the store.
  case likeTheRecord
}
