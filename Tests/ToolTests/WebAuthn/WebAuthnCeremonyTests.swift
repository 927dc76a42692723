import AuthenticatorCoding
import AuthenticatorCrypto
import Glibc
import TestCertificates
import Testing
import ToolSupport

/// `webauthn register` and `authenticate`: what they refuse, under which name, and that a refusal leaves nothing.
@Suite struct WebAuthnCeremonyTests {
  let passkeys: Passkeys

  init() throws { passkeys = try Passkeys() }

  /// Runs a ceremony that is to fail; nothing may be made or shown unless told.
  func expectRefusal(
    _ error: JSONValue, _ words: [String], status expected: Int32 = 1, prompts: Int = 0, _ what: String = ""
  ) async throws {
    let before = TemporaryFolder.read(passkeys.folder.file("transcript"))
    let (status, json) = try await passkeys.run(words)
    #expect(status == expected && json["error"] == error, "\(what) \(json.serializedString())")
    #expect(json["message"]?.stringValue?.isEmpty == false && json["stage"]?.stringValue?.isEmpty == false)
    let shown = (TemporaryFolder.read(passkeys.folder.file("transcript")) ?? []).dropFirst(before?.count ?? 0)
    #expect(shown.count { $0 == 0x0A } == prompts, "\(what)")
    #expect(try await passkeys.credentials().isEmpty, "\(what)")
  }

  @Test func optionsThatCannotBeReadAreTypeOrEncodingErrors() async throws {
    let cases: [(String, String, (inout JSONObject) -> Void)] = [
      ("TypeError", "challenge is missing", { $0["challenge"] = nil }),
      ("TypeError", "challenge is of the wrong kind", { $0["challenge"] = 5 }),
      ("EncodingError", "challenge is not base64url", { $0["challenge"] = "a b" }),
      ("TypeError", "the challenge is empty", { $0["challenge"] = "" }),
      ("TypeError", "rp is missing", { $0["rp"] = nil }),
      ("TypeError", "rp.name is missing", { $0["rp"] = ["id": "example.org"] }),
      ("TypeError", "user is of the wrong kind", { $0["user"] = [] }),
      (
        "TypeError", "user.id is out of range",
        {
          $0["user"] = [
            "id": .string(String(repeating: "QUFB", count: 22)), "name": "", "displayName": "",
          ]
        }
      ),
      ("TypeError", "user.id is out of range", { $0["user"] = ["id": "", "name": "", "displayName": ""] }),
      ("TypeError", "pubKeyCredParams is missing", { $0["pubKeyCredParams"] = nil }),
      (
        "TypeError", "pubKeyCredParams[0].alg is of the wrong kind",
        {
          $0["pubKeyCredParams"] = [["type": "public-key", "alg": "x"]]
        }
      ),
      ("TypeError", "timeout is out of range", { $0["timeout"] = -1 }),
      ("TypeError", "timeout is of the wrong kind", { $0["timeout"] = "x" }),
      (
        "EncodingError", "excludeCredentials[0].id is not base64url",
        {
          $0["excludeCredentials"] = [["type": "public-key", "id": "="]]
        }
      ),
      ("TypeError", "extensions.credProps is of the wrong kind", { $0["extensions"] = ["credProps": "yes"] }),
    ]
    for (name, message, change) in cases {
      try passkeys.creation(change)
      try passkeys.person(Passkeys.touch)
      try await expectRefusal(.string(name), passkeys.ceremony("register"), message)
      let plain = try await Tool.run(["webauthn"] + passkeys.ceremony("register").filter { $0 != "--json" })
      #expect(plain.status == 1 && plain.stderr.contains(message), "\(plain.stderr)")
      #expect(plain.stderr.split(separator: "\n").count == 1 && plain.stdout.isEmpty)
    }
  }

  @Test func optionsThatCannotBeMetHaveTheirNames() async throws {
    try passkeys.person(Passkeys.touch)
    func expect(_ name: JSONValue, _ change: (inout JSONObject) -> Void, _ more: [String] = []) async throws {
      try passkeys.creation(change)
      try await expectRefusal(name, passkeys.ceremony("register", more), "\(name)")
    }
    try await expect("NotSupportedError") { $0["pubKeyCredParams"] = [["type": "public-key", "alg": -47]] }
    try await expect("NotSupportedError") { $0["pubKeyCredParams"] = [["type": "secret", "alg": -7]] }
    try await expect("NotSupportedError") { $0["extensions"] = ["prf": ["evalByCredential": [:]]] }
    try await expect("SecurityError") { $0["rp"] = ["id": "example.com", "name": ""] }
    try await expect("SecurityError") { $0["rp"] = ["id": "org", "name": ""] }
    try await expect("NotAllowedError") {
      $0["authenticatorSelection"] = ["authenticatorAttachment": "cross-platform"]
    }
  }

  @Test(arguments: [
    "http://example.org", "https://example.org/", "https://EXAMPLE.org", "https://notexample.org",
    "https://example.org.", "https://192.0.2.1", "example.org", "ios:bundle-id:org.example",
  ])
  func originsThatMayNotSpeakForTheRelyingPartyAreSecurityErrors(origin: String) async throws {
    try passkeys.person(Passkeys.touch)
    try passkeys.creation()
    try await expectRefusal("SecurityError", passkeys.ceremony("register", origin: origin))
    try passkeys.request()
    try await expectRefusal("SecurityError", passkeys.ceremony("authenticate", origin: origin))
  }

  @Test func sayWhatIsWrongWithAnOrigin() async throws {
    try passkeys.creation()
    for (origin, text) in [
      ("https://example.org/", "not as browsers write it"), ("HTTPS://example.org", "not as browsers write it"),
      ("http://example.org", "not of https"), ("https://192.0.2.1", "is an address"),
      ("ios:bundle-id:com.example.app", "no relying party ID is allowed to it"),
      ("https://example.net", "does not belong to the origin"),
    ] {
      let (_, json) = try await passkeys.run(passkeys.ceremony("register", origin: origin))
      #expect(json["message"]?.stringValue?.contains(text) == true, "\(json.serializedString())")
    }
    let framed = try await passkeys.run(passkeys.ceremony("register", ["--top-origin", "shop"]))
    #expect(framed.status == 1 && framed.json["error"] == "SecurityError")
    #expect(framed.json["message"]?.stringValue?.contains("outermost page") == true)
  }

  @Test func everyRefusalIsASentence() async throws {
    try passkeys.creation { $0["pubKeyCredParams"] = [["type": "public-key", "alg": -258]] }
    let algorithm = try await passkeys.run(passkeys.ceremony("register"))
    #expect(algorithm.json["message"] == "none of the algorithms asked for can be made here")
    // Without leave for software keys there is nothing to hold a key.
    try passkeys.creation()
    let words = passkeys.ceremony("register").filter { $0 != "--allow-software-keys" }
    let hardware = try await passkeys.run(words)
    #expect(hardware.status == 1 && hardware.json["error"] == "ConstraintError")
    #expect(hardware.json["message"]?.stringValue?.contains("authenticator doctor") == true)
  }

  @Test func anOpaqueOriginIsNotAllowed() async throws {
    try passkeys.creation()
    try await expectRefusal("NotAllowedError", passkeys.ceremony("register", origin: "null"))
  }

  @Test func anAppsOriginSpeaksForWhatItIsGiven() async throws {
    try passkeys.creation()
    let app = "android:apk-key-hash:AAECAwQFBgcICQoLDA0ODw"
    try passkeys.person(Passkeys.touch)
    let (status, json) = try await passkeys.run(
      passkeys.ceremony("register", origin: app, ["--rp-id", "example.org"]))
    #expect(status == 0)
    try passkeys.expectation { $0["origins"] = [.string(app)] }
    #expect(try await passkeys.verify("verify-registration", json).status == 0)
    try passkeys.person(Passkeys.touch)
    let other = try await passkeys.run(passkeys.ceremony("register", origin: app, ["--rp-id", "example.com"]))
    #expect(other.status == 1 && other.json["error"] == "SecurityError")
  }

  /// What a web origin may use follows from it alone.
  @Test(arguments: [
    ("https://evil.com", "example.org", "does not belong"), ("http://example.org", "example.org", "does not belong"),
    ("https://example.org", "org", "does not belong"),
    ("ios:bundle-id:app", "https://example.org", "is no domain name"),
    ("https://example.org", "Example.org", "is no domain name"), ("ios:bundle-id:app", "", "is no domain name"),
  ])
  func aRelyingPartyIDThatTheOriginMayNotHaveIsUsage(origin: String, id: String, words: String) async throws {
    try passkeys.creation()
    let line = passkeys.ceremony("register", origin: origin, ["--rp-id", id])
    let result = try await Tool.run(["webauthn"] + line.filter { $0 != "--json" })
    #expect(result.status == 2 && result.stdout.isEmpty && result.stderr.contains(words), "\(result.stderr)")
    #expect(try await passkeys.credentials().isEmpty)
    let login = ["login", "--server", "http://127.0.0.1:1", "--origin", origin, "--rp-id", id]
    #expect(try await Tool.run(login).status == 2)
  }

  @Test func aWebOriginMayNameWhatIsItsOwn() async throws {
    try passkeys.creation()
    try passkeys.person(Passkeys.touch)
    let line = passkeys.ceremony("register", origin: "https://login.example.org", ["--rp-id", "example.org"])
    #expect(try await passkeys.run(line).status == 0)
  }

  @Test func thePersonRefuses() async throws {
    try passkeys.creation()
    for step: JSONValue in [["do": "cancel"], ["do": "systemCancel"], ["do": "mismatch"]] {
      try passkeys.person(step, step, step)
      try await expectRefusal("NotAllowedError", passkeys.ceremony("register"), prompts: 1, step.serializedString())
    }
  }

  @Test func theTimeLimitEnds() async throws {
    try passkeys.creation { $0["timeout"] = 1 }
    try passkeys.person(["do": "noAnswer"])
    try await expectRefusal("NotAllowedError", passkeys.ceremony("register"), prompts: 1)
  }

  @Test func aDeviceThatCannotDoWhatIsRequiredIsAConstraintError() async throws {
    try passkeys.creation()
    try passkeys.person(Passkeys.touch)
    let software = passkeys.ceremony("register").filter { $0 != "--allow-software-keys" }
    try await expectRefusal("ConstraintError", software, "no key hardware")
    try passkeys.person(sensor: "none", passcode: .null)
    try await expectRefusal("ConstraintError", passkeys.ceremony("register"), "nobody can be verified")
  }

  @Test func anExcludedCredentialIsInvalidStateOnceThePersonAgreed() async throws {
    try passkeys.creation()
    let made = try await passkeys.register()
    try passkeys.creation(user: "Ym9i", named: "Bob") {
      $0["excludeCredentials"] = [["type": "public-key", "id": made["id"] ?? .null]]
    }
    try passkeys.person(Passkeys.touch)
    var (status, json) = try await passkeys.run(passkeys.ceremony("register"))
    #expect(status == 1 && json["error"] == "InvalidStateError")
    try passkeys.person()
    (status, json) = try await passkeys.run(passkeys.ceremony("register"))
    #expect(status == 1 && json["error"] == "NotAllowedError", "a refusal tells nothing")
    #expect(try await passkeys.credentials().count == 1)
  }
}
