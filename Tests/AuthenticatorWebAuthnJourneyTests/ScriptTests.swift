import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

@Suite struct ScriptTests {
  private func options(_ source: String) throws -> PublicKeyCredentialRequestOptions {
    try read(WebAuthnAuthenticationCallback.self, WebAuthnKit.script(source)).options
  }

  private func script(_ members: String) -> String {
    "/* webAuthnOutcome */ var options = { challenge: new Int8Array([1, -1]).buffer, \(members) };"
  }

  @Test func toleratesMissingCommas() throws {
    let options = try options(script("timeout: 5000 rpId: 'a.example'\n userVerification: \"required\""))
    #expect(options.timeout == 5000)
    #expect(options.relyingPartyID == "a.example")
    #expect(options.userVerification == .required)
  }

  @Test func readsEscapes() throws {
    #expect(try options(script(#"rpId: "\x61\u0062\uD83D\uDE00\"\\\/\'""#)).relyingPartyID == #"ab😀"\/'"#)
  }

  @Test func aHalfOfAPairBecomesTheReplacementCharacter() throws {
    #expect(try options(script(#"rpId: "\uD83D\u0041""#)).relyingPartyID == "\u{FFFD}A")
  }

  @Test func passesOverCommentsAndStrings() throws {
    let source = script(
      """
      // rpId: "commented.example",
      /* rpId: "commented.example", */
      hint: "rpId: 'quoted.example'",
      rpId: "real.example"
      """)
    #expect(try options(source).relyingPartyID == "real.example")
  }

  @Test func takesTheFirstLiteral() throws {
    #expect(try options(script("rpId: compute(), rpId: 'a.example', rpId: 'b.example'")).relyingPartyID == "a.example")
  }

  @Test func followsANameOnce() throws {
    let list = #"list = [{ "type": "public-key", "id": new Uint8Array([7]).buffer }]"#
    #expect(try options(script("allowCredentials: list }; var \(list)")).allowCredentials.map(\.id.bytes) == [[7]])
    #expect(try options(script("allowCredentials: a }; var a = b; var b = a")).allowCredentials.isEmpty)
  }

  /// Each of these made the work grow with the square of its length: at this length, for many minutes.
  @Test(arguments: [
    "challenge: x, ", "challenge: [", "challenge: {challenge: [1, ", "challenge: Uint8Array(1 ", "a: b, b: a, ",
    "challenge: Uint8Array([1, 2], (", "\"\\", "'\\", "\\\"\\'", "rpId: a, a: x, challenge = [1, {",
    "rpId: Uint8Array.from(\"x\" ",
  ])
  func aHostileScriptIsReadInOnePass(_ piece: String) throws {
    let hostile = String(repeating: piece, count: 500_000 / piece.utf8.count)
    #expect(throws: AuthenticatorError.self) { try options("/* webAuthnOutcome challenge */ " + hostile) }
    // What stands before it is read all the same.
    let read = try options(script("rpId: 'a.example'") + "\n" + hostile)
    #expect(read.relyingPartyID == "a.example")
  }

  /// Names that lead to names that lead nowhere, each another one.
  @Test func manyNamesAreLookedUpOnceEach() throws {
    let names = (0..<40_000).map { "challenge: n\($0), n\($0 + 1): x, " }.joined()
    #expect(throws: AuthenticatorError.self) { try options("/* webAuthnOutcome */ " + names) }
  }

  @Test func anUnendedStringDoesNotHideTheNextLine() throws {
    #expect(try options(script("x: /\"\\\"/, y: /'/,\n rpId: 'a.example'")).relyingPartyID == "a.example")
  }

  @Test func readsNoFurtherThan16Levels() throws {
    let nested = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    #expect(try options(script("allowCredentials: \(nested)")).allowCredentials.isEmpty)
  }

  @Test(arguments: [
    "webAuthnOutcome challenge", "webAuthnOutcome challenge:", "webAuthnOutcome challenge: new",
    "webAuthnOutcome challenge: new Int8Array", "webAuthnOutcome challenge: new Int8Array(",
    "webAuthnOutcome challenge: new Int8Array([1", "webAuthnOutcome challenge: new Int8Array([1]",
    "webAuthnOutcome challenge: new Date([1])", "webAuthnOutcome challenge: {", "webAuthnOutcome challenge: {a:",
    "webAuthnOutcome challenge: \"a", "webAuthnOutcome challenge: 1e999999",
  ])
  func namesAChallengeThatCannotBeRead(_ source: String) {
    let reason = refusal(WebAuthnAuthenticationCallback.self, WebAuthnKit.script(source))
    #expect(reason?.hasSuffix("challenge in WebAuthnAuthenticationCallback") == true)
  }

  @Test func namesWhatARegistrationLacks() {
    let cases = [
      ("rp: {", "party: {", "Missing rp"), ("user: {", "person: {", "Missing user"),
      ("id: Uint8Array", "handle: Uint8Array", "Missing id"), ("name: \"mira\"", "nick: \"mira\"", "Missing name"),
      ("pubKeyCredParams: [", "pubKeyCredParams: (", "Missing pubKeyCredParams"),
      ("timeout: 60000", "timeout: 'soon'", "Malformed timeout"),
    ]
    for (old, new, reason) in cases {
      let source = ServerData.registrationScript.replacing(old, with: new)
      #expect(
        refusal(WebAuthnRegistrationCallback.self, WebAuthnKit.script(source))
          == "\(reason) in WebAuthnRegistrationCallback")
    }
  }

  // MARK: Hostile texts: a typed error or options, never a trap

  private func tryToRead(_ source: String) {
    for type in [WebAuthnRegistrationCallback.self, WebAuthnAuthenticationCallback.self] as [WebAuthnCallback.Type] {
      do {
        _ = try read(type, WebAuthnKit.script(source))
      } catch {
        #expect((error as? AuthenticatorError)?.code == .invalidMessage)
      }
    }
  }

  @Test(arguments: [ServerData.registrationScript, ServerData.authenticationScript])
  func survivesEveryTruncation(_ source: String) {
    let bytes = Array(source.utf8)
    for count in 0..<bytes.count { tryToRead(String(decoding: bytes[..<count], as: UTF8.self)) }
  }

  @Test(arguments: [ServerData.registrationScript, ServerData.authenticationScript])
  func survivesFlippedBits(_ source: String) {
    var bytes = Array(source.utf8)
    for index in bytes.indices {
      let bit: UInt8 = 1 << UInt8(index % 8)
      bytes[index] ^= bit
      tryToRead(String(decoding: bytes, as: UTF8.self))
      bytes[index] ^= bit
    }
  }

  @Test(arguments: ["excludeCredentials", "pubKeyCredParams", "authenticatorSelection", "relyingPartyId"])
  func survivesTruncatedPieces(_ name: String) {
    let text = ServerData.oldRegistration()[name]?.stringValue ?? ""
    for count in 0..<text.utf8.count {
      let piece = String(decoding: Array(text.utf8)[..<count], as: UTF8.self)
      do {
        _ = try read(
          WebAuthnRegistrationCallback.self,
          WebAuthnKit.metadata(ServerData.oldRegistration { $0[name] = .string(piece) }))
      } catch {
        #expect((error as? AuthenticatorError)?.code == .invalidMessage)
      }
    }
  }
}
