import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

@Suite struct RecoveryCodeTests {
  /// Registers and returns the codes that are shown.
  private func codes(
    _ harness: Harness, _ passkey: inout Passkey, user: String = "mira", name: String? = nil
  ) async throws -> [String] {
    let page = try await harness.register(&passkey, user: user, journey: "RegisterWebAuthnRecovery", name: name)
    #expect(page.types == ["TextOutputCallback", "TextOutputCallback", "TextOutputCallback"])
    let codes = try #require(page.output(1, "message")?.stringValue).split(separator: "\n").map(String.init)
    #expect(try await harness.post(page.body).token != nil)
    return codes
  }

  /// Presses the button and returns the step that asks for a code.
  private func collector(_ harness: Harness, user: String = "mira") async throws -> Answer {
    let page = try await harness.question("LoginWebAuthn", user: user)
    return try await harness.post(page.filled([2: ["": 0]]))
  }

  private func use(_ code: String, _ harness: Harness, user: String = "mira") async throws -> Answer {
    let page = try await collector(harness, user: user)
    #expect(page.output(0, "prompt") == "Recovery Code")
    return try await harness.post(page.filled([0: ["": .string(code)]]))
  }

  // MARK: The button

  @Test(
    arguments: [(0, true), ("0", true), (100, false), (1, false), (-1, false), ("", false), (nil, false)]
      as [(JSONValue?, Bool)])
  func theButtonLeadsToTheCollector(value: JSONValue?, isPressed: Bool) async throws {
    let harness = try await Harness.webAuthn()
    let page = try await harness.question("LoginWebAuthn", user: "mira")
    #expect(page.types == ["MetadataCallback", "HiddenValueCallback", "ConfirmationCallback"])
    let button = try #require(page.body["callbacks"]?[2]?.objectValue)
    #expect(button["input"] == [["name": "IDToken3", "value": 100]])
    #expect(page.output(2, "options") == ["Use Recovery Code"])
    #expect(page.output(2, "optionType") == -1 && page.output(2, "messageType") == 0)
    let next = try await harness.post(page.filled([2: ["": value ?? .null]]))
    #expect((next.types == ["NameCallback"]) == isPressed)
  }

  @Test func theButtonIsThereOnlyWhenTold() async throws {
    let node = WebAuthnAuthenticationNode { $0.takesUsernameFromDevice = true }
    #expect(node.outcomes == ["success", "failure", "unsupported", "error", "noDevice"])
    let tree = try WebAuthnTrees.tree(node, asksName: false)
    let harness = try await Harness.webAuthn(journeys: [tree])
    #expect(try await harness.start("WebAuthn").types == ["MetadataCallback", "HiddenValueCallback"])
  }

  @Test func theButtonWinsOverAResponse() async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    try await harness.register(&passkey)
    let page = try await harness.question("LoginWebAuthn", user: "mira")
    let both = page.filled([1: ["": .string(try passkey.assertion(for: page))], 2: ["": 0]])
    #expect(try await harness.post(both).types == ["NameCallback"])
  }

  // MARK: Codes

  @Test func showsTenCodesOnceAndTakesEachOnce() async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    let codes = try await codes(harness, &passkey)
    #expect(codes.count == 10 && Set(codes).count == 10)
    for code in codes {
      #expect(code.utf8.count == 12)
      #expect(code.utf8.allSatisfy { "0123456789abcdefghjkmnpqrstvwxyz".utf8.contains($0) })
    }
    #expect(try await harness.username(try await use(codes[0], harness).token) == "mira")
    #expect(try await use(codes[0], harness).token == nil)
    // As people type them.
    #expect(try await use(codes[1].uppercased(), harness).token != nil)
    #expect(try await use(" \(codes[2].prefix(4))-\(codes[2].dropFirst(4)) ", harness).token != nil)
    let lookalike = codes[3].replacing("0", with: "O").replacing("1", with: "l")
    #expect(try await use(lookalike, harness).token != nil)
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    #expect(try await harness.registry.recoveryCodes(ofUser: user.id, realm: harness.realm).count == 6)
    #expect(try await use(codes[9], harness).token != nil)
  }

  @Test func storesNoCodeInTheClear() async throws {
    let directory = try TemporaryDirectory()
    let registry = try SQLiteRegistry(path: directory.file())
    let harness = try await Harness.webAuthn(registry: registry)
    var passkey = try Passkey()
    let codes = try await codes(harness, &passkey)
    let user = try #require(try await registry.user(named: "mira", in: harness.realm))
    let stored = try await registry.recoveryCodes(ofUser: user.id, realm: harness.realm)
    #expect(stored.count == 10 && Set(stored.map(\.hash.digest)).count == 10)
    #expect(stored.allSatisfy { $0.hash.parameters == ScryptParameters(logN: 10, r: 8, p: 1) })
    for record in stored { #expect(!codes.contains { record.hash.text.contains($0) }) }
    // Nor do they pass through the log.
    for event in harness.events.all { #expect(!codes.contains { event.description.contains($0) }) }
  }

  @Test func aUsersCodesShareASaltUntilTheCostChanges() async throws {
    let registry = InMemoryRegistry()
    let first = try await Harness.webAuthn(registry: registry)
    var (one, two, three) = (try Passkey(), try Passkey(), try Passkey())
    let old = try await codes(first, &one)
    _ = try await codes(first, &two)
    let user = try #require(try await registry.user(named: "mira", in: first.realm))
    var stored = try await registry.recoveryCodes(ofUser: user.id, realm: first.realm)
    #expect(stored.count == 20 && Set(stored.map(\.hash.salt)).count == 1)
    let second = try await Harness.webAuthn(registry: registry) {
      $0.recoveryCodeCost = ScryptParameters(logN: 11, r: 8, p: 1)
    }
    let new = try await codes(second, &three)
    stored = try await registry.recoveryCodes(ofUser: user.id, realm: first.realm)
    #expect(stored.count == 30 && Set(stored.map(\.hash.salt)).count == 2)
    #expect(try await use(old[5], second).token != nil)
    #expect(try await use(new[5], first).token != nil)
  }

  @Test func refusesACostThatIsTooLow() async throws {
    await #expect(throws: CryptoError.self) {
      try await Harness { $0.recoveryCodeCost = ScryptParameters(logN: 9, r: 8, p: 1) }
    }
  }

  @Test(arguments: [
    "", "0", "000000000000", "zzzzzzzzzzzzz", "u00000000000", "0000000000é0", "'; DROP TABLE recovery_code; --",
    "\u{0}", String(repeating: "0", count: 10_000), "0000000000०0",
  ]) func refusesWhatIsNoCode(text: String) async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    let codes = try await codes(harness, &passkey)
    #expect(try await use(text, harness).types == ["NameCallback"])
    #expect(try await use(codes[0], harness).token != nil)
  }

  @Test func aCodeSignsNobodyElseIn() async throws {
    let harness = try await Harness.webAuthn()
    var (mira, noor) = (try Passkey(), try Passkey())
    let hers = try await codes(harness, &mira)
    _ = try await codes(harness, &noor, user: "noor")
    #expect(try await use(hers[0], harness, user: "noor").token == nil)
    #expect(try await use(hers[0], harness, user: "nobody").token == nil)
    #expect(try await harness.username(try await use(hers[0], harness).token) == "mira")
  }

  @Test(arguments: RegistryKind.allCases) func ofManyPostsOfACodeOneIsTaken(kind: RegistryKind) async throws {
    let directory = try TemporaryDirectory()
    let harness = try await Harness.webAuthn(registry: try kind.make(directory)) {
      $0.limits.passwordWidth = 4
      $0.limits.passwordQueue = 100
      $0.lockout = LockoutPolicy(failuresBeforeLock: 50)
    }
    var passkey = try Passkey()
    let code = try await codes(harness, &passkey)[0]
    // Forty runs of the journey, all with the same code.
    var steps: [JSONValue] = []
    for _ in 0..<40 { steps.append(try await collector(harness).filled([0: ["": .string(code)]])) }
    let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
      for step in steps { group.addTask { try await harness.post(step).token != nil } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 1)
  }

  @Test func wrongCodesLockTheAccount() async throws {
    let harness = try await Harness.webAuthn { $0.lockout = LockoutPolicy(failuresBeforeLock: 3) }
    var passkey = try Passkey()
    let codes = try await codes(harness, &passkey)
    for _ in 0..<3 { #expect(try await use("000000000000", harness).token == nil) }
    #expect(try await use(codes[0], harness).message == "Your account has been locked.")
    #expect(try await harness.login().message == "Your account has been locked.")
    harness.clock.advance(by: 31)
    #expect(try await use(codes[0], harness).token != nil)
    // The right code has reset the count.
    #expect(try await harness.login("mira", "wrong").types == ["NameCallback", "PasswordCallback"])
    #expect(try await harness.login().token != nil)
  }

  @Test func aJourneyEndsAfterThreeWrongCodes() async throws {
    let harness = try await Harness.webAuthn { $0.lockout = LockoutPolicy(failuresBeforeLock: 50) }
    var page = try await collector(harness)
    for _ in 0..<4 {
      #expect(page.types == ["NameCallback"])
      page = try await harness.post(page.filled([0: ["": "000000000000"]]))
    }
    #expect(page.status == 401)
  }

  @Test func codesGoWithTheirDevice() async throws {
    let harness = try await Harness.webAuthn()
    var (one, two) = (try Passkey(), try Passkey())
    let (lost, kept) = (try await codes(harness, &one), try await codes(harness, &two))
    let device = try #require(try await harness.webAuthnDevices().first)
    _ = try await harness.registry.removeDevice(
      device.externalID, ofUser: device.userID, family: .webAuthn, realm: harness.realm)
    #expect(try await use(lost[0], harness).token == nil)
    #expect(try await use(kept[0], harness).token != nil)
  }

  @Test func aRefusedDeviceLeavesNoCodes() async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    _ = try await codes(harness, &passkey)
    #expect(try await harness.register(&passkey, journey: "RegisterWebAuthnRecovery").status == 401)
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    #expect(try await harness.registry.recoveryCodes(ofUser: user.id, realm: harness.realm).count == 10)
  }

  @Test func aCodeDoesNotSignInWhoIsSwitchedOff() async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    let codes = try await codes(harness, &passkey)
    let page = try await collector(harness)
    #expect(try await harness.server.setActive(false, userNamed: "mira", in: harness.realm))
    let answer = try await harness.post(page.filled([0: ["": .string(codes[0])]]))
    #expect(answer.message == "User is not active.")
  }

  // MARK: Display

  @Test func showsTheDevicesName() async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    let page = try await harness.register(&passkey, journey: "RegisterWebAuthnRecovery", name: "Mira's key")
    #expect(page.output(2, "message")?.stringValue?.hasSuffix("which has been named: Mira's key") == true)
    #expect(page.output(0, "messageType") == "1" && page.output(1, "messageType") == "0")
  }

  @Test func showsTheCodesToBrowsersInAScript() async throws {
    let tree = try JourneyTree("Script") {
      TreeStep("name", UsernameCollector()).next("register")
      TreeStep("register", WebAuthnRegistrationNode()).on(.success, to: "codes").otherwise(.failure)
      TreeStep("codes", RecoveryCodeDisplay(asScript: true)).next("again")
      TreeStep("again", RecoveryCodeDisplay(asScript: true)).next(.success)
    }
    let harness = try await Harness.webAuthn(journeys: [tree])
    let page = try await harness.question("Script", user: "mira")
    let name = "<img src=x onerror=alert(1)>\"</script>"
    let passkey = try Passkey()
    let shown = try await harness.post(try page.answered(try passkey.registration(for: page, name: name)))
    #expect(shown.types == ["TextOutputCallback"] && shown.output(0, "messageType") == "4")
    let script = try #require(shown.output(0, "message")?.stringValue)
    #expect(script.contains("Your Recovery Codes"))
    // As readers of this form find the codes: a blank, a character, a quoted word, a backslash.
    let codes = script.matches(of: try Regex(#"\s[\w\W]"(\w*)\\"#)).compactMap {
      $0.output[1].substring.map(String.init)
    }
    #expect(codes.count == 10 && codes.allSatisfy { $0.utf8.count == 12 })
    #expect(!script.contains("<img") && !script.contains("</script"))
    #expect(script.contains("<em>&lt;img src=x onerror=alert(1)&gt;&quot;&lt;/script&gt;</em>"))
    // A script is not sent back; a second display has nothing left to show.
    var answer = try #require(shown.body.objectValue)
    answer["callbacks"] = []
    #expect(try await harness.post(.object(answer)).token != nil)
  }
}
