import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

@Suite struct WebAuthnAuthenticationTests {
  private func harness(
    state: String? = nil, registry: any JourneyRegistry = InMemoryRegistry(),
    _ adjust: (inout WebAuthnAuthenticationNode) -> Void = { _ in }
  ) async throws -> Harness {
    let trees = try BuiltInJourneys.all() + [WebAuthnTrees.tree(WebAuthnAuthenticationNode(adjust), state: state)]
    return try await Harness.webAuthn(journeys: trees, registry: registry)
  }

  /// As `harness`, and nobody gives a name.
  private func nameless(
    _ adjust: @escaping (inout WebAuthnAuthenticationNode) -> Void = { _ in }
  ) async throws -> Harness {
    let node = WebAuthnAuthenticationNode {
      $0.takesUsernameFromDevice = true
      adjust(&$0)
    }
    let trees = try BuiltInJourneys.all() + [WebAuthnTrees.tree(node, state: "username", asksName: false)]
    return try await Harness.webAuthn(journeys: trees)
  }

  // MARK: Asking

  @Test func asksAsTheReferenceSays() async throws {
    let harness = try await harness()
    var (first, second) = (try Passkey(id: Array(120...160)), try Passkey(id: [0, 127, 128, 255]))
    try await harness.register(&first)
    try await harness.register(&second)
    let page = try await harness.question("WebAuthn", user: "mira")
    #expect(page.types == ["MetadataCallback", "HiddenValueCallback"])
    var data = try #require(page.webAuthn)
    let challenge = try #require(data["challenge"]?.stringValue)
    #expect(try Base64.decode(challenge).count == 32)
    data["challenge"] = nil
    func text(_ passkey: Passkey) -> String {
      "{ \"type\": \"public-key\", \"id\": new Int8Array([\(Passkey.numbers(passkey.id))]).buffer }"
    }
    let ids = [first, second].map { passkey -> JSONValue in
      ["type": "public-key", "id": .array(passkey.id.map { .integer(Int64(Int8(bitPattern: $0))) })]
    }
    #expect(
      data == [
        "_action": "webauthn_authentication", "_type": "WebAuthn",
        "allowCredentials": .string("allowCredentials: [\(text(first)),\(text(second))]"),
        "_allowCredentials": .array(ids), "timeout": "60000", "userVerification": "preferred",
        "relyingPartyId": "rpId: \"id.example.org\",", "_relyingPartyId": "id.example.org", "extensions": [:],
        "supportsJsonResponse": true,
      ])
    #expect(ids[1]["id"] == [0, 127, -128, -1])
  }

  @Test func asksForAnyCredentialWithoutAName() async throws {
    let page = try await nameless { $0.isConditional = true }.start("WebAuthn")
    #expect(page.allowed.isEmpty && page.webAuthn?["allowCredentials"] == "")
    #expect(page.webAuthn?["_allowCredentials"] == [])
    #expect(page.webAuthn?["mediation"] == "conditional")
  }

  @Test func listsNoMoreThanAClientCanSendBack() async throws {
    let harness = try await harness { $0.origins = [Passkey.origin] }
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    for index in 0..<300 {
      let id = [UInt8(index >> 8), UInt8(index & 0xFF)] + [UInt8](repeating: 0xFF, count: index == 299 ? 1021 : 62)
      let device = DeviceRecord(
        family: .webAuthn, realm: harness.realm, externalID: Base64URL.encode(id), userID: user.id, uuid: "d\(index)",
        name: "n", deviceID: "", key: ["cose": ""], attributes: ["rpId": "id.example.org"],
        createdAt: harness.clock.now, lastAccessAt: harness.clock.now.advanced(by: .seconds(index)))
      #expect(try await harness.registry.addDevice(device, limit: 0) == .added)
    }
    let page = try await harness.question("WebAuthn", user: "mira")
    // The longest, and as many of the newest as fit beside it.
    let firsts = page.allowed.map { $0["id"]?[1] }
    #expect(firsts.count == 1 + (8192 - 1023) / 64)
    #expect(firsts.last == .integer(Int64(Int8(bitPattern: UInt8(299 & 0xFF)))))
    // The step comes back whole.
    #expect(try await harness.post(try page.answered("unsupported")).outcome == "unsupported")
  }

  // MARK: No device

  @Test func endsAtOnceWhenThereIsNoDevice() async throws {
    let harness = try await harness()
    #expect(try await harness.question("WebAuthn", user: "mira").outcome == "noDevice")
    #expect(try await harness.question("WebAuthn", user: "nobody").outcome == "noDevice")
    var passkey = try Passkey()
    try await harness.register(&passkey)
    #expect(try await harness.question("WebAuthn", user: "mira").allowed.count == 1)
    #expect(try await harness.server.setActive(false, userNamed: "mira", in: harness.realm))
    #expect(try await harness.question("WebAuthn", user: "mira").outcome == "noDevice")
  }

  @Test func devicesOfAnotherRelyingPartyDoNotCount() async throws {
    let harness = try await harness { $0.relyingPartyID = "example.org" }
    var passkey = try Passkey()
    try await harness.register(&passkey)
    #expect(try await harness.question("WebAuthn", user: "mira").outcome == "noDevice")
  }

  @Test func asksStrangersLikeThoseWhoHaveADevice() async throws {
    let harness = try await Harness.webAuthn(users: ["mira", "noor"])
    var passkey = try Passkey()
    try await harness.register(&passkey)
    func shape(_ answer: Answer) throws -> JSONValue {
      var object = try #require(answer.body.objectValue)
      object["authId"] = nil
      let text = JSONValue.object(object).serializedString()
      let pattern = try Regex("\\[-?[0-9,-]+\\]|[A-Za-z0-9+/]{43}=")
      return .string(text.replacing(pattern, with: "*"))
    }
    let known = try await harness.question("LoginWebAuthn", user: "mira")
    var counts: Set<Int> = []
    for name in ["noor"] + (0..<40).map({ "nobody\($0)" }) {
      let page = try await harness.question("LoginWebAuthn", user: name)
      counts.insert(page.allowed.count)
      #expect((1...3).contains(page.allowed.count) && Set(page.allowed).isDisjoint(with: known.allowed))
      guard page.allowed.count == 1 else { continue }
      #expect(try shape(page) == shape(known))
      #expect(try await harness.question("LoginWebAuthn", user: name.uppercased()).allowed == page.allowed)
      // A right answer by somebody else's credential helps nobody.
      let end = try await harness.post(try page.answered(try passkey.assertion(for: page)))
      #expect(end.status == 401)
    }
    #expect(Set(harness.refusals) == ["userHandleMismatch"])
    // One credential would be everybody's who has none.
    #expect(counts.count > 1)
  }

  // MARK: Signing in

  @Test(arguments: ["webauthnAssertionInfo", "webauthnDeviceUuid", "username"])
  func tellsTheStateWhatItDid(name: String) async throws {
    let harness = try await harness(state: name)
    var passkey = try Passkey()
    try await harness.register(&passkey)
    harness.clock.advance(by: 100)
    let end = try await harness.end("MIRA") {
      let wrapped: JSONValue = [
        "authenticatorAttachment": "cross-platform", "legacyData": .string(try passkey.assertion(for: $0)),
      ]
      return wrapped.serializedString()
    }
    #expect(end.outcome == "success")
    let device = try #require(try await harness.webAuthnDevices().first)
    #expect(device.lastAccessAt == harness.clock.now && device.createdAt < harness.clock.now)
    switch name {
    case "username": #expect(end.state == "mira")
    case "webauthnDeviceUuid": #expect(end.state == .string(device.uuid))
    default:
      let flags: JSONValue = ["UP": true, "UV": true, "BE": false, "BS": false, "AT": false, "ED": false]
      #expect(end.state == ["flags": flags, "authenticatorAttachment": "cross-platform"])
    }
  }

  @Test(arguments: [nil, ""] as [String?]) func needsNoHandleWhereTheUserIsNamed(handle: String?) async throws {
    let harness = try await harness()
    var passkey = try Passkey()
    try await harness.register(&passkey)
    passkey.userHandle = handle
    #expect(try await harness.end { try passkey.assertion(for: $0) }.outcome == "success")
  }

  @Test func takesTheUserFromTheDevice() async throws {
    let harness = try await nameless()
    var (mira, noor) = (try Passkey(), try Passkey())
    try await harness.register(&mira)
    try await harness.register(&noor, user: "noor")
    for (passkey, name) in [(mira, "mira"), (noor, "noor")] {
      let end = try await harness.end(nil) { try passkey.assertion(for: $0) }
      #expect(end.outcome == "success" && end.state == .string(name))
    }
    // Without a handle, with somebody else's, and with what is none at all.
    let expected: [(String?, String)] = [
      (nil, "userHandleMissing"), ("", "userHandleMissing"), (noor.userHandle, "userHandleMismatch"),
      ("bWlyYQ", "userHandleMismatch"), ("\u{0}", "userHandleMismatch"),
    ]
    for (handle, _) in expected {
      mira.userHandle = handle
      #expect(try await harness.end(nil) { try mira.assertion(for: $0) }.outcome == "failure")
    }
    #expect(harness.refusals == expected.map(\.1))
  }

  @Test func aDeviceDoesNotTakeTheJourneyToSomebodyElse() async throws {
    // A password first, then a credential that names its owner.
    let harness = try await harness { $0.takesUsernameFromDevice = true }
    var (mira, noor) = (try Passkey(), try Passkey())
    try await harness.register(&mira)
    try await harness.register(&noor, user: "noor")
    #expect(try await harness.end("mira") { try mira.assertion(for: $0) }.outcome == "success")
    #expect(try await harness.end("mira") { try noor.assertion(for: $0) }.outcome == "failure")
    #expect(harness.refusals == ["userHandleMismatch"])
  }

  @Test func refusesAnotherUsersCredential() async throws {
    let harness = try await harness()
    var (mira, noor) = (try Passkey(), try Passkey())
    try await harness.register(&mira)
    try await harness.register(&noor, user: "noor")
    #expect(try await harness.end("mira") { try noor.assertion(for: $0) }.outcome == "failure")
    noor.userHandle = mira.userHandle
    #expect(try await harness.end("mira") { try noor.assertion(for: $0) }.outcome == "failure")
    noor.userHandle = nil
    #expect(try await harness.end("mira") { try noor.assertion(for: $0) }.outcome == "failure")
    #expect(harness.refusals == [String](repeating: "userHandleMismatch", count: 3))
  }

  @Test func refusesACredentialThatWasRemoved() async throws {
    let harness = try await harness()
    var passkey = try Passkey()
    try await harness.register(&passkey)
    let page = try await harness.question("WebAuthn", user: "mira")
    let device = try #require(try await harness.webAuthnDevices().first)
    _ = try await harness.registry.removeDevice(
      device.externalID, ofUser: device.userID, family: .webAuthn, realm: harness.realm)
    #expect(try await harness.post(try page.answered(try passkey.assertion(for: page))).outcome == "failure")
    #expect(harness.refusals == ["credentialNotAllowed"])
  }

  @Test func refusesAUserWhoWasSwitchedOffMeanwhile() async throws {
    let harness = try await harness()
    var passkey = try Passkey()
    try await harness.register(&passkey)
    let page = try await harness.question("WebAuthn", user: "mira")
    #expect(try await harness.server.setActive(false, userNamed: "mira", in: harness.realm))
    #expect(try await harness.post(try page.answered(try passkey.assertion(for: page))).outcome == "failure")
    #expect(harness.refusals == ["inactiveUser"])
  }
}
