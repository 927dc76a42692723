import AuthenticatorCoding
import Testing
import ToolSupport

/// `login` through the WebAuthn journeys of a real server.
@Suite struct WebAuthnLoginTests {
  private let bench: Bench
  /// What the server's page would have as origin: an address is no relying party ID.
  private var origin: String { "http://localhost:\(bench.port)" }

  init() async throws { bench = try await Bench() }

  private func register(as user: String = "mira", _ more: [String] = []) async throws -> JSONValue {
    try bench.person(Bench.touch)
    let (status, json) = try await bench.run(bench.login("RegisterWebAuthn", as: user, more))
    guard status == 0 else { throw Bench.Unexpected(json: json) }
    return json
  }

  private func login(_ journey: String, _ steps: [JSONValue], _ more: [String] = []) async throws -> (Int32, JSONValue)
  {
    try bench.person(steps)
    return try await bench.run(
      ["login", "--server", bench.url, "--journey", journey, "--json", "--allow-software-keys"] + bench.deviceOptions
        + more)
  }

  private func credentials() async throws -> [JSONValue] {
    try await bench.run(["webauthn", "list", "--json"] + bench.deviceOptions).1.arrayValue ?? []
  }

  @Test func registersAndSignsInByName() async throws {
    let registered = try await register()
    #expect(registered["outcome"] == "success")
    #expect(
      registered["ceremonies"] == [
        [
          "callback": "WebAuthnRegistrationCallback", "result": "signed", "clientError": .null,
          "attemptsRemaining": .null, "retryAfter": .null,
        ]
      ])
    #expect(registered["steps"]?.arrayValue?.last?["callbacks"] == ["MetadataCallback", "HiddenValueCallback"])
    #expect(registered["prompts"] == [["kind": "biometric", "result": "success"]])
    let (status, json) = try await login("LoginWebAuthn", [Bench.touch], ["--answer", "NameCallback=mira"])
    #expect(status == 0 && json["outcome"] == "success", "\(json.serializedString())")
    #expect(json["session"]?["tokenId"]?.stringValue?.isEmpty == false)
    let list = try await credentials()
    #expect(list.map { $0["instance"] } == [.string(bench.url)] && list.map { $0["rpId"] } == ["localhost"])
    #expect(try await bench.keys().map { [$0["protocol"], $0["username"]] } == [["webauthn", "mira"]])
  }

  @Test func amongTwoAccountsThePersonChooses() async throws {
    _ = try await register()
    _ = try await register(as: "noa")
    let list = try await credentials()
    #expect(list.map { $0["userName"] } == ["mira", "noa"])
    for entry in list {
      let choice: JSONValue = ["do": "choose", "value": entry["name"] ?? .null]
      let (status, json) = try await login("LoginUsernameless", [choice, Bench.touch])
      #expect(status == 0 && json["outcome"] == "success", "\(json.serializedString())")
      #expect(json["prompts"]?.arrayValue?.map { $0["kind"] } == ["choose", "biometric"])
      // The command line chooses as well, and nobody is asked.
      let chosen = try await login(
        "LoginUsernameless", [Bench.touch], ["--credential", entry["id"]?.stringValue ?? ""])
      #expect(chosen.0 == 0)
      #expect(chosen.1["prompts"]?.arrayValue?.map { $0["kind"] } == ["biometric"])
      let keys = try await bench.keys()
      #expect(keys.first { $0["kid"] == entry["id"] }?["lastUsedAt"] != .null)
    }
    let (status, json) = try await login("LoginUsernameless", [["do": "choose", "value": "Carol"], Bench.touch])
    #expect(status == 1 && json["code"] == "loginFailure")
    #expect(json["ceremonies"]?[0]?["result"] == "userCanceled")
    let word = json["ceremonies"]?[0]?["clientError"]?.stringValue
    #expect(word?.hasPrefix("ERROR::NotAllowedError:") == true)
  }

  @Test func aCredentialThatIsNotHereSignsNobodyIn() async throws {
    _ = try await register()
    let (status, json) = try await login("LoginUsernameless", [Bench.touch], ["--credential", "AAECAw"])
    #expect(status == 1 && json["ceremonies"]?[0]?["result"] == "keyNotFound")
  }

  @Test func afterDeletingHereSigningInFailsAndRegisteringAgainWorks() async throws {
    _ = try await register()
    let id = try #require(try await credentials().first?["id"]?.stringValue)
    let plain = try await Tool.run(["webauthn", "delete", id] + bench.deviceOptions)
    #expect(plain.status == 0 && plain.stdout.contains("server's record of it remains"))
    let (status, json) = try await login("LoginWebAuthn", [Bench.touch], ["--answer", "NameCallback=mira"])
    #expect(status == 1 && json["ceremonies"]?[0]?["result"] == "keyNotFound", "\(json.serializedString())")
    _ = try await register()
    let again = try await login("LoginWebAuthn", [Bench.touch], ["--answer", "NameCallback=mira"])
    #expect(again.0 == 0, "\(again.1.serializedString())")
  }

  @Test func theOriginIsTheServersUnlessTold() async throws {
    _ = try await register(["--origin", origin])
    for (other, result): (String, JSONValue) in [
      ("https://evil.example", "relyingPartyRefused"), ("http://127.0.0.1:\(bench.port)", "relyingPartyRefused"),
      ("android:apk-key-hash:AAECAw", "relyingPartyRefused"),
    ] {
      let (status, json) = try await login(
        "LoginWebAuthn", [Bench.touch], ["--answer", "NameCallback=mira", "--origin", other])
      #expect(status == 1 && json["ceremonies"]?[0]?["result"] == result, "\(json.serializedString())")
      let word = json["ceremonies"]?[0]?["clientError"]?.stringValue
      #expect(word?.hasPrefix("ERROR::SecurityError:") == true)
    }
    // An app's origin is the device's to allow and the server's to accept; this one does not.
    let (status, json) = try await login(
      "LoginWebAuthn", [Bench.touch],
      ["--answer", "NameCallback=mira", "--origin", "android:apk-key-hash:AAECAw", "--rp-id", "localhost"])
    #expect(status == 1 && json["ceremonies"]?[0]?["result"] == "signed" && json["code"] == "loginFailure")
  }

  @Test func thePersonRefuses() async throws {
    try bench.person(Bench.cancel)
    let (status, json) = try await bench.run(bench.login("RegisterWebAuthn"))
    #expect(status == 1 && json["code"] == "loginFailure")
    #expect(json["ceremonies"]?[0]?["result"] == "userCanceled")
    #expect(try await credentials().isEmpty)
  }

  /// The server would wait for a minute.
  @Test func silenceEndsAtTheTimeLimitOfTheCommandLine() async throws {
    let data: JSONValue = [
      "_action": "webauthn_registration", "_type": "WebAuthn", "challenge": "AAECAwQFBgcICQoLDA0ODw==",
      "timeout": "60000", "attestationPreference": "none", "userName": "mira", "displayName": "Mira",
      "userId": "bWlyYQ", "relyingPartyName": "Example", "_relyingPartyId": "localhost", "_excludeCredentials": [],
      "_authenticatorSelection": ["userVerification": "preferred"],
      "_pubKeyCredParams": [["type": "public-key", "alg": -7]],
    ]
    let server = try await PythonServer.answering(
      Canned.node(
        Canned.callback("MetadataCallback", 1, outputs: [("data", data)]), Canned.hidden("webAuthnOutcome", 2)),
      Canned.loginFailure)
    try bench.person(["do": "noAnswer"])
    let result = try await Tool.run(
      ["login", "--server", server.url, "--origin", "http://localhost", "--allow-software-keys", "--timeout", "4"]
        + ["--json"] + bench.deviceOptions)
    let json = try result.json()
    #expect(result.status == 1)
    #expect(json["ceremonies"]?[0]?["result"] == "timedOut", "\(json.serializedString())")
    let word = json["ceremonies"]?[0]?["clientError"]?.stringValue
    #expect(word?.hasPrefix("ERROR::TimeoutError:") == true)
    #expect(try await credentials().isEmpty)
  }

  @Test func aRecoveryCodeStandsInForTheCredential() async throws {
    try bench.person(Bench.touch)
    let (status, json) = try await bench.run(bench.login("RegisterWebAuthnRecovery"))
    #expect(status == 0, "\(json.serializedString())")
    // The button that asks for a code leaves the credential alone.
    let other = try await login(
      "LoginWebAuthn", [Bench.touch],
      ["--answer", "NameCallback=mira", "--answer", "ConfirmationCallback=0", "--answer", "PasswordCallback=no-code"])
    #expect(other.0 == 3 || other.0 == 1)
    #expect(other.1["ceremonies"] == [] && other.1["prompts"] == [])
  }

  @Test func whatTheCommandLineAnswersStays() async throws {
    try bench.person()
    let (status, json) = try await bench.run(
      bench.login("RegisterWebAuthn", ["--answer", "hidden:webAuthnOutcome=unsupported"]))
    #expect(status == 1 && json["ceremonies"] == [])
  }

  /// Suggestions wait in a field, without a limit. Here there is none, and who runs `login` has decided to sign in.
  @Test func aRequestForSuggestionsIsAnsweredAtOnce() async throws {
    let data: JSONValue = [
      "_action": "webauthn_authentication", "_type": "WebAuthn", "challenge": "AAECAwQFBgcICQoLDA0ODw==",
      "timeout": "60000", "userVerification": "preferred", "_allowCredentials": [], "_relyingPartyId": "localhost",
      "mediation": "conditional",
    ]
    let server = try await PythonServer.answering(
      Canned.node(
        Canned.callback("MetadataCallback", 1, outputs: [("data", data)]), Canned.hidden("webAuthnOutcome", 2)),
      Canned.loginFailure)
    try bench.person()
    let result = try await Tool.run(
      ["login", "--server", server.url, "--origin", "http://localhost", "--json"] + bench.deviceOptions,
      within: .seconds(60))
    #expect(try result.json()["ceremonies"]?[0]?["result"] == "keyNotFound")
  }

  @Test func credentialsOfAJourneyServeOutsideItToo() async throws {
    _ = try await register()
    try bench.folder.write("request.json", #"{"challenge": "AAECAwQFBgcICQoLDA0ODw", "rpId": "localhost"}"#)
    let words = ["webauthn", "authenticate", "--options", bench.folder.file("request.json"), "--origin", origin]
    try bench.person(Bench.touch)
    let found = try await bench.run(words + bench.deviceOptions + ["--server", bench.url, "--json"])
    #expect(found.0 == 0 && found.1["type"] == "public-key", "\(found.1.serializedString())")
    try bench.person(Bench.touch)
    let own = try await bench.run(words + bench.deviceOptions + ["--json"])
    #expect(own.0 == 1 && own.1["error"] == "NotAllowedError")
  }

  @Test func keysCheckAsksTheServerForCredentialsToo() async throws {
    _ = try await register()
    _ = try await register(as: "noa")
    try bench.person()
    let (status, json) = try await bench.run(
      ["keys", "check", "--json", "--server", bench.url, "--answer", "NameCallback=mira"]
        + ["--answer", "PasswordCallback=correct horse"] + bench.deviceOptions)
    #expect(status == 0, "\(json.serializedString())")
    #expect(json.arrayValue?.map { [$0["username"], $0["server"]] } == [["mira", "listed"], ["noa", .null]])
  }

  /// With everything logged that can be.
  @Test func nothingSecretIsPrinted() async throws {
    let proxy = try await PythonServer.proxy(to: bench.port)
    var printed = ""
    for (journey, answers) in [
      ("RegisterWebAuthn", ["NameCallback=mira", "PasswordCallback=correct horse"]), ("LoginUsernameless", []),
    ] {
      try bench.person(Bench.pin("31415926"))
      let result = try await Tool.run(
        ["login", "--server", proxy.url, "--journey", journey, "--origin", origin, "--verbose"]
          + ["--authenticator", "pin"] + answers.flatMap { ["--answer", $0] } + bench.deviceOptions,
        environment: ["AUTHENTICATOR_LOG": "trace"])
      #expect(result.status == 0, "\(result.stderr)")
      printed += result.stdout + result.stderr
    }
    #expect(printed.contains("WebAuthnRegistrationCallback: signed"))
    var secrets: Set<String> = ["31415926", "correct horse"]
    for request in proxy.requests {
      for body in [request["request"], request["answer"]] {
        guard let text = body?.stringValue, let json = try? JSONValue.parse(text) else { continue }
        for name in ["authId", "tokenId"] { secrets.formUnion(json[name]?.stringValue.map { [$0] } ?? []) }
        for entry in (json["callbacks"]?.arrayValue ?? []).flatMap({
          ($0["output"]?.arrayValue ?? []) + ($0["input"]?.arrayValue ?? [])
        }) {
          if let challenge = entry["value"]?["challenge"]?.stringValue { secrets.insert(challenge) }
          if let outcome = entry["value"]?.stringValue, outcome.contains("webauthn.") { secrets.insert(outcome) }
        }
      }
    }
    #expect(secrets.count > 6, "challenges, outcomes and tokens went over the wire")
    for secret in secrets { #expect(!printed.contains(secret)) }
  }

  @Test func pinsHoldCredentialsInJourneysToo() async throws {
    try bench.person(Bench.pin("271828"))
    let (status, _) = try await bench.run(bench.login("RegisterWebAuthn", ["--authenticator", "pin"]))
    #expect(status == 0)
    let (signedIn, json) = try await login(
      "LoginUsernameless", [Bench.pin("271828")], ["--authenticator", "pin"])
    #expect(signedIn == 0, "\(json.serializedString())")
    #expect(json["prompts"]?.arrayValue?.map { $0["kind"] } == ["pin"])
  }
}
