import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

/// What every registry must do about trusted devices and the sessions of clients.
@Suite struct TrustedDeviceRegistryTests {
  let directory: TemporaryDirectory
  let alpha: Realm
  let start = UnixTime(milliseconds: 1_767_225_600_000)
  let rules = EnrollmentRules(quota: 3)

  init() throws {
    directory = try TemporaryDirectory()
    alpha = try #require(Realm("alpha"))
  }

  private func later(_ seconds: Int) -> UnixTime { start.advanced(by: .seconds(seconds)) }

  private func device(
    _ id: String, user: String = "u1", client: String? = nil, installation: String? = nil, app: String = "app",
    realm: Realm? = nil, at time: UnixTime? = nil
  ) -> TrustedDeviceRecord {
    TrustedDeviceRecord(
      id: id, realm: realm ?? alpha, userID: user, clientID: client, installation: installation, platform: "linux",
      appIdentifier: app, name: "Desk", publicKey: [UInt8](repeating: 4, count: 65), createdAt: time ?? start)
  }

  private func challenge(_ byte: UInt8, at time: UnixTime? = nil) -> ChallengeUse {
    ChallengeUse(id: [UInt8](repeating: byte, count: 16), expiresAt: time ?? later(300))
  }

  private func session(
    _ id: String, client: String = "c1", user: String = "u1", tasks: [String] = [], at time: UnixTime? = nil,
    lasting seconds: Int = 3600
  ) -> ClientSessionRecord {
    let time = time ?? start
    return ClientSessionRecord(
      id: id, clientID: client, realm: alpha, userID: user, strategy: "password", tasks: tasks, createdAt: time,
      updatedAt: time, expiresAt: time.advanced(by: .seconds(seconds)))
  }

  private func enroll(
    _ registry: any JourneyRegistry, _ device: TrustedDeviceRecord, _ challenge: ChallengeUse? = nil,
    rules: EnrollmentRules? = nil
  ) async throws -> EnrollmentResult {
    try await registry.enrollTrustedDevice(device, challenge: challenge, rules: rules ?? self.rules)
  }

  @Test(arguments: RegistryKind.allCases) func keepsEveryMember(_ kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    var full = device("tdc_1", client: "c1", installation: "i1")
    #expect(try await enroll(registry, full) == .enrolled)
    #expect(try await registry.trustedDevice("tdc_1", realm: alpha) == full)
    #expect(try await registry.noteTrustedDeviceUse("tdc_1", realm: alpha, at: later(5)))
    full.lastUsedAt = later(5)
    #expect(try await registry.trustedDevice("tdc_1", realm: alpha) == full)
    full.revokedAt = later(9)
    #expect(try await registry.revokeTrustedDevice("tdc_1", ofUser: "u1", realm: alpha, at: later(9)) == full)
    #expect(try await registry.trustedDevices(ofUser: "u1", realm: alpha) == [full])
    var bare = device("tdc_2")
    bare.name = nil
    #expect(try await enroll(registry, bare) == .enrolled)
    #expect(try await registry.trustedDevice("tdc_2", realm: alpha) == bare)
    #expect(try await registry.trustedDevice("tdc_3", realm: alpha) == nil)
    #expect(try await registry.trustedDevice("tdc_2", realm: .root) == nil)
  }

  @Test(arguments: RegistryKind.allCases) func oneIdNamesOneCredential(_ kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    #expect(try await enroll(registry, device("tdc_1"), challenge(1)) == .enrolled)
    await #expect(throws: RegistryError(.conflict)) {
      try await enroll(registry, device("tdc_1", user: "u2"), challenge(2))
    }
    // What failed used nothing up.
    #expect(try await enroll(registry, device("tdc_2"), challenge(2)) == .enrolled)
    #expect(try await enroll(registry, device("tdc_1", user: "u2", realm: .root)) == .enrolled)
  }

  @Test(arguments: RegistryKind.allCases) func aRefusalUsesNothingUp(_ kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    for index in 1...3 { #expect(try await enroll(registry, device("tdc_\(index)")) == .enrolled) }
    #expect(try await enroll(registry, device("tdc_4"), challenge(1)) == .quotaExceeded)
    #expect(try await registry.trustedDevice("tdc_4", realm: alpha) == nil)
    _ = try await registry.revokeTrustedDevice("tdc_1", ofUser: "u1", realm: alpha, at: later(1))
    #expect(try await enroll(registry, device("tdc_4"), challenge(1)) == .enrolled)
    #expect(try await enroll(registry, device("tdc_5", user: "u2"), challenge(1)) == .challengeUsed)
    #expect(try await registry.trustedDevice("tdc_5", realm: alpha) == nil)
  }

  @Test(arguments: RegistryKind.allCases) func installationsAreToldApart(_ kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    let once = EnrollmentRules(quota: 10, refusesEnrolledAgain: true)
    #expect(try await enroll(registry, device("tdc_1", client: "c1", installation: "i1"), rules: once) == .enrolled)
    for (index, again) in [
      device("x", client: "c1"), device("x", client: "c2", installation: "i1"), device("x", installation: "i1"),
    ].enumerated() {
      #expect(try await enroll(registry, again, rules: once) == .alreadyEnrolled, "case \(index)")
    }
    for (index, other) in [
      device("o0", client: "c2"), device("o1", client: "c3", installation: "i2"), device("o2"),
      device("o3", client: "c1", app: "other"), device("o4", client: "c1", realm: .root),
      device("o5", user: "u2", client: "c1", installation: "i1"),
    ].enumerated() {
      #expect(try await enroll(registry, other, rules: once) == .enrolled, "case \(index)")
    }
  }

  @Test(arguments: RegistryKind.allCases) func replacesWhatTheRulesSay(_ kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    var all = EnrollmentRules(quota: 1)
    all.replacesOtherUsers = true
    for one in [
      device("mine", client: "c1"), device("theirs", user: "u2", client: "c1"),
      device("claimed", user: "u3", client: "c9", installation: "i1"), device("elsewhere", user: "u4", client: "c2"),
    ] { #expect(try await enroll(registry, one) == .enrolled) }
    let new = device("new", client: "c1", installation: "i1", at: later(7))
    #expect(try await enroll(registry, new, rules: all) == .enrolled)
    for (id, isActive) in [("mine", false), ("theirs", false), ("claimed", true), ("elsewhere", true), ("new", true)] {
      let stored = try #require(try await registry.trustedDevice(id, realm: alpha))
      #expect(stored.isActive == isActive, "\(id)")
      #expect(stored.revokedAt == (isActive ? nil : later(7)))
    }
  }

  @Test(arguments: RegistryKind.allCases) func revokesOnlyOnesOwn(_ kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    _ = try await enroll(registry, device("tdc_1"))
    #expect(try await registry.revokeTrustedDevice("tdc_1", ofUser: "u2", realm: alpha, at: start) == nil)
    #expect(try await registry.revokeTrustedDevice("tdc_1", ofUser: "u1", realm: .root, at: start) == nil)
    #expect(try await registry.revokeTrustedDevice("tdc_2", ofUser: "u1", realm: alpha, at: start) == nil)
    let first = try await registry.revokeTrustedDevice("tdc_1", ofUser: "u1", realm: alpha, at: later(1))
    #expect(try await registry.revokeTrustedDevice("tdc_1", ofUser: "u1", realm: alpha, at: later(9)) == first)
    #expect(try await !registry.noteTrustedDeviceUse("tdc_1", realm: alpha, at: later(9)))
    #expect(try await registry.trustedDevice("tdc_1", realm: alpha) == first)
  }

  // MARK: Sessions

  private func signIn(
    _ registry: any JourneyRegistry, _ session: ClientSessionRecord, device: String? = nil,
    _ challenge: ChallengeUse? = nil, single: Bool = false, at now: UnixTime? = nil
  ) async throws -> ClientSignInResult {
    try await registry.signIn(
      ClientSignIn(session: session, deviceID: device, challenge: challenge, isSingleSession: single),
      now: now ?? session.createdAt)
  }

  @Test(arguments: RegistryKind.allCases) func keepsSessions(_ kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    let first = session("s1", tasks: ["a", "b"])
    let second = session("s2", user: "u2", at: later(1))
    #expect(try await signIn(registry, first) == .signedIn)
    #expect(try await signIn(registry, second) == .signedIn)
    #expect(try await signIn(registry, session("s3", client: "c2")) == .signedIn)
    #expect(try await registry.clientSessions(ofClient: "c1") == [second, first])
    #expect(try await registry.clientSessions(ofClient: "c9") == [])
    let changed = try await registry.completeTask("a", ofSession: "s1", client: "c1", at: later(2))
    #expect(changed?.tasks == ["b"])
    #expect(changed?.updatedAt == later(2))
    #expect(try await registry.completeTask("a", ofSession: "s1", client: "c2", at: later(2)) == nil)
    #expect(try await registry.clientSessions(ofClient: "c1").last == changed)
  }

  @Test(arguments: RegistryKind.allCases) func sessionsKeepEachOtherOut(_ kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    _ = try await signIn(registry, session("s1", lasting: 10))
    #expect(try await signIn(registry, session("s2", user: "u2"), single: true) == .sessionExists)
    #expect(try await signIn(registry, session("s2")) == .alreadySignedIn)
    #expect(try await signIn(registry, session("s2", user: "u2")) == .signedIn)
    #expect(try await signIn(registry, session("s3", client: "c2"), single: true) == .signedIn)
    // What is over keeps nobody out.
    #expect(try await signIn(registry, session("s4", at: later(10))) == .signedIn)
  }

  @Test(arguments: RegistryKind.allCases) func aSignInIsOneStep(_ kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    _ = try await enroll(registry, device("tdc_1"))
    #expect(try await signIn(registry, session("s1"), device: "none", challenge(1)) == .deviceGone)
    #expect(try await signIn(registry, session("s1"), device: "tdc_1", challenge(1)) == .signedIn)
    #expect(try await registry.trustedDevice("tdc_1", realm: alpha)?.lastUsedAt == start)
    let again = session("s2", client: "c2", at: later(3))
    #expect(try await signIn(registry, again, device: "tdc_1", challenge(1)) == .challengeUsed)
    #expect(try await signIn(registry, session("s2"), device: "tdc_1", challenge(2), single: true) == .sessionExists)
    #expect(try await registry.clientSessions(ofClient: "c2") == [])
    #expect(try await registry.trustedDevice("tdc_1", realm: alpha)?.lastUsedAt == start)
    #expect(try await signIn(registry, again, device: "tdc_1", challenge(2)) == .signedIn)
    _ = try await registry.revokeTrustedDevice("tdc_1", ofUser: "u1", realm: alpha, at: later(4))
    #expect(try await signIn(registry, session("s9", client: "c9"), device: "tdc_1", challenge(3)) == .deviceGone)
  }

  @Test(arguments: RegistryKind.allCases) func usedChallengesAreForgottenInTheEnd(_ kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    _ = try await signIn(registry, session("s1"), nil, challenge(1, at: later(300)))
    // Long after its time, but within the margin, a clock that was set back still finds it.
    _ = try await signIn(registry, session("s2", client: "c2", at: later(800)), nil, challenge(2, at: later(900)))
    #expect(
      try await signIn(registry, session("s3", client: "c3"), nil, challenge(1), at: later(10)) == .challengeUsed)
  }

  private func signIn(
    _ registry: any JourneyRegistry, _ session: ClientSessionRecord, _ device: String?, _ challenge: ChallengeUse?,
    at now: UnixTime? = nil
  ) async throws -> ClientSignInResult {
    try await signIn(registry, session, device: device, challenge, at: now)
  }

  @Test(arguments: RegistryKind.allCases) func endsSessions(_ kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    _ = try await signIn(registry, session("s1", lasting: 10))
    _ = try await signIn(registry, session("s2", user: "u2", at: later(1)))
    _ = try await signIn(registry, session("s3", client: "c2"))
    let ended = try await registry.endClientSessions("s2", ofClient: "c1", at: later(2))
    #expect(ended.map(\.id) == ["s2"])
    #expect(ended.first?.ending == .removed)
    #expect(ended.first?.updatedAt == later(2))
    #expect(try await registry.endClientSessions("s2", ofClient: "c1", at: later(5)) == ended)
    #expect(try await registry.endClientSessions("s3", ofClient: "c1", at: later(5)) == [])
    let all = try await registry.endClientSessions(nil, ofClient: "c1", at: later(20))
    // What had expired has not been signed out of.
    #expect(all.map { $0.status(at: later(20)) } == [.removed, .expired])
    try await registry.revokeClientSessions(ofUser: "u1", realm: alpha, at: later(21))
    #expect(try await registry.clientSessions(ofClient: "c2").map { $0.status(at: later(21)) } == [.revoked])
    #expect(try await registry.clientSessions(ofClient: "c1").map(\.ending) == [.removed, nil])
  }

  @Test(arguments: RegistryKind.allCases) func theNewestSessionsStay(_ kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    // The oldest is the only one that is not over.
    _ = try await signIn(registry, session("live", user: "u0", lasting: 10_000))
    for index in 1...12 {
      #expect(try await signIn(registry, session("s\(index)", at: later(index * 2), lasting: 1)) == .signedIn)
    }
    let ids = try await registry.clientSessions(ofClient: "c1").map(\.id)
    #expect(ids == (4...12).reversed().map { "s\($0)" } + ["live"])
  }

  @Test(arguments: RegistryKind.allCases) func aUserKeepsAHundredSessions(_ kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    for index in 0...104 {
      #expect(try await signIn(registry, session("s\(index)", client: "c\(index)", at: later(index))) == .signedIn)
    }
    for index in 0...104 {
      let count = try await registry.clientSessions(ofClient: "c\(index)").count
      #expect(count == (index < 5 ? 0 : 1), "client \(index)")
    }
  }

  @Test(arguments: RegistryKind.allCases) func sessionsHaveALimit(_ kind: RegistryKind) async throws {
    let registry = try kind.make(directory, limits: RegistryLimits(sessions: 2))
    for index in 1...2 {
      _ = try await signIn(registry, session("s\(index)", client: "c\(index)", user: "u\(index)", lasting: 10))
    }
    let third = session("s3", client: "c3", user: "u3", at: later(20))
    await #expect(throws: RegistryError(.full)) { try await signIn(registry, third, nil, challenge(1)) }
    // A day after they were over, those that are over give way; the challenge was not used up.
    let late = session("s3", client: "c3", user: "u3", at: later(86_410))
    #expect(try await signIn(registry, late, nil, challenge(1, at: later(86_500))) == .signedIn)
    #expect(try await registry.clientSessions(ofClient: "c1") == [])
  }

  // MARK: Users

  @Test(arguments: RegistryKind.allCases) func usersHaveALimitByRealm(_ kind: RegistryKind) async throws {
    let registry = try kind.make(directory)
    func user(_ name: String, _ realm: Realm) -> UserRecord {
      UserRecord(id: "id-\(name)", realm: realm, name: name, password: nil)
    }
    #expect(try await registry.addUser(user("a", alpha), limit: 2))
    #expect(try await registry.addUser(user("b", alpha), limit: 2))
    #expect(try await !registry.addUser(user("c", alpha), limit: 2))
    #expect(try await registry.user(named: "c", in: alpha) == nil)
    #expect(try await registry.addUser(user("c", .root), limit: 2))
    await #expect(throws: RegistryError(.conflict)) { try await registry.addUser(user("A", alpha), limit: 9) }
  }
}
