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
  public var tag: KeyTag { sealed.fields.tag }
  /// Whose it is.
  public var owner: KeyOwner { sealed.fields.owner }
  /// What made it and will open it.
  public var authenticator: AuthenticatorType { sealed.fields.authenticator }
  /// How it opens.
  public var access: KeyAccess { sealed.fields.access }
  /// How it is held.
  public var protection: KeyProtection { sealed.fields.protection }
  /// What it signs with.
  public var algorithm: SignatureAlgorithm { sealed.fields.algorithm }
  /// The public half.
  public var publicKey: PublicKey { sealed.fields.publicKey }
  /// How its signature counter behaves.
  public var counter: CounterMode { sealed.fields.counter }
  /// The protocol's own immutable fields.
  public var attributes: [UInt8] { sealed.fields.attributes }
  /// The slot it holds or held; nil: none.
  public var slot: String? { sealed.fields.slot }
  /// The enrolled set when the key was made; nil when none was enrolled or the record predates the field.
  public var enrollmentState: EnrollmentState? { sealed.fields.enrollmentState }
  /// When it was staged.
  public var createdAt: UnixTime { sealed.fields.createdAt }

  /// The sealed half is shared by all copies: records are passed around at every use of a key.
  private let sealed: SealedFields

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
  /// Whether an attempted use met a changed enrolled set that its access rule does not bear: it never signs again,
  /// whatever is enrolled later.
  public var isInvalidated: Bool

  /// Makes a record; called by key stores.
  public init(
    tag: KeyTag, owner: KeyOwner, authenticator: AuthenticatorType, access: KeyAccess, protection: KeyProtection,
    algorithm: SignatureAlgorithm, publicKey: PublicKey, counter: CounterMode, attributes: [UInt8], slot: String?,
    enrollmentState: EnrollmentState?, createdAt: UnixTime, state: State, externalID: [UInt8]?, details: [UInt8],
    journal: [UInt8], version: Int, lastUsedAt: UnixTime?, isInvalidated: Bool = false
  ) {
    sealed = SealedFields(
      SealedFields.Fields(
        tag: tag, owner: owner, authenticator: authenticator, access: access, protection: protection,
        algorithm: algorithm, publicKey: publicKey, counter: counter, attributes: attributes, slot: slot,
        enrollmentState: enrollmentState, createdAt: createdAt))
    self.state = state
    self.externalID = externalID
    self.details = details
    self.journal = journal
    self.version = version
    self.lastUsedAt = lastUsedAt
    self.isInvalidated = isInvalidated
  }
}

/// What a record's copies share.
private final class SealedFields: Hashable, Sendable {
  struct Fields: Hashable, Sendable {
    let tag: KeyTag
    let owner: KeyOwner
    let authenticator: AuthenticatorType
    let access: KeyAccess
    let protection: KeyProtection
    let algorithm: SignatureAlgorithm
    let publicKey: PublicKey
    let counter: CounterMode
    let attributes: [UInt8]
    let slot: String?
    let enrollmentState: EnrollmentState?
    let createdAt: UnixTime
  }

  let fields: Fields

  init(_ fields: Fields) { self.fields = fields }

  static func == (left: SealedFields, right: SealedFields) -> Bool {
    left === right || left.fields == right.fields
  }

  func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}
