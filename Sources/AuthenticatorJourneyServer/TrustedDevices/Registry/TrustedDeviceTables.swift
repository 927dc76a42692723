internal import AuthenticatorCore

/// The rows of `InMemoryRegistry` for trusted devices and the sessions of clients.
struct TrustedDeviceTables: Sendable {
  private struct UserKey: Hashable {
    var realm: Realm
    var id: String
  }

  let sessionLimit: Int
  /// In the order they were added.
  private var devices: [TrustedDeviceRecord] = []
  /// By client; in the order they were added.
  private var sessions: [String: [ClientSessionRecord]] = [:]
  private var usedChallenges: [[UInt8]: UnixTime] = [:]
  /// How many used challenges there may be until those that nobody could use again are forgotten.
  private var sweepAt = 1024
  private var sessionCount = 0
  private var sessionsOfUser: [UserKey: Int] = [:]

  init(sessionLimit: Int) { self.sessionLimit = sessionLimit }

  // MARK: Credentials

  mutating func enroll(
    _ device: TrustedDeviceRecord, challenge: ChallengeUse?, rules: EnrollmentRules
  ) throws(RegistryError) -> EnrollmentResult {
    let now = device.createdAt
    guard challenge.map(isUnused) ?? true else { return .challengeUsed }
    if let refusal = rules.refusal(of: device, among: devices(ofUser: device.userID, realm: device.realm)) {
      return refusal
    }
    guard !devices.contains(where: { $0.realm == device.realm && $0.id == device.id }) else {
      throw RegistryError(.conflict, "trusted device")
    }
    if let challenge { use(challenge, now: now) }
    for index in devices.indices where rules.replaces(devices[index], by: device) { devices[index].revokedAt = now }
    devices.append(device)
    forgetRevoked(ofUser: device.userID, realm: device.realm)
    return .enrolled
  }

  func device(_ id: String, realm: Realm) -> TrustedDeviceRecord? {
    devices.first { $0.realm == realm && $0.id == id }
  }

  func devices(ofUser userID: String, realm: Realm) -> [TrustedDeviceRecord] {
    devices.reversed().filter { $0.realm == realm && $0.userID == userID }.sorted { $0.createdAt > $1.createdAt }
  }

  mutating func revoke(_ id: String, ofUser userID: String, realm: Realm, at time: UnixTime) -> TrustedDeviceRecord? {
    let index = devices.firstIndex { $0.realm == realm && $0.id == id && $0.userID == userID }
    guard let index else { return nil }
    if devices[index].isActive { devices[index].revokedAt = time }
    let device = devices[index]
    forgetRevoked(ofUser: userID, realm: realm)
    return device
  }

  mutating func noteUse(_ id: String, realm: Realm, at time: UnixTime) -> Bool {
    let index = devices.firstIndex { $0.realm == realm && $0.id == id && $0.isActive }
    guard let index else { return false }
    devices[index].lastUsedAt = time
    return true
  }

  private mutating func forgetRevoked(ofUser userID: String, realm: Realm) {
    let revoked = devices.filter { !$0.isActive && $0.userID == userID && $0.realm == realm }
    let kept = revoked.sorted { ($0.revokedAt ?? $0.createdAt) > ($1.revokedAt ?? $1.createdAt) }
    let forgotten = Set(kept.dropFirst(TrustedDeviceBounds.revokedPerUser).map(\.id))
    if !forgotten.isEmpty { devices.removeAll { $0.realm == realm && forgotten.contains($0.id) } }
  }

  // MARK: Challenges

  private func isUnused(_ challenge: ChallengeUse) -> Bool { usedChallenges[challenge.id] == nil }

  private mutating func use(_ challenge: ChallengeUse, now: UnixTime) {
    if usedChallenges.count >= sweepAt {
      usedChallenges = usedChallenges.filter { $0.value > now }
      sweepAt = max(1024, 2 * usedChallenges.count)
    }
    usedChallenges[challenge.id] = challenge.forgottenAt
  }

  /// Uses a challenge up: true exactly once. Throws `full`.
  mutating func takeChallenge(_ challenge: ChallengeUse, now: UnixTime) throws(RegistryError) -> Bool {
    guard isUnused(challenge) else { return false }
    if usedChallenges.count >= sessionLimit { usedChallenges = usedChallenges.filter { $0.value > now } }
    guard usedChallenges.count < sessionLimit else { throw RegistryError(.full, "used challenges") }
    use(challenge, now: now)
    return true
  }

  // MARK: Sessions

  mutating func signIn(_ signIn: ClientSignIn, now: UnixTime) throws(RegistryError) -> ClientSignInResult {
    let session = signIn.session
    guard signIn.challenge.map(isUnused) ?? true else { return .challengeUsed }
    if let conflict = signIn.conflict(with: sessions[session.clientID] ?? [], now: now) { return conflict }
    if let id = signIn.deviceID {
      guard device(id, realm: session.realm)?.isActive == true else { return .deviceGone }
    }
    if sessionCount >= sessionLimit { sweep(now) }
    guard sessionCount < sessionLimit else { throw RegistryError(.full, "sessions of clients") }
    if let id = signIn.deviceID { _ = noteUse(id, realm: session.realm, at: now) }
    if let challenge = signIn.challenge { use(challenge, now: now) }
    let user = Self.user(of: session)
    sessions[session.clientID, default: []].append(session)
    sessionCount += 1
    sessionsOfUser[user, default: 0] += 1
    keepNewest(TrustedDeviceBounds.sessionsPerClient, of: sessions[session.clientID] ?? [], now)
    if sessionsOfUser[user, default: 0] > TrustedDeviceBounds.sessionsPerUser {
      keepNewest(
        TrustedDeviceBounds.sessionsPerUser, of: sessions.values.joined().filter { Self.user(of: $0) == user }, now)
    }
    return .signedIn
  }

  private static func user(of session: ClientSessionRecord) -> UserKey {
    UserKey(realm: session.realm, id: session.userID)
  }

  func sessions(ofClient clientID: String) -> [ClientSessionRecord] {
    (sessions[clientID] ?? []).reversed().sorted { $0.createdAt > $1.createdAt }
  }

  mutating func endSessions(_ id: String?, ofClient clientID: String, at time: UnixTime) -> [ClientSessionRecord] {
    let meant = (sessions[clientID] ?? []).indices.filter { id == nil || sessions[clientID]?[$0].id == id }
    for index in meant where sessions[clientID]?[index].status(at: time).isLive == true {
      sessions[clientID]?[index].ending = .removed
      sessions[clientID]?[index].updatedAt = time
    }
    return sessions(ofClient: clientID).filter { id == nil || $0.id == id }
  }

  mutating func completeTask(
    _ task: String, ofSession id: String, client clientID: String, at time: UnixTime
  ) -> ClientSessionRecord? {
    guard let index = sessions[clientID]?.firstIndex(where: { $0.id == id }) else { return nil }
    sessions[clientID]?[index].tasks.removeAll { $0 == task }
    sessions[clientID]?[index].updatedAt = time
    return sessions[clientID]?[index]
  }

  mutating func revokeSessions(ofUser userID: String, realm: Realm, at time: UnixTime) {
    for (client, records) in sessions {
      for (index, record) in records.enumerated()
      where record.userID == userID && record.realm == realm && record.status(at: time).isLive {
        sessions[client]?[index].ending = .revoked
        sessions[client]?[index].updatedAt = time
      }
    }
  }

  /// Forgets the sessions of a group beyond its limit: those that are over first, then the oldest.
  private mutating func keepNewest(_ limit: Int, of members: [ClientSessionRecord], _ now: UnixTime) {
    guard members.count > limit else { return }
    let ranked = members.sorted { left, right in
      let (leftIsLive, rightIsLive) = (left.status(at: now).isLive, right.status(at: now).isLive)
      return leftIsLive == rightIsLive ? left.createdAt > right.createdAt : leftIsLive
    }
    remove(Set(ranked.dropFirst(limit).map(\.id)))
  }

  private mutating func sweep(_ now: UnixTime) {
    let over = sessions.values.joined().filter { $0.expiresAt.advanced(by: TrustedDeviceBounds.retention) <= now }
    remove(Set(over.map(\.id)))
  }

  private mutating func remove(_ ids: Set<String>) {
    guard !ids.isEmpty else { return }
    sessions = sessions.compactMapValues { records in
      let kept = records.filter { !ids.contains($0.id) }
      return kept.isEmpty ? nil : kept
    }
    sessionsOfUser = [:]
    for record in sessions.values.joined() { sessionsOfUser[Self.user(of: record), default: 0] += 1 }
    sessionCount = sessionsOfUser.values.reduce(0, +)
  }
}
