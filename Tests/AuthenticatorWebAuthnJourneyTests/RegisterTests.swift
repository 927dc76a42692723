import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

@Suite struct RegisterTests {
  // MARK: Success

  @Test func answersInTheJSONForm() async throws {
    let kit = try WebAuthnKit(.match())
    let (node, callback) = try await kit.registrationPage()
    let response = try await callback.register(kit.configuration, node: node)
    #expect(node.webAuthnOutcome == callback.outcome)
    try await kit.accept(node)
    #expect(ServerSide.unwrapped(try #require(kit.sentOutcome)).attachment == "platform")
    let (credential, deviceName) = try ServerSide().register(kit.sentOutcome)
    #expect(credential.id == response.id.bytes)
    #expect(credential.signCount == 0)
    #expect(deviceName == "Test device")
    #expect(kit.promptKinds == [.biometric])
    #expect(try await kit.records().map(\.state) == [.active])
  }

  @Test func answersOlderServersInTheLegacyForm() async throws {
    let kit = try WebAuthnKit(.match())
    let data = ServerData.oldRegistration()
    let node = try await kit.page(WebAuthnKit.metadata(data), WebAuthnKit.hidden)
    try await node.callback(WebAuthnRegistrationCallback.self)?.register(kit.configuration, node: node)
    try await kit.accept(node)
    #expect(kit.sentOutcome?.hasPrefix(#"{"type":"webauthn.create","challenge":""#) == true)
    #expect(ServerSide.unwrapped(try #require(kit.sentOutcome)).attachment == nil)
    _ = try ServerSide().register(kit.sentOutcome)
  }

  @Test func passesOverAlgorithmsItDoesNotKnow() async throws {
    let kit = try WebAuthnKit(.match())
    let (node, callback) = try await kit.registrationPage {
      $0["_pubKeyCredParams"] = [["type": "public-key", "alg": -65535], ["type": "public-key", "alg": -7]]
    }
    try await callback.register(kit.configuration, node: node)
    #expect(try ServerSide().register(callback.outcome?.rawValue).credential.publicKey.algorithm == -7)
  }

  @Test func namesTheDeviceAsToldFirst() async throws {
    var kit = try WebAuthnKit(.match(), .match(), .match())
    kit.configuration.deviceName = "Kiosk 7"
    for (given, expected) in [(nil, "Kiosk 7"), ("Mira::laptop", "Mira:laptop"), ("", nil)] as [(String?, String?)] {
      let (node, callback) = try await kit.registrationPage()
      try await callback.register(kit.configuration, node: node, deviceName: given)
      #expect(try ServerSide().register(node.webAuthnOutcome?.rawValue).deviceName == expected)
      node.close()
    }
  }

  @Test func usesTheRelyingPartyOfTheOriginByDefault() async throws {
    let kit = try WebAuthnKit(.match())
    let (_, callback) = try await kit.registrationPage { $0["_relyingPartyId"] = "" }
    try await callback.register(kit.configuration)
    _ = try ServerSide().register(callback.outcome?.rawValue)
  }

  @Test func writesAnAppsOwnOrigin() async throws {
    var kit = try WebAuthnKit(.match())
    kit.configuration.origin = "linux:app:com.example.kiosk"
    kit.configuration.client.nativeOrigins = ["linux:app:com.example.kiosk": [WebAuthnKit.party]]
    kit.configuration.clientDataMembers = ["androidPackageName": "com.example"]
    let (_, callback) = try await kit.registrationPage()
    let response = try await callback.register(kit.configuration)
    _ = try ServerSide(origin: "linux:app:com.example.kiosk").register(callback.outcome?.rawValue)
    #expect(try JSONValue.parse(response.clientDataJSON)["androidPackageName"] == "com.example")
  }

  @Test func attestsWhenTheServerAsks() async throws {
    let kit = try WebAuthnKit(.match())
    let (_, callback) = try await kit.registrationPage { $0["attestationPreference"] = "direct" }
    try await callback.register(kit.configuration)
    #expect(try ServerSide().register(callback.outcome?.rawValue).credential.attestation.format == "packed")
  }

  // MARK: The node

  @Test func withoutANodeTheAppWritesTheOutcome() async throws {
    let kit = try WebAuthnKit(.match())
    let (node, callback) = try await kit.registrationPage()
    try await callback.register(kit.configuration)
    #expect(node.webAuthnOutcome == nil)
    node.webAuthnOutcome = callback.outcome
    try await kit.accept(node)
    _ = try ServerSide().register(kit.sentOutcome)
  }

  @Test func withoutANodeTheAppWritesTheError() async throws {
    let kit = try WebAuthnKit(.cancel)
    let (node, callback) = try await kit.registrationPage()
    #expect(await thrown { try await callback.register(kit.configuration) }?.code == .userCanceled)
    #expect(node.webAuthnOutcome == nil)
    node.webAuthnOutcome = callback.outcome
    try await kit.refuse(node)
    #expect(kit.sentOutcome?.hasPrefix("ERROR::NotAllowedError:") == true)
  }

  @Test func anAppMayWriteAnOutcomeOfItsOwn() async throws {
    let kit = try WebAuthnKit()
    let (node, _) = try await kit.registrationPage()
    node.webAuthnOutcome = .unsupported
    try await kit.refuse(node)
    #expect(kit.sentOutcome == "unsupported")
  }

  @Test func refusesANodeWithoutTheHiddenField() async throws {
    let kit = try WebAuthnKit(.match())
    let node = try await kit.page(WebAuthnKit.metadata(ServerData.registration()))
    let callback = try #require(node.callback(WebAuthnRegistrationCallback.self))
    #expect(await thrown { try await callback.register(kit.configuration, node: node) }?.code == .invalidMessage)
    #expect(callback.outcome?.rawValue.hasPrefix("ERROR::DataError:") == true)
    #expect(kit.promptKinds.isEmpty)
  }

  @Test func refusesAnotherNode() async throws {
    let kit = try WebAuthnKit(.match())
    let (first, callback) = try await kit.registrationPage()
    first.close()
    let (other, _) = try await kit.registrationPage()
    #expect(await thrown { try await callback.register(kit.configuration, node: other) }?.code == .invalidMessage)
    #expect(kit.promptKinds.isEmpty)
  }

  // MARK: Once

  @Test func registersOnce() async throws {
    let kit = try WebAuthnKit(.match(), .match())
    let (node, callback) = try await kit.registrationPage()
    try await callback.register(kit.configuration, node: node)
    let outcome = node.webAuthnOutcome
    #expect(await thrown { try await callback.register(kit.configuration, node: node) }?.code == .invalidRequest)
    #expect(node.webAuthnOutcome == outcome)
    #expect(kit.promptKinds.count == 1)
  }

  @Test func mayBeTriedAgainAfterAFailure() async throws {
    let kit = try WebAuthnKit(.cancel, .match())
    let (node, callback) = try await kit.registrationPage()
    #expect(await thrown { try await callback.register(kit.configuration, node: node) }?.code == .userCanceled)
    try await callback.register(kit.configuration, node: node)
    try await kit.accept(node)
    _ = try ServerSide().register(kit.sentOutcome)
  }

  @Test @MainActor func refusesASecondCeremonyAtTheSameTime() async throws {
    let kit = try WebAuthnKit(.noAnswer)
    let (node, callback) = try await kit.registrationPage()
    let first = Task { await thrown { try await callback.register(kit.configuration, node: node) }?.code }
    await kit.clock.waitForSleepers(1)
    #expect(await thrown { try await callback.register(kit.configuration, node: node) }?.code == .busy)
    kit.clock.advance(by: .seconds(60))
    #expect(await first.value == .timedOut)
  }

  @Test func answersAChallengeOnce() async throws {
    let kit = try WebAuthnKit(.match(), .match())
    let (node, callback) = try await kit.registrationPage()
    try await callback.register(kit.configuration, node: node)
    kit.transport.add(
      json: WebAuthnKit.step([WebAuthnKit.metadata(ServerData.registration()), WebAuthnKit.hidden]))
    let next = try #require(try await node.next().continueNode)
    let again = try #require(next.callback(WebAuthnRegistrationCallback.self))
    #expect(await thrown { try await again.register(kit.configuration, node: next) }?.code == .invalidMessage)
    #expect(next.webAuthnOutcome?.rawValue.hasPrefix("ERROR::DataError:") == true)
    #expect(kit.promptKinds.count == 1)
  }

  // MARK: Configuration

  @Test func needsAConfiguration() async throws {
    let kit = try WebAuthnKit(.match())
    let (node, callback) = try await kit.registrationPage()
    #expect(await thrown { try await callback.register(node: node) }?.code == .invalidRequest)
    #expect(node.webAuthnOutcome?.rawValue.hasPrefix("ERROR::DataError:") == true)
  }

  @Test func refusesAConfigurationOfAnotherServer() async throws {
    var kit = try WebAuthnKit(.match())
    kit.configuration.context.instance = "https://other.example.com/am"
    let (node, callback) = try await kit.registrationPage()
    #expect(await thrown { try await callback.register(kit.configuration, node: node) }?.code == .invalidRequest)
    #expect(kit.promptKinds.isEmpty)
  }

  @Test func refusesAnOriginThatWouldShiftTheParts() async throws {
    var kit = try WebAuthnKit(.match())
    kit.configuration.origin = "https://[::1]"
    let (node, callback) = try await kit.registrationPage()
    #expect(await thrown { try await callback.register(kit.configuration, node: node) }?.code == .invalidRequest)
    #expect(try await kit.records().isEmpty)
  }

  @Test func takesBackACredentialWhoseOutcomeCannotBeWritten() async throws {
    var kit = try WebAuthnKit(.match())
    kit.configuration.clientDataMembers = ["note": "a::b"]
    let (node, callback) = try await kit.registrationPage()
    #expect(await thrown { try await callback.register(kit.configuration, node: node) }?.code == .invalidRequest)
    #expect(try await kit.records().isEmpty)
  }

  @Test func tellsWhyEvenWhenTheCredentialCannotBeTakenBack() async throws {
    var kit = try WebAuthnKit(.match())
    kit.configuration.clientDataMembers = ["note": "a::b"]
    kit.device.store.fail(.delete)
    let (node, callback) = try await kit.registrationPage()
    #expect(await thrown { try await callback.register(kit.configuration, node: node) }?.code == .invalidRequest)
    #expect(node.webAuthnOutcome?.rawValue.hasPrefix("ERROR::DataError:") == true)
  }
}
