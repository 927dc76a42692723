import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// What becomes of token, session and settings when answers are lost, refused or out of date.
@Suite struct SessionFaultTests {
  func client(_ session: String?, expires: UnixTime? = nil, id: String = "client_A") -> JSONValue {
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
