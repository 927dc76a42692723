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

  // MARK: Asking

  @Test func asksAsTheReferenceSays() async throws {
    let harness = try await harness()
    let page = try await harness.question("WebAuthn", user: "mira")
    #expect(page.types == ["MetadataCallback", "HiddenValueCallback"])
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    var data = try #require(page.webAuthn)
    let challenge = try #require(data["challenge"]?.stringValue)
    #expect(try Base64.decode(challenge).count == 32)
    data["challenge"] = nil
    let handle = Base64URL.encode(user.id.utf8)
    #expect(
      data == [
        "_action": "webauthn_registration", "_type": "WebAuthn", "attestationPreference": "none", "userName": "mira",
        "userId": .string(handle), "displayName": "mira", "relyingPartyName": "ForgeRock",
        "relyingPartyId": "id: \"id.example.org\",", "_relyingPartyId": "id.example.org",
        "authenticatorSelection": "{\"userVerification\":\"preferred\"}",
        "_authenticatorSelection": ["userVerification": "preferred"],
        "pubKeyCredParams":
          "[ { \"type\": \"public-key\", \"alg\": -7 }, { \"type\": \"public-key\", \"alg\": -257 } ]",
        "_pubKeyCredParams": [["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257]],
        "timeout": "60000", "excludeCredentials": "", "_excludeCredentials": [], "extensions": [:],
        "supportsJsonResponse": true,
      ])
    // An authenticator takes handles of at most 64 bytes, however long the name is.
    #expect(handle.utf8.count <= 64)
    let hidden = try #require(page.body["callbacks"]?[1]?.objectValue)
    #expect(
      hidden["output"] == [["name": "value", "value": "false"], ["name": "id", "value": "webAuthnOutcome"]])
    #expect(hidden["input"] == [["name": "IDToken2", "value": "webAuthnOutcome"]])
  }

  @Test func sendsItsSettings() async throws {
    let node = WebAuthnRegistrationNode {
      $0.relyingPartyName = "Example \"</script>"
      $0.relyingPartyID = "example.org"
      $0.userVerification = .discouraged
      $0.attestation = .direct
      $0.algorithms = [.edDSA, .ps256]
      $0.attachment = .crossPlatform
      $0.residentKey = .required
      $0.timeout = 7
      $0.displayNameState = "username"
    }
    let data = try #require(try await harness(node).question("WebAuthn", user: "MIRA").webAuthn)
    #expect(data["relyingPartyName"] == "Example \"</script>")
    #expect(data["_relyingPartyId"] == "example.org" && data["timeout"] == "7000")
    #expect(data["attestationPreference"] == "direct")
    let selection: JSONValue = [
      "userVerification": "discouraged", "authenticatorAttachment": "cross-platform", "requireResidentKey": true,
      "residentKey": "required",
    ]
    #expect(data["_authenticatorSelection"] == selection)
    #expect(try JSONValue.parse(try #require(data["authenticatorSelection"]?.stringValue)) == selection)
    #expect(data["_pubKeyCredParams"] == [["type": "public-key", "alg": -8], ["type": "public-key", "alg": -37]])
    // The account's own name, and the name that was typed where the node was told to show that.
    #expect(data["userName"] == "mira" && data["displayName"] == "MIRA")
  }

  @Test(arguments: [
    (WebAuthnResidentKey.preferred, "preferred"), (.discouraged, "discouraged"),
  ]) func requiresAResidentKeyOnlyWhenItIsRequired(key: WebAuthnResidentKey, word: String) async throws {
    let data = try await harness(.init { $0.residentKey = key }).question("WebAuthn", user: "mira").webAuthn
    #expect(data?["_authenticatorSelection"]?["requireResidentKey"] == nil)
    #expect(data?["_authenticatorSelection"]?["residentKey"] == .string(word))
  }

  @Test func excludesTheUsersOwnCredentialsWhenTold() async throws {
    let harness = try await harness(.init { $0.excludesCredentials = true })
    var (passkey, foreign) = (try Passkey(id: Array(100...199)), try Passkey())
    try await harness.register(&passkey)
    try await harness.register(&foreign, user: "noor")
    let data = try #require(try await harness.question("WebAuthn", user: "mira").webAuthn)
    let numbers = Passkey.numbers(passkey.id)
    #expect(
      data["excludeCredentials"]
        == .string("{ \"type\": \"public-key\", \"id\": new Int8Array([\(numbers)]).buffer }"))
    let signed = passkey.id.map { JSONValue.integer(Int64(Int8(bitPattern: $0))) }
    #expect(data["_excludeCredentials"] == [["type": "public-key", "id": .array(signed)]])
  }

  @Test func putsTheStatesExtensionsIntoTheStep() async throws {
    struct Put: TreeNode {
      static let nodeType = "Put"
      let outcomes: [NodeOutcome] = [.outcome]
      let value: JSONValue
      func process(_ context: inout NodeContext) async throws -> NodeResult {
        context.state.username = "mira"
        context.state.shared["webAuthnExtensions"] = value
        return .done(.outcome)
      }
    }
    for (value, expected) in [(["credProps": true], ["credProps": true]), (nil, [:]), ("credProps", nil)]
      as [(JSONValue, JSONValue?)]
    {
      let tree = try JourneyTree("Extensions") {
        TreeStep("put", Put(value: value)).next("node")
        TreeStep("node", WebAuthnRegistrationNode()).otherwise(.failure)
      }
      let page = try await Harness.webAuthn(journeys: [tree]).start("Extensions")
      #expect(page.webAuthn?["extensions"] == expected)
      #expect(page.status == (expected == nil ? 500 : 200))
    }
  }

  // MARK: Storing

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

  @Test(arguments: RegistryKind.allCases) func takesAnAnswerOnce(kind: RegistryKind) async throws {
    let directory = try TemporaryDirectory()
    let harness = try await harness(registry: try kind.make(directory))
    let passkey = try Passkey()
    let page = try await harness.login(journey: "RegisterWebAuthn")
    let step = try page.answered(try passkey.registration(for: page))
    let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<40 { group.addTask { try await harness.post(step).token != nil } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 1)
    #expect(try await harness.webAuthnDevices().count == 1)
    #expect(try await harness.post(step).errorCode == "110")
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

  // MARK: Postponed

  @Test func storesAPostponedDeviceLater() async throws {
    let harness = try await harness()
    var passkey = try Passkey()
    passkey.counter = 9
    #expect(try await harness.register(&passkey, journey: "RegisterWebAuthnPostponed", name: "Key").token != nil)
    let device = try #require(try await harness.webAuthnDevices().first)
    #expect(device.name == "Key" && device.counter == 9 && device.attributes["rpId"] == "id.example.org")
    passkey.counter = 10
    #expect(try await harness.authenticate(passkey).token != nil)
    // The id is taken by now.
    #expect(try await harness.register(&passkey, journey: "RegisterWebAuthnPostponed").status == 401)
  }

  @Test(arguments: [
    ("nothing", "failure"), ("limit", "exceedDeviceLimit"), ("other", "failure"), ("inactive", "failure"),
    ("nonsense", "failure"), ("whole", "success"),
  ]) func storageEndsWithItsOutcome(what: String, outcome: String) async throws {
    struct Change: TreeNode {
      static let nodeType = "Change"
      let outcomes: [NodeOutcome] = [.outcome]
      let what: String
      func process(_ context: inout NodeContext) async throws -> NodeResult {
        guard context.answers != nil else { return .ask([.textOutput("stop")]) }
        switch what {
        case "nothing": context.state.transient["webauthnDeviceData"] = nil
        case "other": context.state.username = "noor"
        case "nonsense": context.state.transient["webauthnDeviceData"] = ["id": "a"]
        default: break
        }
        return .done(.outcome)
      }
    }
    let register = WebAuthnRegistrationNode {
      $0.postponesStorage = true
      $0.maxSavedDevices = 1
    }
    #expect(register.outcomes == ["success", "failure", "unsupported", "error"])
    let storage = WebAuthnDeviceStorage(maxSavedDevices: 1)
    let tree = try JourneyTree("Postponed") {
      TreeStep("name", UsernameCollector()).next("register")
      TreeStep("register", register).on(.success, to: "change").otherwise(.failure)
      TreeStep("change", Change(what: what)).next("store")
      TreeStep("store", storage).on(.success, to: "success").on(.failure, to: "failure")
        .on(WebAuthnRegistrationNode.exceedDeviceLimit, to: "limit")
      for (name, text) in [("success", "success"), ("failure", "failure"), ("limit", "exceedDeviceLimit")] {
        TreeStep(name, TextOutputNode(text)).next(.failure)
      }
    }
    let harness = try await Harness.webAuthn(journeys: try BuiltInJourneys.all() + [tree])
    if what == "limit" {
      var first = try Passkey()
      try await harness.register(&first)
    }
    let page = try await harness.question("Postponed", user: "mira")
    let stop = try await harness.post(try page.answered(try Passkey().registration(for: page)))
    if what == "inactive" {
      #expect(try await harness.server.setActive(false, userNamed: "mira", in: harness.realm))
    }
    #expect(try await harness.post(stop.body).output(0, "message") == .string(outcome))
    #expect(try await harness.webAuthnDevices().count == (outcome == "failure" ? 0 : 1))
  }
}
