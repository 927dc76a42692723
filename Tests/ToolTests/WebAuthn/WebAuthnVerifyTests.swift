import AuthenticatorCoding
import Testing
import ToolSupport

/// `webauthn verify-registration` and `verify-authentication`: each member of the expectation, each way to be refused.
@Suite struct WebAuthnVerifyTests {
  let passkeys: Passkeys

  init() throws { passkeys = try Passkeys() }

  func expectRefusal(
    _ error: JSONValue, _ verb: String, _ response: JSONValue, _ change: (inout JSONObject) -> Void = { _ in }
  ) async throws {
    try passkeys.expectation(change)
    let (status, json) = try await passkeys.verify(verb, response)
    #expect(status == 1, "\(json.serializedString())")
    #expect(json["verified"] == false && json["error"] == error, "\(json.serializedString())")
    #expect(json["step"]?.stringValue?.isEmpty == false && json["credential"] == nil)
  }

  // MARK: - Registration

  /// A registration without attestation, which nothing signs: every part of it can be bent.
  private func registration() async throws -> JSONValue {
    try passkeys.creation { $0["attestation"] = "none" }
    return try await passkeys.register()
  }

  @Test func eachMemberOfTheExpectationCounts() async throws {
    let made = try await registration()
    let verb = "verify-registration"
    try passkeys.expectation { $0["userHandle"] = "YWxpY2U" }
    let (status, json) = try await passkeys.verify(verb, made)
    #expect(status == 0 && json["verified"] == true)
    #expect(json["credential"]?["id"] == made["id"] && json["credential"]?["userHandle"] == "YWxpY2U")
    #expect(json["credential"]?["signCount"] == 0 && json["credential"]?["backupEligible"] == false)
    #expect(json["flags"] == ["UP": true, "UV": true, "BE": false, "BS": false, "AT": true, "ED": false])

    try await expectRefusal("challengeMismatch", verb, made) { $0["challenge"] = "AAECAwQFBgcICQoLDA0ODg" }
    try await expectRefusal("originMismatch", verb, made) { $0["origins"] = ["https://example.org:8443"] }
    try await expectRefusal("relyingPartyIDMismatch", verb, made) { $0["rpId"] = "example.com" }
    try await expectRefusal("algorithmNotAllowed", verb, made) { $0["algorithms"] = [-257, -8] }
    try await expectRefusal("attestationMissing", verb, made) { $0["attestation"] = "direct" }
    try await expectRefusal("credentialAlreadyRegistered", verb, made) {
      $0["registeredCredentials"] = [made["id"] ?? .null]
    }
  }

  @Test func framesAndTheirOutermostPages() async throws {
    let page = "https://shop.example.com"
    try passkeys.creation { $0["attestation"] = "none" }
    let made = try await passkeys.register(["--top-origin", page])
    let verb = "verify-registration"
    try await expectRefusal("crossOriginNotAllowed", verb, made)
    try await expectRefusal("topOriginMismatch", verb, made) { $0["crossOrigin"] = true }
    try await expectRefusal("topOriginMismatch", verb, made) { $0["topOrigins"] = ["https://other.example.com"] }
    try passkeys.expectation { $0["topOrigins"] = [.string(page)] }
    #expect(try await passkeys.verify(verb, made).status == 0)
  }

  @Test func attestationNeedsAnAnchor() async throws {
    let authority = try AttestationAuthority(in: passkeys.folder)
    let stranger = try AttestationAuthority(in: passkeys.folder)
    try passkeys.creation()
    let made = try await passkeys.register(authority.options.isEmpty ? [] : stranger.options)
    let verb = "verify-registration"
    try await expectRefusal("attestationUntrusted", verb, made) { $0["attestation"] = "direct" }
    try await expectRefusal("attestationUntrusted", verb, made) {
      $0["attestation"] = "direct"
      $0["trustAnchors"] = [.string(authority.root)]
    }
    for requirement: JSONValue in ["none", "direct", "indirect", "enterprise"] {
      try passkeys.expectation {
        $0["attestation"] = requirement
        if requirement != "none" { $0["trustAnchors"] = [.string(stranger.root)] }
      }
      let (status, json) = try await passkeys.verify(verb, made)
      #expect(status == 0)
      #expect(json["credential"]?["attestation"]?["trusted"] == .bool(requirement != "none"))
    }
  }

  @Test func aRevokedCertificateIsRefused() async throws {
    let authority = try AttestationAuthority(in: passkeys.folder)
    try passkeys.creation()
    let made = try await passkeys.register(authority.options)
    for (isRevoked, error) in [(false, nil), (true, "attestationCertificateRevoked")] as [(Bool, JSONValue?)] {
      let list = try authority.revocationList(isRevoked: isRevoked)
      try passkeys.expectation {
        $0["attestation"] = "direct"
        $0["trustAnchors"] = [.string(authority.root)]
        $0["revocationLists"] = [.string(list)]
        $0["enforceRevocationCheck"] = true
      }
      #expect(try await passkeys.verify("verify-registration", made).json["error"] == error)
    }
    try await expectRefusal("attestationRevocationUnknown", "verify-registration", made) {
      $0["attestation"] = "direct"
      $0["trustAnchors"] = [.string(authority.root)]
      $0["enforceRevocationCheck"] = true
    }
  }

  /// It may be one that was meant to be looked at.
  @Test func aMemberThatNobodyLooksAtIsTold() async throws {
    let made = try await registration()
    let response = try passkeys.folder.write("response.json", made.serializedString())
    let expected = try passkeys.expectation {
      $0["userVerfication"] = "required"
      $0["signCountPolicy"] = "flag"
    }
    let result = try await Tool.run([
      "webauthn", "verify-registration", "--response", response, "--expect", expected, "--json",
    ])
    #expect(result.status == 0)
    #expect(
      result.stderr == """
        \(expected): nothing is expected by the member 'userVerfication'
        \(expected): nothing is expected by the member 'signCountPolicy'

        """)
  }

  @Test func metadataDecidesAboutTheModel() async throws {
    let model: [UInt8] = Array(1...16)
    let authority = try AttestationAuthority(in: passkeys.folder, model: model)
    try passkeys.creation()
    let response = try passkeys.folder.write(
      "response.json", try await passkeys.register(authority.options).serializedString())
    try passkeys.expectation { $0["attestation"] = "direct" }
    func verify(_ metadata: TestMetadata, _ more: [String] = []) async throws -> (status: Int32, json: JSONValue) {
      let roots = try metadata.write(in: passkeys.folder)
      return try await passkeys.run(
        ["verify-registration", "--response", response, "--expect", passkeys.folder.file("expect.json"), "--json"]
          + ["--metadata", passkeys.folder.file("blob.jwt"), "--metadata-roots", roots] + more)
    }
    let known = try await verify(TestMetadata(knowing: model, root: authority.root))
    #expect(known.status == 0 && known.json["credential"]?["attestation"]?["trusted"] == true)
    let revoked = try await verify(TestMetadata(knowing: model, root: authority.root, status: "REVOKED"))
    #expect(revoked.status == 1 && revoked.json["error"] == "modelNotAllowed")
    let unknown = try TestMetadata(knowing: Array(2...17), root: authority.root)
    #expect(try await verify(unknown).json["error"] == "modelUnknown")
    #expect(try await verify(unknown, ["--accept-unknown-models"]).json["error"] == "attestationUntrusted")
    // Whoever claims to be of a model proves nothing by that.
    try passkeys.creation { $0["attestation"] = "none" }
    try passkeys.folder.write("response.json", try await passkeys.register(authority.options).serializedString())
    try passkeys.expectation()
    let claimed = try await verify(TestMetadata(knowing: model, root: authority.root))
    #expect(claimed.status == 1 && claimed.json["error"] == "attestationMissing")
    let overdue = try await verify(TestMetadata(knowing: model, root: authority.root, nextUpdate: "2020-01-01"))
    #expect(overdue.status == 3 && overdue.json["error"] == "inputUnusable")
  }

  @Test func bentRegistrationsAreRefusedByName() async throws {
    let made = try await registration()
    let data = try Bending.bytes(made, "authenticatorData")
    func bend(_ change: (inout [UInt8]) -> Void) -> JSONValue {
      var bytes = data
      change(&bytes)
      return Bending.with(made, "attestationObject", Bending.attestation(bytes))
    }
    let verb = "verify-registration"
    try passkeys.expectation()
    #expect(try await passkeys.verify(verb, bend { _ in }).status == 0, "unbent, it verifies")

    try await expectRefusal("userNotVerified", verb, bend { $0[32] &= ~0x04 })
    try await expectRefusal("userNotPresent", verb, bend { $0[32] &= ~0x01 })
    try await expectRefusal("backupFlagsInvalid", verb, bend { $0[32] |= 0x10 })
    try await expectRefusal("attestedCredentialDataMissing", verb, bend { $0 = Array($0[..<32]) + [5, 0, 0, 0, 0] })
    try await expectRefusal("authenticatorDataMalformed", verb, bend { $0.append(0) })
    try await expectRefusal("authenticatorDataMalformed", verb, bend { $0.removeLast() })
    try await expectRefusal("credentialIDMismatch", verb, bend { $0[55] ^= 1 })
    try await expectRefusal("publicKeyInvalid", verb, bend { $0[$0.count - 1] ^= 1 })
    // Nobody needs to have been there in the background.
    try passkeys.expectation {
      $0["mediation"] = "conditional"
      $0["userVerification"] = "preferred"
    }
    #expect(try await passkeys.verify(verb, bend { $0[32] &= ~0x05 }).status == 0)

    let client = try Bending.bytes(made, "clientDataJSON")
    func bendClient(_ change: (String) -> String) -> JSONValue {
      let text = change(String(decoding: client, as: UTF8.self))
      return Bending.with(made, "clientDataJSON", Array(text.utf8))
    }
    try await expectRefusal(
      "ceremonyMismatch", verb, bendClient({ $0.replacing("webauthn.create", with: "webauthn.get") }))
    try await expectRefusal("challengeMismatch", verb, bendClient({ $0.replacing("AAECAw", with: "AAECAx") }))
    try await expectRefusal("originMismatch", verb, bendClient({ $0.replacing("https:", with: "http:") }))
    try await expectRefusal("clientDataMalformed", verb, bendClient({ "[\($0)]" }))
    try await expectRefusal("crossOriginNotAllowed", verb, bendClient({ $0.replacing("false", with: "true") }))
    try await expectRefusal("attestationObjectMalformed", verb, Bending.with(made, "attestationObject", [0xA0]))
    try await expectRefusal(
      "attestationFormatUnsupported", verb,
      Bending.with(made, "attestationObject", Bending.attestation(data, format: "other")))
  }

  @Test func responsesOfTheWrongFormAreRefusedByName() async throws {
    let made = try await registration()
    let verb = "verify-registration"
    func bend(_ name: String, _ value: JSONValue?) -> JSONValue {
      var object = made.objectValue ?? [:]
      object[name] = value
      return .object(object)
    }
    for response: JSONValue in [[], "text", .null, [:], bend("response", nil), bend("rawId", 5), bend("id", nil)] {
      try await expectRefusal("responseMalformed", verb, response)
    }
    try await expectRefusal("credentialTypeMismatch", verb, bend("type", "password"))
    try await expectRefusal("credentialIDMismatch", verb, bend("id", "AAECAw"))
    let plain = try await Tool.run([
      "webauthn", verb, "--response", try passkeys.folder.write("r", "{}"), "--expect", try passkeys.expectation(),
    ])
    #expect(plain.status == 1 && plain.stdout.isEmpty)
    #expect(plain.stderr.contains("not verified, at response form") && plain.stderr.contains("(responseMalformed)"))
    #expect(plain.stderr.contains("type is missing"))
    #expect(plain.stderr.split(separator: "\n").count == 1)
  }

  @Test func expectationsThatSayNothingAreUnusable() async throws {
    let made = try await registration()
    let record = try await passkeys.record(of: made)
    let response = try passkeys.folder.write("response.json", made.serializedString())
    let cases: [(String, (inout JSONObject) -> Void)] = [
      ("algorithms", { $0["algorithms"] = [] }), ("mediation", { $0["mediation"] = "nonsense" }),
      ("challenge", { $0["challenge"] = nil }), ("challenge", { $0["challenge"] = "not base64!" }),
      ("origins", { $0["origins"] = [] }), ("origins", { $0["origins"] = "https://example.org" }),
      ("origins", { $0["origins"] = [5] }), ("rpId", { $0["rpId"] = .null }), ("rpId", { $0["rpId"] = 5 }),
      ("userVerification", { $0["userVerification"] = true }), ("crossOrigin", { $0["crossOrigin"] = "yes" }),
      ("topOrigins", { $0["topOrigins"] = "x" }), ("mediation", { $0["mediation"] = 1 }),
      ("algorithms", { $0["algorithms"] = ["ES256"] }), ("attestation", { $0["attestation"] = "strict" }),
      ("trustAnchors", { $0["trustAnchors"] = ["no certificate"] }), ("trustAnchors", { $0["trustAnchors"] = 1 }),
      ("challenge", { $0["challenge"] = "" }), ("rpId", { $0["rpId"] = "" }),
      ("userVerification", { $0["userVerification"] = "Required" }), ("mediation", { $0["mediation"] = "silently" }),
      ("userHandle", { $0["userHandle"] = 7 }), ("registeredCredentials", { $0["registeredCredentials"] = [1] }),
    ]
    for (member, change) in cases {
      let file = try passkeys.expectation(change)
      let (status, json) = try await passkeys.run(
        ["verify-registration", "--response", response, "--expect", file, "--json"])
      #expect(status == 3 && json["error"] == "inputUnusable" && json["stage"] == "expect", "\(member)")
      let message = "\(file): \(member) is missing or malformed"
      #expect(json["message"] == .string(message), "\(json.serializedString())")
    }
    let records: [(String, JSONValue?)] = [
      ("credential", nil), ("credential", .null), ("credential", 5), ("credential.id", [:]),
      ("credential.publicKey", Bending.with(record, nil, "publicKey", "AAAA")),
      ("credential.id", Bending.with(record, nil, "id", "!")),
      ("credential.signCount", Bending.with(record, nil, "signCount", -1)),
    ]
    for (member, record) in records {
      let file = try passkeys.expectation { $0["credential"] = record }
      let (status, json) = try await passkeys.run(
        ["verify-authentication", "--response", response, "--expect", file, "--json"])
      #expect(status == 3 && json["error"] == "inputUnusable", "\(member)")
      #expect(json["message"]?.stringValue?.contains(": \(member) is missing or malformed") == true)
    }
    for text in ["[]", "5"] {
      let file = try passkeys.folder.write("expect.json", text)
      let (status, json) = try await passkeys.run(
        ["verify-registration", "--response", response, "--expect", file, "--json"])
      #expect(status == 3 && json["message"]?.stringValue?.contains("is not an object") == true)
    }
  }
}
