import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// What becomes of token, session and settings when answers are lost, refused or out of date.
@Suite struct SessionFaultTests {
  private func client(_ session: String?, expires: UnixTime? = nil, id: String = "client_A") -> JSONValue {
    let sessions = session.map { id -> [JSONValue] in
      var object = Wire.session(id, user: "user_A").objectValue ?? [:]
      if let expires { object["expire_at"] = .integer(expires.milliseconds) }
      return [.object(object)]
    }
    var object = Wire.client(sessions: sessions ?? [], last: session).objectValue ?? [:]
    object["id"] = .string(id)
    return .object(object)
  }

  // MARK: Signing out

  /// The answer of a sign-in was lost: the server has a session, and this client has a token and no word of it.
  private func unaware() async throws -> Bench {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.signOut()
    return bench
  }

  @Test func endsASessionWhoseAnswerWasLost() async throws {
    let bench = try await unaware()
    bench.transport.add(json: Wire.envelope(client("sess_B")))
    bench.transport.add(
      json: Wire.envelope(["object": "session", "id": "sess_B", "status": "removed"], client: Wire.client()))
    try await bench.client.auth.signOut()
    #expect(bench.requests.suffix(2).map(\.line) == ["GET /v1/client", "POST /v1/client/sessions/sess_B/remove"])
  }

  @Test(arguments: [true, false]) func endsAllSessionsUnseen(_ isAnswered: Bool) async throws {
    let bench = try await unaware()
    if isAnswered {
      bench.transport.add(json: Wire.envelope(client(nil)))
    } else {
      bench.transport.addFailure(mayHaveArrived: true)
    }
    bench.transport.add(json: Wire.envelope(client(nil)))
    try await bench.client.auth.signOut(everywhere: true)
    #expect(bench.requests.last?.line == "DELETE /v1/client/sessions")
  }

  @Test func sendsNothingWithoutAToken() async throws {
    let bench = try Bench()
    try await bench.client.auth.signOut()
    try await bench.client.auth.signOut(everywhere: true)
    #expect(bench.requests.isEmpty)
  }

  // MARK: Another token

  @Test func keepsItsTokenUntilAnotherIsAccepted() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.script(401, "authentication_invalid")
    let refused = await failure { try await bench.client.adopt(deviceToken: "token-wrong") }
    #expect(refused?.code == .signedOut)
    #expect(refused?.reason == "the server refused the device token")
    #expect(bench.requests.last?.value("Authorization") == "token-wrong")
    #expect(bench.requests.last?.value("x-clerk-client-id") == nil)
    bench.transport.add(json: Wire.envelope(.null))
    #expect(await failure { try await bench.client.adopt(deviceToken: "token-wrong") }?.code == .signedOut)
    bench.transport.add(json: Wire.envelope(client("sess_X")), fields: [HTTPField("Authorization", "Bearer")])
    #expect(await failure { try await bench.client.adopt(deviceToken: "token-wrong") }?.code == .signedOut)
    bench.transport.addFailure(mayHaveArrived: true)
    #expect(await failure { try await bench.client.adopt(deviceToken: "token-wrong") }?.code == .transportFailed)
    #expect(try await bench.client.auth.session?.id == "sess_A")
    #expect(try await bench.restarted().client.auth.session?.id == "sess_A")

    bench.transport.add(json: Wire.envelope(client("sess_B", id: "client_B")))
    try await bench.client.adopt(deviceToken: "token-9")
    #expect(try await bench.client.auth.session?.id == "sess_B")
    let later = bench.restarted()
    later.transport.add(json: Wire.envelope([]))
    _ = try await later.devices.list()
    #expect(later.requests.last?.value("Authorization") == "token-9")
    #expect(later.requests.last?.value("x-clerk-client-id") == "client_B")
  }

  // MARK: Clocks

  /// The true time of these tests.
  private static let date = HTTPField("Date", "Tue, 14 Nov 2023 22:13:20 GMT")

  /// A session of a week. The device's clock was set since: it was eight days slow or is eight days fast now, so that the
  /// session seems to be over while the server says that it is not.
  private func misjudged(isFast: Bool) async throws -> Bench {
    let bench = try Bench()
    let clock = bench.device.environment.clock
    let (now, days) = (clock.now, Duration.seconds(8 * 86_400))
    if !isFast { clock.set(now: now.advanced(by: .zero - days)) }
    try await bench.load()
    bench.transport.add(
      json: Wire.envelope(
        Wire.signIn(status: "complete", createdSession: "sess_A"),
        client: client("sess_A", expires: now.advanced(by: .seconds(7 * 86_400)))),
      fields: [HTTPField("Authorization", "token-1"), Self.date])
    try await bench.client.auth.signIn(identifier: "mira", password: "a password")
    bench.script()
    bench.transport.add(json: Wire.envelope(Wire.device("tdc_1", at: now)), fields: [Self.date])
    bench.device.verifier.perform(.match())
    try await bench.devices.enroll()
    clock.set(now: isFast ? now.advanced(by: days) : now)
    let later = bench.restarted()
    #expect(try await later.client.auth.session?.status == .expired)
    later.transport.add(
      json: Wire.envelope(client("sess_A", expires: now.advanced(by: .seconds(7 * 86_400)))), fields: [Self.date])
    return later
  }

  /// What was asked, and that the next run judges the session without asking.
  private func expectCorrected(_ bench: Bench, _ lines: [String]) async throws {
    #expect(bench.requests.suffix(lines.count).map(\.line) == lines)
    #expect(try await bench.restarted().client.auth.session?.status == .active)
    #expect(bench.transport.remaining == 0)
  }

  @Test(arguments: [true, false]) func asksOnceWhetherASessionIsOverThatSeemsSo(_ isFast: Bool) async throws {
    let list = "GET /v1/me/trusted_devices"
    var bench = try await misjudged(isFast: isFast)
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]), fields: [Self.date])
    #expect(try await bench.devices.reconcile().askedServer)
    try await expectCorrected(bench, ["GET /v1/client", list])

    bench = try await misjudged(isFast: isFast)
    bench.transport.add(json: Wire.envelope([]), fields: [Self.date])
    #expect(try await bench.devices.availability() == .unavailable(.serverCredentialMissing))
    try await expectCorrected(bench, ["GET /v1/client", list])

    bench = try await misjudged(isFast: isFast)
    bench.transport.add(json: Wire.envelope([]), fields: [Self.date])
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .credentialGone)
    try await expectCorrected(bench, ["GET /v1/client", list])

    bench = try await misjudged(isFast: isFast)
    bench.transport.add(json: Wire.envelope([]), fields: [Self.date])
    #expect(try await bench.devices.list().isEmpty)
    try await expectCorrected(bench, ["GET /v1/client", list])
  }

  // MARK: What cannot be kept

  @Test func saysThatASessionIsNotKept() async throws {
    let bench = try Bench()
    try await bench.load()
    bench.device.store.fail(.exchangeItem)
    try await bench.signIn()
    #expect(bench.events.all.contains(.postponed(.saving, code: .storageFailed)))
    // It counts here, and the next run would not know it.
    #expect(try await bench.client.auth.session?.id == "sess_A")
    #expect(await failure { try await bench.client.keepState() }?.code == .storageFailed)
    #expect(try await bench.restarted().client.auth.session == nil)
    bench.device.store.repair()
    try await bench.client.keepState()
    #expect(try await bench.restarted().client.auth.session?.id == "sess_A")
  }

  /// Two processes with one new store, both of which have read it.
  private func twoProcesses() async throws -> (Bench, Bench) {
    let one = try Bench()
    let two = one.restarted()
    try await one.client.start()
    try await two.client.start()
    one.transport.add(json: Wire.environment())
    try await one.client.refresh()
    return (one, two)
  }

  /// Two processes with one new store sign in at the same time: one is kept, the other says that it is not.
  @Test func keepsOneOfTwoSignInsAtOnce() async throws {
    let (one, two) = try await twoProcesses()
    try await one.signIn(session: "sess_1")
    one.transport.add(json: Wire.envelope(client("sess_2")), fields: [HTTPField("Authorization", "token-2")])
    _ = await failure { try await two.client.auth.signIn(identifier: "mira", password: "a password") }
    #expect(try await two.client.auth.session?.id == "sess_2")
    #expect(await failure { try await two.client.keepState() }?.code == .busy)
    #expect(try await one.restarted().client.auth.session?.id == "sess_1")
  }

  /// The other process comes between reading what is kept and writing it.
  @Test func keepsOneOfTwoSignInsInTheSameInstant() async throws {
    let (one, two) = try await twoProcesses()
    one.device.store.interrupt(before: .exchangeItem) { try await one.signIn(session: "sess_1") }
    one.transport.add(json: Wire.envelope(client("sess_2")), fields: [HTTPField("Authorization", "token-2")])
    _ = await failure { try await two.client.auth.signIn(identifier: "mira", password: "a password") }
    #expect(try await two.client.auth.session?.id == "sess_2")
    #expect(await failure { try await two.client.keepState() }?.code == .busy)
    #expect(try await one.restarted().client.auth.session?.id == "sess_1")
  }

  /// A process that only asks for settings takes nothing from another that has signed in meanwhile.
  @Test func takesOverWhatAnotherProcessHasKept() async throws {
    let one = try Bench()
    let two = one.restarted()
    try await two.client.start()
    try await one.signIn()
    two.transport.add(json: Wire.environment(api: false))
    two.transport.add(json: Wire.envelope(client("sess_A")))
    try await two.client.refresh()
    #expect(try await two.client.auth.session?.id == "sess_A")
    let later = one.restarted()
    #expect(try await later.client.auth.session?.id == "sess_A")
    #expect(try await later.client.environment?.isNativeAPIEnabled == false)
  }

  // MARK: Settings out of date

  @Test func asksAgainBeforeItRefuses() async throws {
    let bench = try Bench()
    try await bench.signIn(settings: Wire.environment(feature: false))
    bench.transport.add(json: Wire.environment(feature: false))
    #expect(await failure { try await bench.devices.enroll() }?.code == .featureDisabled)
    bench.transport.addFailure(mayHaveArrived: true)
    #expect(await failure { try await bench.devices.enroll() }?.code == .featureDisabled)
    bench.transport.add(json: Wire.environment())
    try await bench.enroll()
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  @Test func learnsFromARefusalThatTheFeatureIsOff() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll()
    try await bench.signOut()
    bench.script(403, "feature_not_enabled")
    bench.transport.add(json: Wire.environment(feature: false))
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .featureDisabled)
    #expect(try await bench.devices.availability() == .unavailable(.featureDisabled))
  }

  // MARK: Sessions whose time is over

  private func expiring() async throws -> Bench {
    let bench = try Bench()
    try await bench.load()
    bench.transport.add(
      json: Wire.envelope(
        Wire.signIn(status: "complete", createdSession: "sess_A"),
        client: client("sess_A", expires: bench.now.advanced(by: .seconds(3600)))),
      fields: [HTTPField("Authorization", "token-1")])
    try await bench.client.auth.signIn(identifier: "mira@example.com", password: "a password")
    try await bench.enroll()
    return bench
  }

  @Test func answersFromLocalStateOnceTheSessionIsOver() async throws {
    let bench = try await expiring()
    bench.device.environment.clock.advance(by: .seconds(3600))
    for bench in [bench, bench.restarted()] {
      let count = bench.requests.count
      #expect(try await bench.client.auth.session?.status == .expired)
      #expect(try await bench.devices.availability() == .available)
      let report = try await bench.devices.reconcile()
      #expect(!report.askedServer)
      // Whether it is over was asked once each time; nobody answered.
      #expect(bench.requests.dropFirst(count).map(\.line) == ["GET /v1/client", "GET /v1/client"])
    }
  }

  @Test func asksOnceMoreBeforeItCallsSomebodySignedOut() async throws {
    let bench = try await expiring()
    bench.device.environment.clock.advance(by: .seconds(3600))
    bench.transport.add(json: Wire.envelope(client("sess_A", expires: bench.now.advanced(by: .seconds(3600)))))
    bench.transport.add(json: Wire.envelope(Wire.device("tdc_1", status: "revoked", at: bench.now)))
    #expect(try await bench.devices.revokeCurrentDeviceCredential()?.id == "tdc_1")
    #expect(bench.requests.suffix(2).first?.line == "GET /v1/client")
  }

  /// A device whose clock is ahead would call every session over.
  @Test func goesByTheServersClock() async throws {
    let bench = try Bench()
    let date = HTTPField("Date", "Mon, 30 Nov 2026 12:00:00 GMT")
    let server = UnixTime(milliseconds: 1_796_040_000_000)
    bench.device.environment.clock.advance(
      by: .milliseconds(server.milliseconds - bench.now.milliseconds + 90 * 86_400_000))
    bench.transport.add(json: Wire.environment(), fields: [date])
    try await bench.client.refresh()
    bench.transport.add(
      json: Wire.envelope(
        Wire.signIn(status: "complete", createdSession: "sess_A"),
        client: client("sess_A", expires: server.advanced(by: .seconds(3600)))),
      fields: [HTTPField("Authorization", "token-1"), date])
    try await bench.client.auth.signIn(identifier: "mira@example.com", password: "a password")
    #expect(try await bench.client.auth.session?.status == .active)
    #expect(try await bench.restarted().client.auth.session?.status == .active)
    // Nor would it ever see a challenge that has not ended.
    bench.transport.add(
      json: Wire.envelope(Wire.challenge(expires: server.advanced(by: .seconds(300)))), fields: [date])
    bench.script(attempt: "tdc_1")
    bench.device.verifier.perform(.match())
    try await bench.devices.enroll()
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  // MARK: Sign-ins

  @Test func asksForTheClientThatDidNotComeAlong() async throws {
    for client in [JSONValue.null, [:]] {
      let bench = try Bench()
      try await bench.load()
      bench.transport.add(
        json: ["response": Wire.signIn(status: "complete", createdSession: "sess_A"), "client": client],
        fields: [HTTPField("Authorization", "token-1")])
      bench.transport.add(json: Wire.envelope(self.client("sess_A")))
      #expect(try await bench.client.auth.signIn(identifier: "mira", password: "a password").status == .complete)
      #expect(try await bench.client.auth.session?.id == "sess_A")
      #expect(bench.requests.last?.line == "GET /v1/client")
    }
  }

  @Test func asksForTheClientAfterASignInWithTheDevice() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll()
    try await bench.signOut()
    bench.script(create: "tdc_1")
    bench.transport.add(
      json: ["response": Wire.signIn(status: "complete", createdSession: "sess_B"), "client": .null])
    bench.transport.add(json: Wire.envelope(client("sess_B")))
    bench.device.verifier.perform(.match())
    try await bench.client.auth.signInWithTrustedDevice()
    #expect(try await bench.client.auth.session?.id == "sess_B")
  }

  @Test func sendsNoEmptyPassword() async throws {
    let bench = try Bench()
    try await bench.load()
    let count = bench.requests.count
    #expect(
      await failure { try await bench.client.auth.signIn(identifier: "mira", password: "") }?.code == .invalidRequest)
    #expect(
      await failure { try await bench.client.auth.signUp(username: "mira", password: "") }?.code == .invalidRequest)
    #expect(bench.requests.count == count)
  }
}
