public import AuthenticatorCore
public import AuthenticatorCrypto

/// What the server must remember: users, devices, sessions, and what was used up.
///
/// Absent is nil or false, failed is thrown (`RegistryError`). Every method is one transaction. A method whose comment
/// says *durable* returns after its effect would survive a power failure; the others survive the end of the process.
/// Several servers may share one registry.
public protocol JourneyRegistry: TrustedDeviceRegistry, UAFRegistry {
  // MARK: Token keys

  /// All keys, the newest first.
  func tokenKeys() async throws -> [TokenKeyRecord]
  /// Adds a key and forgets those made before `oldest`. Durable.
  func addTokenKey(_ key: TokenKeyRecord, forgettingBefore oldest: UnixTime) async throws

  /// A secret of this registry that never changes: the one stored, else `candidate`, which is stored then. Durable.
  func secret(_ name: String, orElse candidate: SecretBytes) async throws -> SecretBytes

  // MARK: Users

  /// The user of this name, compared without regard to case; nil: nobody has it.
  func user(named name: String, in realm: Realm) async throws -> UserRecord?
  /// The user of this id; nil: there is none.
  func user(id: String, in realm: Realm) async throws -> UserRecord?
  /// Whether there is any user, in any realm.
  func hasUsers() async throws -> Bool
  /// Durable. Throws `conflict` when the name is taken.
  func addUser(_ user: UserRecord) async throws
  /// Replaces password and activity of a user. Durable. False: there is no such user.
  func updateUser(_ user: UserRecord) async throws -> Bool

  // MARK: Attempts

  /// Pays for one attempt, unless the subject is locked. Durable.
  func takeAttempt(_ subject: AttemptSubject, policy: LockoutPolicy, now: UnixTime) async throws -> AttemptDecision
  /// Forgets the failures of a subject. Durable.
  func resetAttempts(_ subject: AttemptSubject) async throws

  // MARK: Journeys

  /// Uses up the step: true exactly once, and never for a step that is not later than all used before.
  ///
  /// `expiresAt` is when the last token of this journey made so far runs out; then the journey is forgotten. Throws
  /// `full` when a new journey would exceed the limit; journeys under way still go on.
  func consumeStep(_ step: Int, ofJourney journey: JourneyID, expiresAt: UnixTime, now: UnixTime) async throws -> Bool
  /// How many journeys are remembered; for tests and figures.
  func rememberedJourneyCount() async throws -> Int

  /// Keeps the sealed state of a parked journey under the digest of its link's id. Throws `full` at the limit.
  func park(_ state: String, under digest: [UInt8], expiresAt: UnixTime, now: UnixTime) async throws
  /// Takes it out again, once; nil when it is not there any more or was never.
  func unpark(_ digest: [UInt8], now: UnixTime) async throws -> String?

  // MARK: Sessions

  /// Throws `full` at the limit.
  func addSession(_ session: SessionRecord, now: UnixTime) async throws
  /// The session of this token digest, when its time is not over.
  func session(_ tokenDigest: [UInt8], now: UnixTime) async throws -> SessionRecord?
  /// Durable. False: there was none.
  func removeSession(_ tokenDigest: [UInt8]) async throws -> Bool
  /// Ends all sessions of a user. Durable.
  func removeSessions(ofUser userID: String, realm: Realm) async throws

  // MARK: Devices

  /// Stores a device with its recovery codes, unless its id is taken or the user has `limit` devices of the family
  /// (0: any number). Durable.
  func addDevice(
    _ device: DeviceRecord, recoveryCodes: [RecoveryCodeRecord], limit: Int
  ) async throws -> DeviceAddition
  /// The device of this id in the realm.
  func device(_ externalID: String, family: DeviceRecord.Family, realm: Realm) async throws -> DeviceRecord?
  /// A user's devices, the oldest first.
  func devices(ofUser userID: String, family: DeviceRecord.Family, realm: Realm) async throws -> [DeviceRecord]
  /// Notes that a device was used.
  func touchDevice(_ device: DeviceRecord, at time: UnixTime) async throws
  /// Raises a device's counter to the record's and replaces its attributes and time of last access, in one step. False,
  /// and nothing changed: the stored counter is not lower (zero after zero is allowed), or there is no such device.
  /// Durable.
  func advanceDevice(_ device: DeviceRecord) async throws -> Bool
  /// Removes a device of this user, and its recovery codes. Durable. Nil: the user has no such device.
  func removeDevice(
    _ externalID: String, ofUser userID: String, family: DeviceRecord.Family, realm: Realm
  ) async throws -> DeviceRecord?

  // MARK: Recovery codes

  /// A user's recovery codes that were not used yet.
  func recoveryCodes(ofUser userID: String, realm: Realm) async throws -> [RecoveryCodeRecord]
  /// Uses a recovery code up: true exactly once. Durable.
  func useRecoveryCode(_ code: RecoveryCodeRecord) async throws -> Bool
}

extension JourneyRegistry {
  /// Stores a device that has no recovery codes; see `addDevice(_:recoveryCodes:limit:)`.
  public func addDevice(_ device: DeviceRecord, limit: Int) async throws -> DeviceAddition {
    try await addDevice(device, recoveryCodes: [], limit: limit)
  }
}

/// How much a registry may hold for people who have not signed in, and for those who have.
public struct RegistryLimits: Hashable, Sendable {
  /// Journeys of which a step was used.
  public var journeys: Int
  /// Parked journeys.
  public var parkedJourneys: Int
  /// Subjects whose attempts are counted.
  public var attemptSubjects: Int
  /// Sessions of journeys, and as many of clients.
  public var sessions: Int

  /// Makes limits; each has the default unless given.
  public init(
    journeys: Int = 250_000, parkedJourneys: Int = 10_000, attemptSubjects: Int = 250_000, sessions: Int = 250_000
  ) {
    self.journeys = journeys
    self.parkedJourneys = parkedJourneys
    self.attemptSubjects = attemptSubjects
    self.sessions = sessions
  }

  /// 250,000 journeys, subjects and sessions, 10,000 parked journeys.
  public static let `default` = RegistryLimits()
}

/// The random name of one run of a journey.
public struct JourneyID: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Takes 16 random bytes; nil for another number.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The 16 bytes.
  public var bytes: [UInt8] {
    [high, low].flatMap { word in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) } }
  }
}
