public import AuthenticatorCore
public import AuthenticatorCrypto
internal import Synchronization

/// A registry that ends with the process. For tests and demonstrations; the behavior is that of `SQLiteRegistry`.
public final class InMemoryRegistry: JourneyRegistry {
  let tables: Mutex<InMemoryTables>
  let trusted: Mutex<TrustedDeviceTables>

  /// Makes an empty registry.
  public init(limits: RegistryLimits = .default) {
    tables = Mutex(InMemoryTables(limits: limits))
    trusted = Mutex(TrustedDeviceTables(sessionLimit: limits.sessions))
  }

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
      tables.userIDs[AttemptSubject(realm: realm, username: name)].flatMap {
        tables.users[InMemoryTables.Key(realm, $0)]
      }
    }
  }

  public func user(id: String, in realm: Realm) async throws -> UserRecord? {
    tables.withLock { $0.users[InMemoryTables.Key(realm, id)] }
  }

  public func hasUsers() async throws -> Bool { tables.withLock { !$0.users.isEmpty } }

  public func addUser(_ user: UserRecord) async throws {
    try tables.withLock { tables throws(RegistryError) in try tables.add(user) }
  }

  public func updateUser(_ user: UserRecord) async throws -> Bool {
    tables.withLock { tables in
      guard var stored = tables.users[InMemoryTables.Key(user.realm, user.id)] else { return false }
      stored.password = user.password
      stored.isActive = user.isActive
      tables.users[InMemoryTables.Key(user.realm, user.id)] = stored
      return true
    }
  }

  public func takeAttempt(
    _ subject: AttemptSubject, policy: LockoutPolicy, now: UnixTime
  ) async throws -> AttemptDecision {
    tables.withLock { tables in
      var attempts = tables.attempts[subject] ?? InMemoryTables.Attempts()
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
}
