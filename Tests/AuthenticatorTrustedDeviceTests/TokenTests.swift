import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// The device token and the client that comes along, by the server's rule.
@Suite struct TokenTests {
  private static let empty: JSONValue = ["response": [], "client": .null]

  /// What the next request carries after an answer with these fields.
  private func token(after fields: [HTTPField], status: Int = 200, json: JSONValue = empty) async throws -> String? {
    let bench = try Bench()
    try await bench.signIn()
    bench.transport.add(status, json: json, fields: fields)
    do { _ = try await bench.devices.list() } catch {}
    bench.transport.add(json: Self.empty)
    _ = try await bench.devices.list()
    return bench.requests.last?.value("Authorization")
  }

  @Test func keepsATokenThatIsNotMentioned() async throws {
    #expect(try await token(after: []) == "token-1")
  }

  @Test(arguments: ["", "   ", "Bearer", "bearer", " BEARER "])
  func clearsTheToken(_ value: String) async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.transport.add(json: Self.empty, fields: [HTTPField("authorization", value)])
    _ = try await bench.devices.list()
    #expect(try await bench.client.auth.session == nil)
    bench.transport.add(json: Self.empty)
    _ = try await bench.devices.list()
    #expect(bench.requests.last?.value("Authorization") == nil)
    #expect(bench.requests.last?.value("x-clerk-client-id") == nil)
    #expect(bench.requests.last?.url.query == "_is_native=true")
  }

  @Test func storesATokenVerbatim() async throws {
    #expect(try await token(after: [HTTPField("Authorization", "  Bearer abc.def  ")]) == "Bearer abc.def")
    #expect(try await token(after: [HTTPField("Authorization", "eyJ.x")]) == "eyJ.x")
  }

  @Test func appliesTheRuleToRefusals() async throws {
    let refusal = Wire.refusal("user_locked")
    #expect(try await token(after: [HTTPField("Authorization", "token-9")], status: 403, json: refusal) == "token-9")
    #expect(try await token(after: [HTTPField("Authorization", "Bearer")], status: 403, json: refusal) == nil)
    #expect(
      try await token(after: [HTTPField("Authorization", "token-9")], status: 500, json: ["no": "json"]) == "token-9")
  }

  @Test func ignoresATokenThatNoFieldCanCarry() async throws {
    #expect(try await token(after: [HTTPField("Authorization", "a\u{1}b")]) == "token-1")
    #expect(
      try await token(after: [HTTPField("Authorization", String(repeating: "x", count: 20_000))]) == "token-1")
  }

  /// Two requests cross: what the slow one says of the token it was sent with is stale once another one has come.
  @Test func appliesALateTokenOnlyToTheOneItWasSentWith() async throws {
    let bench = try Bench()
    try await bench.signIn()
    let (slow, release) = AsyncStream.makeStream(of: Void.self)
    bench.transport.add { _ in
      for await _ in slow { break }
      return HTTPResponse(
        status: 200, fields: [HTTPField("Authorization", "token-late")], body: Self.empty.serialized())
    }
    let pending = Task { try await bench.devices.list() }
    while bench.requests.last?.line != "GET /v1/me/trusted_devices" { await Task.yield() }
    bench.transport.add(json: Self.empty, fields: [HTTPField("Authorization", "token-2")])
    _ = try await bench.devices.list()
    release.yield()
    _ = try await pending.value
    bench.transport.add(json: Self.empty)
    _ = try await bench.devices.list()
    #expect(bench.requests.last?.value("Authorization") == "token-2")
  }

  /// A refusal that clears the token it was sent with leaves a token alone that came meanwhile.
  @Test func clearsOnlyTheTokenItWasSentWith() async throws {
    let bench = try Bench()
    try await bench.signIn()
    let (slow, release) = AsyncStream.makeStream(of: Void.self)
    bench.transport.add { _ in
      for await _ in slow { break }
      return HTTPResponse(
        status: 403, fields: [HTTPField("Authorization", "")], body: Wire.refusal("user_locked").serialized())
    }
    let pending = Task { try await bench.devices.list() }
    while bench.requests.last?.line != "GET /v1/me/trusted_devices" { await Task.yield() }
    bench.transport.add(json: Self.empty, fields: [HTTPField("Authorization", "token-2")])
    _ = try await bench.devices.list()
    release.yield()
    #expect(await failure { try await pending.value }?.code == .accountLocked)
    #expect(try await bench.client.auth.session?.id == "sess_A")
  }

  @Test func takesTheClientFromWhereItStands() async throws {
    let client = Wire.client(sessions: [Wire.session("sess_N", user: "user_N")], last: "sess_N")
    let bodies: [JSONValue] = [
      ["response": client, "client": .null], ["response": [], "client": client],
      ["response": [], "client": [:], "meta": ["client": client]],
    ]
    for body in bodies {
      let bench = try Bench()
      try await bench.signIn()
      bench.transport.add(json: body)
      do { _ = try await bench.devices.list() } catch {}
      #expect(try await bench.client.auth.session?.id == "sess_N")
    }
    let bench = try Bench()
    try await bench.signIn()
    bench.transport.add(json: Self.empty)
    bench.transport.add(json: client)
    _ = try await bench.devices.list()
    bench.transport.add(json: Wire.environment())
    // At the top level, as the answer to a request for the client.
    let later = bench.restarted()
    later.transport.add(json: client)
    do { try await later.client.refresh() } catch {}
    #expect(try await later.client.auth.session?.id == "sess_N")
  }

  @Test func keepsAnOldPictureOfTheClientOut() async throws {
    func client(_ last: String, at time: Int64) -> JSONValue {
      var object = Wire.client(sessions: [Wire.session(last, user: "user_A")], last: last).objectValue ?? [:]
      object["updated_at"] = .integer(time)
      return .object(object)
    }
    let bench = try Bench()
    try await bench.signIn()
    let (slow, release) = AsyncStream.makeStream(of: Void.self)
    let old: JSONValue = ["response": [], "client": client("sess_old", at: 1_790_000_001_000)]
    bench.transport.add { _ in
      for await _ in slow { break }
      return HTTPResponse(status: 200, fields: [], body: old.serialized())
    }
    let pending = Task { try await bench.devices.list() }
    while bench.requests.last?.line != "GET /v1/me/trusted_devices" { await Task.yield() }
    bench.transport.add(json: ["response": [], "client": client("sess_new", at: 1_790_000_002_000)])
    _ = try await bench.devices.list()
    release.yield()
    _ = try await pending.value
    #expect(try await bench.client.auth.session?.id == "sess_new")
    // An answer to a later request counts, whatever time stands in it.
    bench.transport.add(json: old)
    _ = try await bench.devices.list()
    #expect(try await bench.client.auth.session?.id == "sess_old")
  }

  @Test func goesOnWithoutAClientThatCannotBeRead() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.transport.add(json: ["response": [], "client": ["id": "client_A", "sessions": [["id": 7]]]])
    #expect(try await bench.devices.list().isEmpty)
    #expect(try await bench.client.auth.session?.id == "sess_A")
    #expect(bench.events.all.contains(.postponed(.refresh, code: .invalidMessage)))
  }

  @Test func findsItsSessionAgainInTheNextRun() async throws {
    let bench = try Bench()
    try await bench.signIn()
    let later = bench.restarted()
    #expect(try await later.client.auth.session?.id == "sess_A")
    #expect(try await later.client.environment?.isTrustedDeviceSignInEnabled == true)
    later.transport.add(json: Self.empty)
    _ = try await later.devices.list()
    #expect(later.requests.last?.value("Authorization") == "token-1")
    try await later.signOut()
    #expect(try await bench.restarted().client.auth.session == nil)
  }

  @Test func asksForTheClientAfterARefusalThatCastsDoubt() async throws {
    for (status, code) in [
      (401, "authentication_invalid"), (401, "signed_out"), (404, "resource_not_found"), (400, "session_exists"),
      (400, "identifier_already_signed_in"),
    ] {
      let bench = try Bench()
      try await bench.signIn()
      bench.script(status, code)
      bench.transport.add(json: Wire.envelope(.null))
      #expect(await failure { try await bench.devices.list() } != nil)
      #expect(bench.requests.last?.line == "GET /v1/client")
      #expect(try await bench.client.auth.session == nil)
    }
    let bench = try Bench()
    try await bench.signIn()
    bench.script(403, "user_locked")
    _ = await failure { try await bench.devices.list() }
    #expect(bench.requests.last?.line == "GET /v1/me/trusted_devices")
  }

  @Test func throwsTheRefusalAlthoughAskingForTheClientFails() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.script(401, "authentication_invalid")
    bench.transport.addFailure(mayHaveArrived: true)
    #expect(await failure { try await bench.devices.list() }?.code == .signedOut)
    #expect(bench.events.all.contains(.postponed(.refresh, code: .transportFailed)))
  }

  @Test func goesOnWhenItsStateCannotBeKept() async throws {
    let bench = try Bench()
    try await bench.load()
    bench.device.store.fail(.exchangeItem)
    bench.transport.add(
      json: Wire.envelope(
        Wire.signIn(status: "complete", createdSession: "sess_A"),
        client: Wire.client(sessions: [Wire.session("sess_A", user: "user_A")], last: "sess_A")))
    #expect(try await bench.client.auth.signIn(identifier: "mira", password: "x").status == .complete)
    #expect(try await bench.client.auth.session?.id == "sess_A")
    #expect(bench.events.all.contains(.postponed(.saving, code: .storageFailed)))
    // Forgetting a sign-out would sign in again in the next run, so that is said.
    bench.transport.add(json: Wire.envelope(["id": "sess_A"], client: Wire.client()))
    #expect(await failure { try await bench.client.auth.signOut() }?.code == .storageFailed)
  }

  @Test func adoptsATokenFromElsewhere() async throws {
    let bench = try Bench()
    try await bench.load()
    bench.transport.add(
      json: Wire.envelope(Wire.client(sessions: [Wire.session("sess_A", user: "user_A")], last: "sess_A")))
    try await bench.client.adopt(deviceToken: " token-7\n")
    #expect(bench.requests.last?.line == "GET /v1/client")
    #expect(bench.requests.last?.value("Authorization") == "token-7")
    #expect(try await bench.client.auth.session?.id == "sess_A")
    #expect(await failure { try await bench.client.adopt(deviceToken: "a\nb") }?.code == .invalidRequest)
  }
}
