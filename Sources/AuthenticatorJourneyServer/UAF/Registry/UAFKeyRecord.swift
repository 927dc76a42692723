public import AuthenticatorCore
public import AuthenticatorRelyingParty

/// A UAF key of a user.
public struct UAFKeyRecord: Hashable, Sendable {
  /// The realm of its user.
  public var realm: Realm
  /// Whose it is.
  public var userID: String
  /// The key and what is known of it.
  public var registration: UAFRegistrationRecord
  /// When it was registered.
  public var createdAt: UnixTime
  /// When it last signed somebody in; nil: never.
  public var lastUsedAt: UnixTime?

  /// Makes a record.
  public init(
    realm: Realm, userID: String, registration: UAFRegistrationRecord, createdAt: UnixTime,
    lastUsedAt: UnixTime? = nil
  ) {
    self.realm = realm
    self.userID = userID
    self.registration = registration
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
  }

  /// What it is called.
  public var name: UAFKeyName { UAFKeyName(aaid: registration.aaid, keyID: registration.keyID) }
}

/// What the server remembers for UAF. The rules are those of `JourneyRegistry`.
public protocol UAFRegistry: Sendable {
  /// Uses a challenge up: true exactly once. Durable. Throws `full` when as many as the registry's limit of sessions
  /// are remembered; anybody can have requests made, and answer them with nonsense.
  func useChallenge(_ challenge: ChallengeUse, now: UnixTime) async throws -> Bool

  /// Stores keys of one user, all of them or none: their names must be free in the realm, and the user may have `limit`
  /// keys. Durable.
  func addUAFKeys(_ keys: [UAFKeyRecord], limit: Int) async throws -> DeviceAddition
  /// The key of this name in the realm.
  func uafKey(_ name: UAFKeyName, realm: Realm) async throws -> UAFKeyRecord?
  /// A user's keys, the oldest first.
  func uafKeys(ofUser userID: String, realm: Realm) async throws -> [UAFKeyRecord]
  /// Writes down that keys signed; all of them or none. Durable. False, and nothing changed: a stored counter is not
  /// lower (zero after zero is allowed, and whatever `isCounterNotIncreased` says was seen), or a key is gone or
  /// another user's by now.
  func advanceUAFKeys(_ uses: [UAFKeyUse]) async throws -> Bool
  /// Replaces the state of the enrolled set that a key of this user is compared with. Durable. False: there is no such
  /// key.
  func setUserVerificationState(
    _ state: [UInt8], ofKey name: UAFKeyName, user userID: String, realm: Realm
  ) async throws -> Bool
  /// Removes keys of this user, or for nil all of them. Durable. Returns those that were there.
  func removeUAFKeys(_ names: [UAFKeyName]?, ofUser userID: String, realm: Realm) async throws -> [UAFKeyRecord]
}
