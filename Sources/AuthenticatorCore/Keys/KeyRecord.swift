import AuthenticatorCrypto

/// What a store knows of one key. Holds no key bytes.
public struct KeyRecord: Hashable, Sendable {
  /// Where a key is in its life: staged → active → retired, and revoking until the server confirmed.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Made, durable, may sign, not offered: its server has not accepted it yet.
    case staged
    /// Accepted by its server and offered.
    case active
    /// Replaced; kept and restorable until its successor has proved itself.
    case retired
    /// Not offered any more; stays as a tombstone until the server confirmed.
    case revoking
  }

  // MARK: Sealed with the key: altering one of these makes the key unusable
  /// Its name in this store.
  public let tag: KeyTag
  /// Whose it is.
  public let owner: KeyOwner
  /// What made it and will open it.
  public let authenticator: AuthenticatorType
  /// How it opens.
  public let access: KeyAccess
  /// How it is held.
  public let protection: KeyProtection
  /// What it signs with.
  public let algorithm: SignatureAlgorithm
  /// The public half.
  public let publicKey: PublicKey
  /// How its signature counter behaves.
  public let counter: CounterMode
  /// The protocol's own immutable fields.
  public let attributes: [UInt8]
  /// The slot it holds or held; nil: none.
  public let slot: String?
  /// The enrolled set when the key was made; nil when none was enrolled or the record predates the field.
  public let enrollmentState: EnrollmentState?
  /// When it was staged.
  public let createdAt: UnixTime

  // MARK: Authenticated by the store
  /// Where it is in its life.
  public var state: State
  /// `kid`, credential ID or KeyID; nil until the server named it.
  public var externalID: [UInt8]?
  /// Display data of the protocol (names); at most 64 KiB.
  public var details: [UInt8]
  /// What the protocol needs to settle the key after a crash.
  public var journal: [UInt8]
  /// Rises with every change; `KeyStore.update` compares it.
  public var version: Int
  /// Written lazily: may lag behind by minutes, and after a crash by more.
  public var lastUsedAt: UnixTime?

  /// Makes a record; called by key stores.
  public init(
    tag: KeyTag, owner: KeyOwner, authenticator: AuthenticatorType, access: KeyAccess, protection: KeyProtection,
    algorithm: SignatureAlgorithm, publicKey: PublicKey, counter: CounterMode, attributes: [UInt8], slot: String?,
    enrollmentState: EnrollmentState?, createdAt: UnixTime, state: State, externalID: [UInt8]?, details: [UInt8],
    journal: [UInt8], version: Int, lastUsedAt: UnixTime?
  ) {
    self.tag = tag
    self.owner = owner
    self.authenticator = authenticator
    self.access = access
    self.protection = protection
    self.algorithm = algorithm
    self.publicKey = publicKey
    self.counter = counter
    self.attributes = attributes
    self.slot = slot
    self.enrollmentState = enrollmentState
    self.createdAt = createdAt
    self.state = state
    self.externalID = externalID
    self.details = details
    self.journal = journal
    self.version = version
    self.lastUsedAt = lastUsedAt
  }
}
