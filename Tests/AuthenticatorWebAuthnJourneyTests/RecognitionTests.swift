import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

@Suite struct RecognitionTests {
  private func make(_ json: JSONValue, configuration: WebAuthnJourneyConfiguration? = nil) throws -> Callback {
    try CallbackRegistry.standard.registeringWebAuthn(configuration).make(
      CallbackPayload(
        try #require(json.objectValue),
        context: CallbackContext(
          journey: JourneyContext(instance: WebAuthnKit.instance, realm: "/alpha", journey: "J"))))
  }

  private func make(data: JSONObject) throws -> Callback { try make(WebAuthnKit.metadata(data)) }

  // MARK: WebAuthn

  @Test func knowsRegistrationByItsAction() throws {
    #expect(try make(data: ServerData.registration()) is WebAuthnRegistrationCallback)
  }

  @Test func knowsAuthenticationByItsAction() throws {
    #expect(try make(data: ServerData.authentication()) is WebAuthnAuthenticationCallback)
  }

  @Test func knowsOldRegistrationByItsParameters() throws {
    #expect(try make(data: ServerData.oldRegistration()) is WebAuthnRegistrationCallback)
  }

  @Test func knowsOldAuthenticationByItsList() throws {
    #expect(try make(data: ServerData.oldAuthentication()) is WebAuthnAuthenticationCallback)
  }

  @Test func knowsTheOldestListByItsName() throws {
    let data = ServerData.oldAuthentication {
      $0["acceptableCredentials"] = #"[{ "type": "public-key", "id": new Int8Array([5]).buffer }]"#
      $0["allowCredentials"] = nil
    }
    #expect(try make(data: data) is WebAuthnAuthenticationCallback)
  }

  @Test func knowsPlainMembersWithoutAnAction() throws {
    #expect(try make(data: ServerData.registration { $0["_action"] = nil }) is WebAuthnRegistrationCallback)
    #expect(try make(data: ServerData.authentication { $0["_action"] = .null }) is WebAuthnAuthenticationCallback)
  }

  @Test func knowsScripts() throws {
    let registration = try make(WebAuthnKit.script(ServerData.registrationScript))
    let authentication = try make(WebAuthnKit.script(ServerData.authenticationScript))
    #expect((registration as? WebAuthnRegistrationCallback)?.isScript == true)
    #expect((authentication as? WebAuthnAuthenticationCallback)?.isScript == true)
  }

  @Test func givesCallbacksTheRegistrysConfiguration() throws {
    let kit = try WebAuthnKit()
    let callback = try make(
      WebAuthnKit.metadata(ServerData.authentication()), configuration: kit.configuration)
    #expect((callback as? WebAuthnCallback)?.configuration?.context.instance == WebAuthnKit.instance)
  }

  // MARK: Anything else

  static let others: [JSONObject] = [
    ["_type": "PingOneProtect", "_action": "protect_initialize", "envId": "e"],
    ["_type": "PingOneProtect", "_action": "webauthn_registration"],
    ["stage": "UsernamePassword"],
    ServerData.registration { $0["_action"] = "create_restore_key" },
    ServerData.authentication { $0["_action"] = "signin_with_restore_key" },
    ServerData.authentication { $0["_action"] = 7 },
    ServerData.oldRegistration { $0["_type"] = nil },
    ServerData.oldRegistration { $0["_type"] = "Other" },
    ["_type": "WebAuthn"],
    [:],
  ]

  @Test(arguments: others)
  func leavesOtherMetadataAlone(_ data: JSONObject) throws {
    let callback = try make(data: data)
    #expect(Swift.type(of: callback) == MetadataCallback.self)
    #expect((callback as? MetadataCallback)?.data == data)
  }

  @Test func leavesMetadataWithoutAnObjectAlone() throws {
    let callback = try make(["type": "MetadataCallback", "output": [["name": "data", "value": "text"]]])
    #expect(Swift.type(of: callback) == MetadataCallback.self)
  }

  @Test(arguments: [ServerData.spinnerScript, "alert('webAuthnOutcome')", "var challenge = 1", ""])
  func leavesOtherScriptsAlone(_ source: String) throws {
    #expect(try make(WebAuthnKit.script(source)) is TextOutputCallback)
  }

  @Test func leavesTextsThatAreNoScriptAlone() throws {
    let callback = try make([
      "type": "TextOutputCallback",
      "output": [
        ["name": "message", "value": "The challenge goes into webAuthnOutcome"], ["name": "messageType", "value": "0"],
      ],
    ])
    #expect((callback as? TextOutputCallback)?.messageType == .information)
  }

  // MARK: The reply

  @Test func sendsMetadataBackUnchanged() async throws {
    let kit = try WebAuthnKit(.match())
    let data = ServerData.registration { $0["newerServersSayThis"] = [1.50, nil, "ü"] }
    let node = try await kit.page(WebAuthnKit.metadata(data), WebAuthnKit.hidden)
    try await node.callback(WebAuthnRegistrationCallback.self)?.register(kit.configuration, node: node)
    try await kit.accept(node)
    let callbacks = try #require(kit.transport.requests.last?.json?["callbacks"]?.arrayValue)
    #expect(callbacks.count == 2)
    #expect(callbacks[0] == WebAuthnKit.metadata(data))
    #expect(callbacks[1]["output"] == WebAuthnKit.hidden["output"])
  }

  @Test func leavesScriptsOutOfTheReply() async throws {
    let kit = try WebAuthnKit(.match())
    let node = try await kit.page(
      WebAuthnKit.script(ServerData.registrationScript), WebAuthnKit.script(ServerData.spinnerScript),
      WebAuthnKit.hidden)
    try await node.callback(WebAuthnRegistrationCallback.self)?.register(kit.configuration, node: node)
    try await kit.accept(node)
    let callbacks = try #require(kit.transport.requests.last?.json?["callbacks"]?.arrayValue)
    #expect(callbacks.map { $0["type"] } == ["HiddenValueCallback"])
    #expect(try ServerSide().register(kit.sentOutcome).deviceName == "Test device")
  }

  @Test func malformedStepEndsTheStartTyped() async throws {
    let kit = try WebAuthnKit()
    let error = await thrown { try await kit.registrationPage { $0["challenge"] = nil } }
    #expect(error?.code == .invalidMessage)
    #expect(error?.reason == "Missing challenge in WebAuthnRegistrationCallback")
  }
}
