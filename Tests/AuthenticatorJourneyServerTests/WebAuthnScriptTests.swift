import AuthenticatorCoding
import AuthenticatorJourneyServer
import Foundation
import Testing

/// The form for browsers.
@Suite struct WebAuthnScriptTests {
  private func script(_ page: Answer) throws -> String { try #require(page.output(0, "message")?.stringValue) }

  /// The first match's first group, as readers of this form search.
  private func found(_ pattern: String, in text: String) throws -> String? {
    try text.firstMatch(of: Regex(pattern))?.output[1].substring.map(String.init)
  }

  /// The challenge that stands in a script.
  private func challenge(_ script: String) throws -> [UInt8] {
    let numbers = try #require(try found(#"challenge: new Int8Array\(\[([-0-9,]+)\]\)\.buffer"#, in: script))
    return numbers.split(separator: ",").compactMap { Int8($0) }.map(UInt8.init(bitPattern:))
  }

  @Test func registersThroughTheScript() async throws {
    let node = WebAuthnRegistrationNode {
      $0.asScript = true
      $0.relyingPartyName = "Ex\"</script>\u{2028}"
      $0.residentKey = .required
      $0.excludesCredentials = true
      $0.generatesRecoveryCodes = false
    }
    let harness = try await Harness.webAuthn(journeys: [try WebAuthnTrees.tree(node)])
    for round in 0..<2 {
      let page = try await harness.question("WebAuthn", user: "mira")
      #expect(page.types == ["TextOutputCallback", "TextOutputCallback", "HiddenValueCallback"])
      #expect(page.output(0, "messageType") == "4" && page.output(1, "messageType") == "4")
      let script = try script(page)
      #expect(script.contains("webAuthnOutcome") && script.contains("pubKeyCredParams"))
      #expect(!script.contains("</script") && !script.contains("\u{2028}"))
      #expect(page.output(1, "message")?.stringValue?.contains("webAuthnOutcome") == false)
      #expect(try found(#"rp"{0,}:\s{0,}\{\s*id: "([^"]*)""#, in: script) == "id.example.org")
      #expect(try found(#"timeout"{0,}:\s{0,}(\d+)"#, in: script) == "60000")
      #expect(try found(#"attestation"{0,}:\s{0,}"(\w+)""#, in: script) == "none")
      #expect(try found(#"userVerification"{0,}:\s{0,}"(\w+)""#, in: script) == "preferred")
      #expect(try found(#"requireResidentKey"{0,}:\s{0,}(\w+)"#, in: script) == "true")
      #expect(try found(#"pubKeyCredParams"*:\s*\[([^\]]+\d\s*\})\s*\]"#, in: script)?.contains("-257") == true)
      let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
      #expect(
        try found(#"id"{0,}:\s{0,}Uint8Array\.from\("([^"]+)""#, in: script) == Base64URL.encode(user.id.utf8))
      #expect(script.contains("excludeCredentials") == (round == 1))
      // The scripts are not sent back.
      let passkey = try Passkey()
      let data: JSONObject = ["challenge": .string(Base64.encode(try challenge(script)))]
      let told = Answer(
        status: 200,
        body: ["callbacks": [["type": "MetadataCallback", "output": [["name": "data", "value": .object(data)]]]]],
        response: page.response)
      var step = try #require(try page.answered(try passkey.registration(for: told)).objectValue)
      step["callbacks"] = .array((step["callbacks"]?.arrayValue ?? []).filter { $0["type"] == "HiddenValueCallback" })
      #expect(try await harness.post(.object(step)).outcome == "success")
    }
  }

  @Test func signsInThroughTheScript() async throws {
    let node = WebAuthnAuthenticationNode {
      $0.asScript = true
      $0.allowsRecoveryCode = true
    }
    let trees = try BuiltInJourneys.all() + [WebAuthnTrees.tree(node)]
    let harness = try await Harness.webAuthn(journeys: trees)
    var passkey = try Passkey()
    try await harness.register(&passkey)
    let page = try await harness.question("WebAuthn", user: "mira")
    #expect(
      page.types == ["TextOutputCallback", "TextOutputCallback", "HiddenValueCallback", "ConfirmationCallback"])
    let script = try script(page)
    #expect(!script.contains("pubKeyCredParams"))
    #expect(try found(#"rpId"{0,}:\s{0,}"([^"]*)""#, in: script) == "id.example.org")
    // To the last bracket of the whole text, as the older readers search.
    let list = try #require(try found(#"allowCredentials"{0,}:\s{0,}\[([^;]+)\s{0,}\]"#, in: script))
    #expect(try found(#"new Int8Array\(\[([-0-9,]+)"#, in: list) == Passkey.numbers(passkey.id))
    let data: JSONObject = ["challenge": .string(Base64.encode(try challenge(script)))]
    let told = Answer(
      status: 200,
      body: ["callbacks": [["type": "MetadataCallback", "output": [["name": "data", "value": .object(data)]]]]],
      response: page.response)
    var step = try #require(try page.answered(try passkey.assertion(for: told)).objectValue)
    step["callbacks"] = .array((step["callbacks"]?.arrayValue ?? []).filter { $0["input"] != nil })
    #expect(try await harness.post(.object(step)).outcome == "success")
  }
}
