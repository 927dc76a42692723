public import AuthenticatorCoding
public import AuthenticatorCore
public import AuthenticatorCrypto

/// A person who may sign in.
public struct UserRecord: Hashable, Sendable {
  /// Random, unique in the realm, never reused: what `id=` of the universal identifier holds.
  public var id: String
  /// The realm it belongs to.
  public var realm: Realm
  /// As it was given; unique in the realm in the form of `UsernameKey`.
  public var name: String
  /// Nil: this person cannot sign in with a password.
  public var password: PasswordHash?
  /// Whether this person may sign in.
  public var isActive: Bool

  /// Makes a record.
  public init(id: String, realm: Realm, name: String, password: PasswordHash?, isActive: Bool = true) {
    self.id = id
    self.realm = realm
    self.name = name
    self.password = password
    self.isActive = isActive
  }

  /// What two names are compared by.
  static func nameKey(_ name: String) -> UsernameKey { UsernameKey(name) }

  /// The identifier that PingAM's messages use, a DN.
  public var universalID: String { realm.universalID(of: id) }
}

/// A session by the digest of its token; the token itself is only with the client.
public struct SessionRecord: Hashable, Sendable {
  /// SHA-256 of the token.
  public var tokenDigest: [UInt8]
  /// The realm it is good in.
  public var realm: Realm
  /// Whose it is.
  public var userID: String
  /// The user's name at sign-in.
  public var username: String
  /// The journeys this session has come through.
  public var journeys: [String]
  /// When it began.
  public var createdAt: UnixTime
  /// When it ends.
  public var expiresAt: UnixTime

  /// Makes a record.
  public init(
    tokenDigest: [UInt8], realm: Realm, userID: String, username: String, journeys: [String], createdAt: UnixTime,
    expiresAt: UnixTime
  ) {
    self.tokenDigest = tokenDigest
    self.realm = realm
    self.userID = userID
    self.username = username
    self.journeys = journeys
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }
}

/// A key of a user's device, whatever protocol it speaks.
public struct DeviceRecord: Hashable, Sendable {
  /// Which list a device is on; one external id names one device of a family in a realm.
  public struct Family: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Device binding; the external id is the `kid`.
    public static let binding = Family(rawValue: "binding")
    /// WebAuthn; the external id is the credential id in base64url without padding.
    public static let webAuthn = Family(rawValue: "webauthn")
  }

  /// The list it is on.
  public var family: Family
  /// The realm it belongs to.
  public var realm: Realm
  /// The name the protocol gives the key.
  public var externalID: String
  /// Whose it is.
  public var userID: String
  /// A random identifier of this record.
  public var uuid: String
  /// As the device calls itself.
  public var name: String
  /// The device's own identifier.
  public var deviceID: String
  /// The public key as JSON.
  public var key: JSONObject
  /// The protocol's signature counter; 0 where it has none.
  public var counter: Int64
  /// Whatever else the protocol keeps.
  public var attributes: JSONObject
  /// When it was stored.
  public var createdAt: UnixTime
  /// When it last signed somebody in.
  public var lastAccessAt: UnixTime

  /// Makes a record.
  public init(
    family: Family, realm: Realm, externalID: String, userID: String, uuid: String, name: String, deviceID: String,
    key: JSONObject, counter: Int64 = 0, attributes: JSONObject = [:], createdAt: UnixTime, lastAccessAt: UnixTime
  ) {
    self.family = family
    self.realm = realm
    self.externalID = externalID
    self.userID = userID
    self.uuid = uuid
    self.name = name
    self.deviceID = deviceID
    self.key = key
    self.counter = counter
    self.attributes = attributes
    self.createdAt = createdAt
    self.lastAccessAt = lastAccessAt
  }
}

/// What became of storing a device.
public enum DeviceAddition: Hashable, Sendable {
  /// It was stored.
  case added
  /// The same key of the same user was there already: an answer was lost and the device tried again.
  case alreadyPresent
  /// The id is taken by another key or another user; nothing was changed.
  case conflict
  /// The user has as many devices as allowed; nothing was changed.
  case limitReached
}

/// A key that signs and encrypts step tokens.
public struct TokenKeyRecord: Sendable {
  /// The `kid` of tokens made with it.
  public var id: String
  /// 32 bytes.
  public var secret: SecretBytes
  /// When it was made.
  public var createdAt: UnixTime

  /// Makes a record.
  public init(id: String, secret: SecretBytes, createdAt: UnixTime) {
    self.id = id
    self.secret = secret
    self.createdAt = createdAt
  }
}

/// Whose attempts are counted; a name is enough, so names that nobody has are counted too.
public struct AttemptSubject: Hashable, Sendable {
  /// The realm of the name.
  public var realm: Realm
  /// In the form names are compared by.
  public var key: UsernameKey

  /// Takes a name as it was given.
  public init(realm: Realm, username: String) {
    self.realm = realm
    key = UsernameKey(username)
  }
}

/// How many wrong passwords are too many.
public struct LockoutPolicy: Hashable, Sendable {
  /// Failures in a row until the account is locked for a while.
  public var failuresBeforeLock: Int
  /// The first lock; every further failure after it doubles it.
  public var firstLock: Duration
  /// No lock but the last is longer.
  public var longestLock: Duration
  /// Failures in a row after which only an administrator unlocks (NIST SP 800-63B allows 100).
  public var failuresForGood: Int

  /// Makes a policy; by default 5 failures lock for 30 seconds, doubling up to 15 minutes, and 100 for good.
  public init(
    failuresBeforeLock: Int = 5, firstLock: Duration = .seconds(30), longestLock: Duration = .seconds(900),
    failuresForGood: Int = 100
  ) {
    self.failuresBeforeLock = failuresBeforeLock
    self.firstLock = firstLock
    self.longestLock = longestLock
    self.failuresForGood = failuresForGood
  }

  /// Until when the account is locked after this many failures; nil: it is not. `UnixTime` of the far future: for good.
  func lock(afterFailures failures: Int, at now: UnixTime) -> UnixTime? {
    guard failures >= failuresBeforeLock else { return nil }
    guard failures < failuresForGood else { return UnixTime(milliseconds: .max) }
    let doublings = min(failures - failuresBeforeLock, 30)
    return now.advanced(by: min(firstLock * (1 << doublings), longestLock))
  }
}

/// Whether an attempt may be made.
public enum AttemptDecision: Hashable, Sendable {
  /// It is paid for; compare now, and `resetAttempts` when it was right.
  case granted
  /// Nothing was counted. `until` is the far future when only an administrator can unlock.
  case locked(until: UnixTime)
}
