import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

/// What neither node accepts, and what it tells the operator of it.
@Suite struct WebAuthnRefusalTests {
  private static func registration(_ adjust: (inout WebAuthnRegistrationNode) -> Void = { _ in }) throws -> JourneyTree
  {
    try WebAuthnTrees.tree(
      WebAuthnRegistrationNode {
        $0.generatesRecoveryCodes = false
        adjust(&$0)
      }, state: "WebAuthenticationDOMException")
  }

  /// One thing that is wrong, and the check that finds it.
  static let bends: [(name: String, check: String, bend: @Sendable (inout Passkey.Ceremony) -> Void)] = [
    ("type", "ceremonyMismatch", { $0.type = $0.type == "webauthn.get" ? "webauthn.create" : "webauthn.get" }),
    ("challenge", "challengeMismatch", { $0.challenge[0] ^= 1 }),
    ("no challenge", "challengeMismatch", { $0.challenge = [] }),
    ("cut challenge", "challengeMismatch", { $0.challenge.removeLast() }),
    ("origin", "originMismatch", { $0.origin = "https://evil.example" }),
    ("suborigin", "originMismatch", { $0.origin = "https://a.id.example.org" }),
    ("http", "originMismatch", { $0.origin = "http://id.example.org" }),
    ("port", "originMismatch", { $0.origin = "https://id.example.org:444" }),
    ("slash", "originMismatch", { $0.origin = "https://id.example.org/" }),
    ("native origin", "originMismatch", { $0.origin = "ios:bundle-id:com.example.app" }),
    ("frame", "crossOriginNotAllowed", { $0.crossOrigin = true }),
    ("no client data", "clientDataMalformed", { $0.clientData = "{}" }),
    ("client data that is no JSON", "clientDataMalformed", { $0.clientData = "x" }),
    ("relying party", "relyingPartyIDMismatch", { $0.relyingPartyID = "example.org" }),
    ("absence", "userNotPresent", { $0.flags &= ~0x01 }),
    ("backed up without being eligible", "backupFlagsInvalid", { $0.flags |= 0x10 }),
    ("extensions that are not there", "authenticatorDataMalformed", { $0.flags |= 0x80 }),
    ("bytes left over", "authenticatorDataMalformed", { $0.rest = [0] }),
  ]

  @Test(arguments: bends.indices) func refusesABentRegistration(index: Int) async throws {
    let harness = try await Harness.webAuthn(journeys: [try Self.registration()])
    var passkey = try Passkey()
    passkey.bend = Self.bends[index].bend
    #expect(try await harness.end { try passkey.registration(for: $0) }.outcome == "failure")
    #expect(harness.refusals == [Self.bends[index].check], "\(Self.bends[index].name)")
    #expect(try await harness.webAuthnDevices().isEmpty)
    passkey.bend = { _ in }
    #expect(try await harness.end { try passkey.registration(for: $0) }.outcome == "success")
  }

  @Test(arguments: bends.indices) func refusesABentSignIn(index: Int) async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    try await harness.register(&passkey)
    passkey.bend = Self.bends[index].bend
    for (journey, user) in [("LoginWebAuthn", "mira"), ("LoginUsernameless", nil)] {
      let answer = try await harness.authenticate(passkey, user: user, journey: journey)
      #expect(answer.status == 401)
      // Which check it was is for the operator alone.
      #expect(
        answer.body == [
          "code": 401, "reason": "Unauthorized", "message": "Login failure", "detail": ["failureUrl": ""],
        ])
    }
    #expect(harness.refusals == [Self.bends[index].check, Self.bends[index].check], "\(Self.bends[index].name)")
    passkey.bend = { _ in }
    #expect(try await harness.authenticate(passkey).token != nil)
  }

  /// What only a registration can have wrong.
  static let registrationBends: [(check: String, bend: @Sendable (inout Passkey.Ceremony) -> Void)] = [
    ("attestedCredentialDataMissing", { $0.flags &= ~0x40 }),
    ("credentialIDMismatch", { $0.claimedID[0] ^= 1 }), ("credentialIDMismatch", { $0.attestedID[0] ^= 1 }),
    ("credentialIDMismatch", { ($0.attestedID, $0.claimedID) = ([], []) }),
    (
      "credentialIDMismatch",
      { ($0.attestedID, $0.claimedID) = ([UInt8](repeating: 1, count: 1024), [UInt8](repeating: 1, count: 1024)) }
    ),
    ("attestationFormatUnsupported", { $0.attestationFormat = "mine" }),
    ("attestationStatementMalformed", { $0.attestationFormat = "packed" }),
    // ES384 by number, with a key on P-256.
    ("algorithmNotAllowed", { $0.coseKey.replaceSubrange(4..<5, with: [0x38, 0x22]) }),
    ("publicKeyInvalid", { $0.coseKey[$0.coseKey.count - 1] ^= 1 }),
    ("authenticatorDataMalformed", { $0.coseKey.removeLast() }),
    ("publicKeyInvalid", { $0.coseKey[2] = 3 }),
  ]

  @Test(arguments: registrationBends.indices) func refusesABentCredential(index: Int) async throws {
    let harness = try await Harness.webAuthn(journeys: [try Self.registration()])
    var passkey = try Passkey()
    passkey.bend = Self.registrationBends[index].bend
    #expect(try await harness.end { try passkey.registration(for: $0) }.outcome == "failure")
    #expect(harness.refusals == [Self.registrationBends[index].check])
    #expect(try await harness.webAuthnDevices().isEmpty)
  }

  /// What only a sign-in can have wrong.
  static let assertionBends: [(check: String, bend: @Sendable (inout Passkey.Ceremony) -> Void)] = [
    (
      "attestedCredentialDataUnexpected",
      {
        $0.flags |= 0x40
        $0.attestedID = [1]
        $0.coseKey = [0xA0]
      }
    ),
    ("backupEligibilityChanged", { $0.flags |= 0x08 }), ("signatureInvalid", { $0.finish = { $0.dropLast() } }),
    ("signatureInvalid", { $0.finish = { $0 + [0] } }), ("signatureInvalid", { $0.finish = { _ in [0x30, 0] } }),
    ("credentialNotAllowed", { $0.claimedID[0] ^= 1 }),
  ]

  @Test(arguments: assertionBends.indices) func refusesABentAssertion(index: Int) async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    try await harness.register(&passkey)
    passkey.bend = Self.assertionBends[index].bend
    #expect(try await harness.authenticate(passkey).status == 401)
    #expect(harness.refusals == [Self.assertionBends[index].check])
  }

  @Test func refusesAnotherKeysSignature() async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    try await harness.register(&passkey)
    passkey.key = try PrivateKey.generate(.es256)
    #expect(try await harness.authenticate(passkey).status == 401)
    #expect(harness.refusals == ["signatureInvalid"])
  }

  @Test func asksForVerificationWhenItIsRequired() async throws {
    for (requirement, outcome) in [(WebAuthnUserVerification.required, "failure"), (.preferred, "success")] {
      let harness = try await Harness.webAuthn(journeys: [try Self.registration { $0.userVerification = requirement }])
      var passkey = try Passkey()
      passkey.bend = { $0.flags &= ~0x04 }
      #expect(try await harness.end { try passkey.registration(for: $0) }.outcome == outcome)
      #expect(harness.refusals == (outcome == "success" ? [] : ["userNotVerified"]))
    }
  }

  // MARK: What the client reports

  static let reports: [(text: String, outcome: String, error: String?)] = [
    ("unsupported", "unsupported", nil), ("{\"error\":\"unsupported\"}", "unsupported", nil),
    ("ERROR::NotAllowedError:The request was refused", "error", "NotAllowedError:The request was refused"),
    ("ERROR::NotAllowedError: by a script", "error", "NotAllowedError: by a script"),
    ("ERROR::InvalidStateError:", "error", "InvalidStateError:"),
    ("ERROR::NotSupportedError:no", "error", "NotSupportedError:no"),
    ("ERROR::TimeoutError:late", "error", "TimeoutError:late"), ("ERROR", "error", ""), ("ERROR::", "error", ""),
    ("ERROR::a::b", "error", "a::b"), ("{\"error\":\"AbortError:x\"}", "error", "AbortError:x"),
    ("{\"error\":\"ERROR::DataError:x\",\"legacyData\":null}", "error", "DataError:x"),
    ("{\"legacyData\":\"ERROR::ConstraintError:x\"}", "error", "ConstraintError:x"),
    ("{\"legacyData\":\"unsupported\",\"authenticatorAttachment\":null}", "unsupported", nil),
    ("{\"error\":7}", "failure", nil), ("{\"legacyData\":7}", "failure", nil),
    ("{\"legacyData\":null}", "failure", nil),
    ("{\"error\":null}", "failure", nil), ("{}", "failure", nil), ("[]", "failure", nil), ("", "failure", nil),
    ("webAuthnOutcome", "failure", nil), ("false", "failure", nil), ("::", "failure", nil), ("::::", "failure", nil),
    ("Unsupported", "failure", nil), (" unsupported", "failure", nil), ("error::x", "failure", nil),
  ]

  @Test(arguments: reports.indices, [true, false]) func takesTheClientsWord(index: Int, registers: Bool) async throws {
    let report = Self.reports[index]
    let signIn = WebAuthnAuthenticationNode { $0.concealsMissingDevices = true }
    let tree =
      try registers
      ? Self.registration() : WebAuthnTrees.tree(signIn, state: "WebAuthenticationDOMException")
    let harness = try await Harness.webAuthn(journeys: [tree])
    let end = try await harness.end { _ in report.text }
    #expect(end.outcome == report.outcome, "\(report.text)")
    #expect(end.state == report.error.map(JSONValue.string), "\(report.text)")
    #expect(harness.refusals == (report.outcome == "failure" ? ["responseMalformed"] : []))
  }

  @Test func shortensWhatTheClientReports() async throws {
    let harness = try await Harness.webAuthn(journeys: [try Self.registration()])
    let end = try await harness.end { _ in "ERROR::X:\u{202E}\n\u{0}" + String(repeating: "é", count: 30_000) }
    let text = try #require(end.state?.stringValue)
    #expect(text == "X:" + String(repeating: "é", count: 127))
  }

  @Test func refusesAFieldThatIsEmpty() async throws {
    let harness = try await Harness.webAuthn(journeys: [try Self.registration()])
    let page = try await harness.question("WebAuthn", user: "mira")
    #expect(try await harness.post(page.filled([1: ["": .null]])).outcome == "failure")
  }

  @Test(arguments: [true, 7, ["a"]] as [JSONValue]) func aFieldThatIsNoTextLeavesTheStepUnused(value: JSONValue)
    async throws
  {
    let harness = try await Harness.webAuthn(journeys: [try Self.registration()])
    let page = try await harness.question("WebAuthn", user: "mira")
    #expect(try await harness.post(page.filled([1: ["": value]])).status == 400)
    #expect(try await harness.post(page.filled([1: ["": .null]])).outcome == "failure")
  }

  // MARK: Malformed responses

  @Test(arguments: [
    "1,2, 3", "+1", "128", "-129", "1,,2", ",", "1,", ",1", "", "--1", "1-", "0x1", "٣", "1.0", "9999", "１",
  ]) func refusesNumbersInAnotherForm(list: String) async throws {
    let harness = try await Harness.webAuthn(journeys: [try Self.registration()])
    let end = try await harness.end { _ in "{\"type\":\"webauthn.create\"}::\(list)::AAAA" }
    #expect(end.outcome == "failure")
    #expect(harness.refusals == ["responseMalformed"])
  }

  @Test(arguments: ["AAA", "A+/A", "AAAA=", "", " AAAA", "AAAA\n"].filter { $0 != "AAA" } + ["A"])
  func refusesIDsInAnotherForm(id: String) async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey(id: [0, 0, 0])
    try await harness.register(&passkey)
    let page = try await harness.question("LoginUsernameless", user: nil)
    var parts = try passkey.assertion(for: page).split(separator: "::").map(String.init)
    parts[3] = id
    #expect(try await harness.post(try page.answered(parts.joined(separator: "::"))).status == 401)
    #expect(harness.refusals == [id.isEmpty ? "credentialNotAllowed" : "responseMalformed"])
  }

  @Test func survivesEveryPrefixAndFlippedBitsOfAResponse() async throws {
    let harness = try await Harness.webAuthn(journeys: [try Self.registration()])
    let passkey = try Passkey()
    let page = try await harness.question("WebAuthn", user: "mira")
    let whole = Array(try passkey.registration(for: page).utf8)
    func check(_ bytes: [UInt8]) async throws {
      // Another run has another challenge, so nothing of this can be right.
      let end = try await harness.end { _ in String(decoding: bytes, as: UTF8.self) }
      #expect(end.outcome == "failure" || end.outcome == "error")
    }
    for length in stride(from: 0, to: whole.count, by: 7) { try await check(Array(whole[..<length])) }
    for index in stride(from: 0, to: whole.count, by: 11) {
      var bent = whole
      bent[index] ^= 1 << UInt8(index % 7)
      try await check(bent)
    }
    #expect(try await harness.webAuthnDevices().isEmpty)
  }

  @Test func refusesAnOriginWithTwoColons() async throws {
    let harness = try await Harness.webAuthn(journeys: [try Self.registration { $0.origins = ["https://[::1]"] }])
    var passkey = try Passkey()
    passkey.bend = { $0.origin = "https://[::1]" }
    #expect(try await harness.end { try passkey.registration(for: $0) }.outcome == "failure")
  }

  @Test func refusesWhatIsLongerThanTheServerReads() async throws {
    let harness = try await Harness.webAuthn(journeys: [try Self.registration()])
    let page = try await harness.question("WebAuthn", user: "mira")
    let bomb = try page.answered("{}::" + String(repeating: "1,", count: 40_000) + "1::AAAA")
    #expect(try await harness.post(bomb).status == 400)
    // What was refused before it was read has used nothing up.
    let passkey = try Passkey()
    #expect(try await harness.post(try page.answered(try passkey.registration(for: page))).outcome == "success")
  }
}
