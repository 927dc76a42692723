import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

/// What is no call, and what the server cannot answer: a client can be told of it as well.
extension UAFTransportTests {
  private func post(
    _ kit: UAFKit, _ path: String, _ body: [UInt8], type: String = "application/fido+uaf", session: String? = nil
  ) async throws -> Answer {
    try await kit.harness.send("POST", path, session: session, fields: [HTTPField("Content-Type", type)], body: body)
  }

  @Test func whatIsNoCallHasAStatusCodeToo() async throws {
    let kit = try await UAFKit()
    for path in ["/uaf/request", "/uaf/response"] {
      for body in ["", "{", "[]", "1"] {
        let answer = try await post(kit, path, Array(body.utf8))
        #expect(answer.status == 400 && answer.body["statusCode"] == 1400 && answer.body["code"] == 400)
      }
      let typed = try await post(kit, path, Array("{}".utf8), type: "text/plain")
      #expect(typed.status == 415 && typed.body["statusCode"] == 1400)
      let got = try await kit.harness.send("GET", path)
      #expect(got.status == 405 && got.body["statusCode"] == 1400)
    }
  }

  /// Too many challenges are remembered: whatever the response says, nothing was decided about it.
  @Test func aFaultIsNoRefusal() async throws {
    var kit = try await UAFKit(registry: InMemoryRegistry(limits: RegistryLimits(sessions: 1)))
    let session = try await kit.harness.session(of: "mira")
    for expected in [1200, 1500] as [JSONValue] {
      let asked = try await post(kit, "/uaf/request", JSONValue.object(["op": "Reg"]).serialized(), session: session)
      let request = try JSONValue.parse(try #require(asked.body["uafRequest"]?.stringValue))
      kit.device.keyID[0] += 1
      let made = try kit.client.register(kit.device, request)
      let answer = try await post(
        kit, "/uaf/response", JSONValue.object(["uafResponse": .string(made)]).serialized(), session: session)
      #expect(answer.body["statusCode"] == expected && answer.status == (expected == 1200 ? 200 : 503))
    }
    #expect(try await kit.keys().count == 1)
  }

  @Test(arguments: [
    #"{"op": "Auth", "previousRequest": 5}"#, #"{"op": "Auth", "previousRequest": null}"#,
    #"{"op": "Dereg", "context": "{\"authenticators\": [{\"aaid\": \"FFFF#F001\", \"keyID\": \"KEY\", \"foo\": 1}]}"}"#,
    #"{"op": "Dereg", "context": "{\"authenticators\": [1]}"}"#,
  ])
  func aMemberThatIsMeantOtherwiseIsRefused(_ body: String) async throws {
    let kit = try await UAFKit()
    _ = try await kit.register()
    let session = try await kit.harness.session(of: "mira")
    let keyID = try #require(try await kit.keys().first).registration.keyIDText
    let text = body.replacing("KEY", with: keyID)
    #expect(try await post(kit, "/uaf/request", Array(text.utf8), session: session).body == ["statusCode": 1400])
    #expect(try await kit.keys().count == 1)
  }
}
