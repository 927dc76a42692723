import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

@Suite struct WebAuthnRegistrationTests {
  private func harness(
    _ node: WebAuthnRegistrationNode = .init { $0.generatesRecoveryCodes = false }, state: String? = nil,
    registry: any JourneyRegistry = InMemoryRegistry(), _ adjust: (inout JourneyServerConfiguration) -> Void = { _ in }
  ) async throws -> Harness {
    let trees = try BuiltInJourneys.all() + [WebAuthnTrees.tree(node, state: state)]
    return try await Harness.webAuthn(journeys: trees, registry: registry, adjust)
  }

  @Test func registersAndThenSignsIn() async throws {
    let harness = try await harness()
    var passkey = try Passkey()
    #expect(try await harness.register(&passkey, name: "Mira's key").token != nil)
    let device = try #require(try await harness.webAuthnDevices().first)
    #expect(device.name == "Mira's key")
    #expect(device.externalID == Base64URL.encode(passkey.id))
    #expect(device.attributes["rpId"] == "id.example.org")
    #expect(try await harness.username(try await harness.authenticate(passkey).token) == "mira")
    let usernameless = try await harness.authenticate(passkey, user: nil, journey: "LoginUsernameless")
    #expect(try await harness.username(usernameless.token) == "mira")
    #expect(harness.refusals.isEmpty)
  }

  @Test(arguments: ["success", "webauthnAttestationInfo", "webauthnDeviceUuid", "webauthnDeviceName"])
  func tellsTheStateWhatItDid(name: String) async throws {
    let harness = try await harness(state: name)
    let passkey = try Passkey()
    let end = try await harness.end {
      let legacy = try passkey.registration(for: $0, name: "Key")
      let wrapped: JSONValue = ["legacyData": .string(legacy), "authenticatorAttachment": "platform"]
      return wrapped.serializedString()
    }
    #expect(end.outcome == "success")
    let device = try #require(try await harness.webAuthnDevices().first)
    switch name {
    case "webauthnAttestationInfo":
      let flags: JSONValue = ["UP": true, "UV": true, "BE": false, "BS": false, "AT": true, "ED": false]
      #expect(end.state == ["flags": flags, "authenticatorAttachment": "platform"])
    case "webauthnDeviceUuid": #expect(end.state == .string(device.uuid))
    case "webauthnDeviceName": #expect(end.state == "Key")
    default: #expect(end.state == nil)
    }
  }

  @Test(arguments: ["webauthnData", "webauthnAttestationType"]) func keepsTheResponseWhenTold(name: String) async throws
  {
    let passkey = try Passkey()
    for isTold in [true, false] {
      let node = WebAuthnRegistrationNode { $0.storesAttestationData = isTold }
      let harness = try await harness(node, state: name)
      let end = try await harness.end { try passkey.registration(for: $0) }
      #expect(end.outcome == "success")
      switch (isTold, name) {
      case (true, "webauthnData"): #expect(end.state?["credentialId"] == .string(Base64URL.encode(passkey.id)))
      case (true, _): #expect(end.state == "none")
      default: #expect(end.state == nil)
      }
    }
  }

  @Test(
    arguments: [
      (nil, "New Security Key"), ("", "New Security Key"), ("a::b", "New Security Key"), ("a\u{202E}\r\nb", "ab"),
      ("\u{200B}", "New Security Key"), ("key:1", "key:1"),
    ] as [(String?, String)]) func namesTheDevice(given: String?, stored: String) async throws
  {
    let harness = try await harness()
    let passkey = try Passkey()
    let end = try await harness.end { try passkey.registration(for: $0, name: given) }
    #expect(end.outcome == "success")
    #expect(try await harness.webAuthnDevices().map(\.name) == [stored])
  }

  @Test func limitsTheDevicesOfAUser() async throws {
    let harness = try await harness(.init { $0.maxSavedDevices = 2 })
    for _ in 0..<2 {
      var passkey = try Passkey()
      try await harness.register(&passkey)
    }
    // The limit is reached before anything is asked.
    #expect(try await harness.question("WebAuthn", user: "mira").outcome == "exceedDeviceLimit")
    #expect(try await harness.question("WebAuthn", user: "noor").outcome == nil)
  }

  @Test func limitsTheDevicesAlsoOfParallelRegistrations() async throws {
    let harness = try await harness()
    var steps: [JSONValue] = []
    for _ in 0..<8 {
      let page = try await harness.login(journey: "RegisterWebAuthnLimited")
      steps.append(try page.answered(try Passkey().registration(for: page)))
    }
    let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
      for step in steps { group.addTask { try await harness.post(step).token != nil } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 2)
    #expect(try await harness.webAuthnDevices().count == 2)
  }

  @Test func takesNoCredentialIDTwiceWhosoeverHasIt() async throws {
    let harness = try await harness()
    var passkey = try Passkey()
    try await harness.register(&passkey)
    // The same key again, another key of the same id, and both for somebody else.
    for user in ["mira", "noor"] {
      for again in [passkey, try Passkey(id: passkey.id)] {
        #expect(try await harness.end(user) { try again.registration(for: $0) }.outcome == "failure")
      }
    }
    #expect(harness.refusals == [String](repeating: "credentialAlreadyRegistered", count: 4))
    #expect(try await harness.webAuthnDevices(of: "noor").isEmpty)
    #expect(try await harness.authenticate(passkey).token != nil)
    // In another realm it is another server's matter.
    try await harness.server.addUser(named: "mira", password: Harness.password, in: .root)
    let base = "/am/json/realms/root/authenticate"
    let start = try await harness.send("POST", base, query: "authIndexType=service&authIndexValue=WebAuthn")
    let page = try await harness.send("POST", base, body: start.filled([0: ["": "mira"]]).serialized())
    let end = try await harness.send(
      "POST", base, body: try page.answered(try passkey.registration(for: page)).serialized())
    #expect(end.outcome == "success")
  }

  @Test func registersForNobodyAndForNobodyInactive() async throws {
    let harness = try await harness()
    #expect(try await harness.question("WebAuthn", user: "nobody").outcome == "failure")
    let page = try await harness.question("WebAuthn", user: "mira")
    #expect(try await harness.server.setActive(false, userNamed: "mira", in: harness.realm))
    let passkey = try Passkey()
    #expect(try await harness.post(try page.answered(try passkey.registration(for: page))).outcome == "failure")
    #expect(try await harness.question("WebAuthn", user: "mira").outcome == "failure")
    #expect(try await harness.webAuthnDevices().isEmpty)
  }
}
