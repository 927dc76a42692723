public import AuthenticatorCore
public import AuthenticatorCrypto
internal import Synchronization

/// A registry that ends with the process. For tests and demonstrations; the behavior is that of `SQLiteRegistry`.
public final class InMemoryRegistry: JourneyRegistry {
  private let tables: Mutex<Tables>

  /// Makes an empty registry.
  public init(limits: RegistryLimits = .default) { tables = Mutex(Tables(limits: limits)) }

  public func tokenKeys() async throws -> [TokenKeyRecord] {
    tables.withLock { $0.tokenKeys.sorted { $0.createdAt > $1.createdAt } }
  }

  public func addTokenKey(_ key: TokenKeyRecord, forgettingBefore oldest: UnixTime) async throws {
    try tables.withLock { tables throws(RegistryError) in
      guard !tables.tokenKeys.contains(where: { $0.id == key.id }) else { throw RegistryError(.conflict, "token key") }
      tables.tokenKeys.removeAll { $0.createdAt < oldest }
      tables.tokenKeys.append(key)
    }
  }

  public func secret(_ name: String, orElse candidate: SecretBytes) async throws -> SecretBytes {
    tables.withLock { tables in
      if let stored = tables.secrets[name] { return stored }
      tables.secrets[name] = candidate
      return candidate
    }
  }

  public func user(named name: String, in realm: Realm) async throws -> UserRecord? {
    tables.withLock { tables in
      tables.userIDs[AttemptSubject(realm: realm, username: name)].flatMap { tables.users[Tables.Key(realm, $0)] }
    }
  }

  public func user(id: String, in realm: Realm) async throws -> UserRecord? {
    tables.withLock { $0.users[Tables.Key(realm, id)] }
  }

  public func addUser(_ user: UserRecord) async throws {
    try tables.withLock { tables throws(RegistryError) in
      let name = AttemptSubject(realm: user.realm, username: user.name)
      let key = Tables.Key(user.realm, user.id)
      guard tables.userIDs[name] == nil, tables.users[key] == nil else { throw RegistryError(.conflict, "user") }
      tables.userIDs[name] = user.id
      tables.users[key] = user
    }
  }

  public func updateUser(_ user: UserRecord) async throws -> Bool {
    tables.withLock { tables in
      guard var stored = tables.users[Tables.Key(user.realm, user.id)] else { return false }
      stored.password = user.password
      stored.isActive = user.isActive
      tables.users[Tables.Key(user.realm, user.id)] = stored
      return true
    }
  }

  public func takeAttempt(
    _ subject: AttemptSubject, policy: LockoutPolicy, now: UnixTime
  ) async throws -> AttemptDecision {
    tables.withLock { tables in
      var attempts = tables.attempts[subject] ?? Tables.Attempts()
      if let until = attempts.lockedUntil, until > now { return .locked(until: until) }
      attempts.failures += 1
      attempts.lockedUntil = policy.lock(afterFailures: attempts.failures, at: now)
      attempts.updatedAt = now
      if tables.attempts[subject] == nil, tables.attempts.count >= tables.limits.attemptSubjects,
        let oldest = tables.attempts.min(by: { $0.value.updatedAt < $1.value.updatedAt })
      {
        tables.attempts[oldest.key] = nil
      }
      tables.attempts[subject] = attempts
      return .granted
    }
  }

  public func resetAttempts(_ subject: AttemptSubject) async throws {
    tables.withLock { $0.attempts[subject] = nil }
  }

  public func consumeStep(
    _ step: Int, ofJourney journey: JourneyID, expiresAt: UnixTime, now: UnixTime
  ) async throws -> Bool {
    try tables.withLock { tables throws(RegistryError) in
      try tables.steps.consume(step, of: journey, expiresAt: expiresAt, now: now)
    }
  }

  public func rememberedJourneyCount() async throws -> Int { tables.withLock { $0.steps.count } }

  public func park(_ state: String, under digest: [UInt8], expiresAt: UnixTime, now: UnixTime) async throws {
    try tables.withLock { tables throws(RegistryError) in
      tables.parked = tables.parked.filter { $0.value.expiresAt > now }
      guard tables.parked.count < tables.limits.parkedJourneys else { throw RegistryError(.full, "parked journeys") }
      tables.parked[digest] = (state, expiresAt)
    }
  }

  public func unpark(_ digest: [UInt8], now: UnixTime) async throws -> String? {
    tables.withLock { tables in
      guard let parked = tables.parked.removeValue(forKey: digest), parked.expiresAt > now else { return nil }
      return parked.state
    }
  }

  public func addSession(_ session: SessionRecord, now: UnixTime) async throws {
    try tables.withLock { tables throws(RegistryError) in
      if tables.sessions.count >= tables.limits.sessions {
        tables.sessions = tables.sessions.filter { $0.value.expiresAt > now }
      }
      guard tables.sessions.count < tables.limits.sessions else { throw RegistryError(.full, "sessions") }
      tables.sessions[session.tokenDigest] = session
    }
  }

  public func session(_ tokenDigest: [UInt8], now: UnixTime) async throws -> SessionRecord? {
    tables.withLock { tables in tables.sessions[tokenDigest].flatMap { $0.expiresAt > now ? $0 : nil } }
  }

  public func removeSession(_ tokenDigest: [UInt8]) async throws -> Bool {
    tables.withLock { $0.sessions.removeValue(forKey: tokenDigest) != nil }
  }

  public func removeSessions(ofUser userID: String, realm: Realm) async throws {
    tables.withLock { tables in
      tables.sessions = tables.sessions.filter { $0.value.userID != userID || $0.value.realm != realm }
    }
  }

  public func addDevice(_ device: DeviceRecord, limit: Int) async throws -> DeviceAddition {
    tables.withLock { tables in
      if let index = tables.index(of: device.externalID, family: device.family, realm: device.realm) {
        let stored = tables.devices[index]
        return stored.userID == device.userID && stored.key == device.key ? .alreadyPresent : .conflict
      }
      let count = tables.devices.count {
        $0.userID == device.userID && $0.family == device.family && $0.realm == device.realm
      }
      guard limit == 0 || count < limit else { return .limitReached }
      tables.devices.append(device)
      return .added
    }
  }

  public func device(
    _ externalID: String, family: DeviceRecord.Family, realm: Realm
  ) async throws -> DeviceRecord? {
    tables.withLock { tables in
      tables.index(of: externalID, family: family, realm: realm).map { tables.devices[$0] }
    }
  }

  public func devices(
    ofUser userID: String, family: DeviceRecord.Family, realm: Realm
  ) async throws -> [DeviceRecord] {
    tables.withLock { $0.devices.filter { $0.userID == userID && $0.family == family && $0.realm == realm } }
  }

  public func touchDevice(_ device: DeviceRecord, at time: UnixTime) async throws {
    tables.withLock { tables in
      guard let index = tables.index(of: device.externalID, family: device.family, realm: device.realm) else { return }
      tables.devices[index].lastAccessAt = time
    }
  }

  public func advanceDevice(_ device: DeviceRecord) async throws -> Bool {
    tables.withLock { tables in
      guard let index = tables.index(of: device.externalID, family: device.family, realm: device.realm) else {
        return false
      }
      let stored = tables.devices[index].counter
      guard stored < device.counter || stored == 0 && device.counter == 0 else { return false }
      tables.devices[index].counter = device.counter
      tables.devices[index].attributes = device.attributes
      tables.devices[index].lastAccessAt = device.lastAccessAt
      return true
    }
  }

  public func removeDevice(
    _ externalID: String, ofUser userID: String, family: DeviceRecord.Family, realm: Realm
  ) async throws -> DeviceRecord? {
    tables.withLock { tables in
      guard let index = tables.index(of: externalID, family: family, realm: realm),
        tables.devices[index].userID == userID
      else { return nil }
      return tables.devices.remove(at: index)
    }
  }
}

/// The rows. Devices are few here, so they are searched.
private struct Tables {
  struct Key: Hashable {
    var realm: Realm
    var id: String
    init(_ realm: Realm, _ id: String) {
      self.realm = realm
      self.id = id
    }
  }

  struct Attempts {
    var failures = 0
    var lockedUntil: UnixTime?
    var updatedAt = UnixTime(milliseconds: 0)
  }

  let limits: RegistryLimits
  var tokenKeys: [TokenKeyRecord] = []
  var secrets: [String: SecretBytes] = [:]
  var users: [Key: UserRecord] = [:]
  var userIDs: [AttemptSubject: String] = [:]
  var attempts: [AttemptSubject: Attempts] = [:]
  var steps: UsedSteps
  var parked: [[UInt8]: (state: String, expiresAt: UnixTime)] = [:]
  var sessions: [[UInt8]: SessionRecord] = [:]
  var devices: [DeviceRecord] = []

  init(limits: RegistryLimits) {
    self.limits = limits
    steps = UsedSteps(limit: limits.journeys)
  }

  func index(of externalID: String, family: DeviceRecord.Family, realm: Realm) -> Int? {
    // Ids are compared byte by byte, as the database does.
    devices.firstIndex {
      $0.family == family && $0.realm == realm && $0.externalID.utf8.elementsEqual(externalID.utf8)
    }
  }
}
