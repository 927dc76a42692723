public import AuthenticatorCore

extension InMemoryRegistry {
  public func enrollTrustedDevice(
    _ device: TrustedDeviceRecord, challenge: ChallengeUse?, rules: EnrollmentRules
  ) async throws -> EnrollmentResult {
    try trusted.withLock { tables throws(RegistryError) in
      try tables.enroll(device, challenge: challenge, rules: rules)
    }
  }

  public func trustedDevice(_ id: String, realm: Realm) async throws -> TrustedDeviceRecord? {
    trusted.withLock { $0.device(id, realm: realm) }
  }

  public func trustedDevices(ofUser userID: String, realm: Realm) async throws -> [TrustedDeviceRecord] {
    trusted.withLock { $0.devices(ofUser: userID, realm: realm) }
  }

  public func revokeTrustedDevice(
    _ id: String, ofUser userID: String, realm: Realm, at time: UnixTime
  ) async throws -> TrustedDeviceRecord? {
    trusted.withLock { $0.revoke(id, ofUser: userID, realm: realm, at: time) }
  }

  public func noteTrustedDeviceUse(_ id: String, realm: Realm, at time: UnixTime) async throws -> Bool {
    trusted.withLock { $0.noteUse(id, realm: realm, at: time) }
  }

  public func signIn(_ signIn: ClientSignIn, now: UnixTime) async throws -> ClientSignInResult {
    try trusted.withLock { tables throws(RegistryError) in try tables.signIn(signIn, now: now) }
  }

  public func clientSessions(ofClient clientID: String) async throws -> [ClientSessionRecord] {
    trusted.withLock { $0.sessions(ofClient: clientID) }
  }

  public func endClientSessions(
    _ id: String?, ofClient clientID: String, at time: UnixTime
  ) async throws -> [ClientSessionRecord] {
    trusted.withLock { $0.endSessions(id, ofClient: clientID, at: time) }
  }

  public func completeTask(
    _ task: String, ofSession id: String, client clientID: String, at time: UnixTime
  ) async throws -> ClientSessionRecord? {
    trusted.withLock { $0.completeTask(task, ofSession: id, client: clientID, at: time) }
  }

  public func revokeClientSessions(ofUser userID: String, realm: Realm, at time: UnixTime) async throws {
    trusted.withLock { $0.revokeSessions(ofUser: userID, realm: realm, at: time) }
  }

  public func addUser(_ user: UserRecord, limit: Int) async throws -> Bool {
    try tables.withLock { tables throws(RegistryError) in
      guard tables.users.values.count(where: { $0.realm == user.realm }) < limit else { return false }
      try tables.add(user)
      return true
    }
  }
}
