import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorRelyingParty
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

@Suite struct AuthenticateTests {
  /// Registers and returns what the server keeps.
  func registered(
    _ kit: WebAuthnKit, user: String = "mira", discoverable: Bool = true
  ) async throws -> WebAuthnCredentialRecord {
    try await kit.register(.match(), user: user, discoverable: discoverable)
    return try ServerSide().register(kit.sentOutcome).credential
  }

  // MARK: Success

  @Test func answersInTheJSONForm() async throws {
    let kit = try WebAuthnKit()
    let credential = try await registered(kit, discoverable: false)
    kit.verifier.script([.match()])
    let (node, callback) = try await kit.authenticationPage {
      $0["_allowCredentials"] = ServerData.allowed(credential.id)
    }
    let response = try await callback.authenticate(kit.configuration, node: node)
    #expect(response.id.bytes == credential.id)
    #expect(node.webAuthnOutcome == callback.outcome)
    try await kit.accept(node)
    #expect(ServerSide.unwrapped(try #require(kit.sentOutcome)).attachment == "platform")
    #expect(try ServerSide().authenticate(kit.sentOutcome, with: credential) == nil)
  }

  @Test func answersOlderServersInTheLegacyForm() async throws {
    let kit = try WebAuthnKit()
    let credential = try await registered(kit)
    kit.verifier.script([.match()])
    let data = ServerData.oldAuthentication {
      $0["allowCredentials"] = .string(
        #"allowCredentials: [{ "type": "public-key", "id": new Int8Array([\#(ServerData.numbers(credential.id))]).buffer }]"#
      )
    }
    let node = try await kit.page(WebAuthnKit.metadata(data), WebAuthnKit.hidden)
    try await node.callback(WebAuthnAuthenticationCallback.self)?.authenticate(kit.configuration, node: node)
    try await kit.accept(node)
    #expect(kit.sentOutcome?.hasPrefix(#"{"type":"webauthn.get","challenge":""#) == true)
    #expect(try ServerSide().authenticate(kit.sentOutcome, with: credential) == "mira")
  }

  @Test func answersScripts() async throws {
    let kit = try WebAuthnKit()
    let credential = try await registered(kit)
    kit.verifier.script([.match()])
    let source = ServerData.authenticationScript.replacing(
      "1, 97, 2, 123, -73, -17, -1, -128", with: ServerData.numbers(credential.id))
    let node = try await kit.page(WebAuthnKit.script(source), WebAuthnKit.hidden)
    try await node.callback(WebAuthnAuthenticationCallback.self)?.authenticate(kit.configuration, node: node)
    try await kit.accept(node)
    #expect(try ServerSide().authenticate(kit.sentOutcome, with: credential) == "mira")
  }

  @Test func tellsTheServerWhoSignsIn() async throws {
    let kit = try WebAuthnKit()
    let credential = try await registered(kit)
    kit.verifier.script([.match()])
    let (node, callback) = try await kit.authenticationPage()
    #expect(callback.isUsernameless)
    try await callback.authenticate(kit.configuration, node: node)
    try await kit.accept(node)
    #expect(try ServerSide().authenticate(kit.sentOutcome, with: credential) == "mira")
  }

  @Test func doesNotVerifyWhenTheServerDiscouragesIt() async throws {
    let kit = try WebAuthnKit(type: .none)
    kit.verifier.script([.approve])
    let (node, registration) = try await kit.registrationPage { $0["_authenticatorSelection"] = [:] }
    try await registration.register(kit.configuration, node: node)
    let server = ServerSide(requiresUserVerification: false)
    let credential = try server.register(node.webAuthnOutcome?.rawValue).credential
    try await kit.accept(node)
    kit.verifier.script([.approve])
    let (next, callback) = try await kit.authenticationPage {
      $0["userVerification"] = "discouraged"
      $0["_allowCredentials"] = ServerData.allowed(credential.id)
    }
    try await callback.authenticate(kit.configuration, node: next)
    #expect(try server.authenticate(next.webAuthnOutcome?.rawValue, with: credential) == nil)
    #expect(kit.promptKinds == [.presence, .presence])
  }

  // MARK: The node

  @Test func withoutANodeTheAppWritesTheOutcome() async throws {
    let kit = try WebAuthnKit()
    let credential = try await registered(kit)
    kit.verifier.script([.match()])
    let (node, callback) = try await kit.authenticationPage()
    try await callback.authenticate(kit.configuration)
    #expect(node.webAuthnOutcome == nil)
    node.hiddenValue(id: "webAuthnOutcome")?.value = callback.outcome?.rawValue
    try await kit.accept(node)
    #expect(try ServerSide().authenticate(kit.sentOutcome, with: credential) == "mira")
  }

  @Test func withoutANodeTheAppWritesTheError() async throws {
    let kit = try WebAuthnKit()
    try await kit.register(.match())
    kit.verifier.script([.cancel])
    let (node, callback) = try await kit.authenticationPage()
    #expect(await thrown { try await callback.authenticate(kit.configuration) }?.code == .userCanceled)
    #expect(node.webAuthnOutcome == nil)
    node.webAuthnOutcome = callback.outcome
    try await kit.refuse(node)
    #expect(kit.sentOutcome?.hasPrefix("ERROR::NotAllowedError:") == true)
  }

  @Test func refusesANodeWithoutTheHiddenField() async throws {
    let kit = try WebAuthnKit(.match())
    let node = try await kit.page(WebAuthnKit.metadata(ServerData.authentication()))
    let callback = try #require(node.callback(WebAuthnAuthenticationCallback.self))
    #expect(await thrown { try await callback.authenticate(kit.configuration, node: node) }?.code == .invalidMessage)
    #expect(callback.outcome?.rawValue.hasPrefix("ERROR::DataError:") == true)
    #expect(kit.promptKinds.isEmpty)
  }

  @Test func signsOnce() async throws {
    let kit = try WebAuthnKit()
    try await kit.register(.match())
    kit.verifier.script([.match(), .match()])
    let (node, callback) = try await kit.authenticationPage()
    try await callback.authenticate(kit.configuration, node: node)
    let outcome = node.webAuthnOutcome
    #expect(await thrown { try await callback.authenticate(kit.configuration, node: node) }?.code == .invalidRequest)
    #expect(node.webAuthnOutcome == outcome)
  }

  // MARK: A recovery code beside it

  private func recoveryPage(_ kit: WebAuthnKit) async throws -> ContinueNode {
    try await kit.page(WebAuthnKit.metadata(ServerData.authentication()), WebAuthnKit.hidden, WebAuthnKit.recoveryCode)
  }

  private func pressed(_ kit: WebAuthnKit) -> JSONValue? {
    kit.transport.requests.last?.json?["callbacks"]?[2]?["input"]?[0]?["value"]
  }

  @Test func theRecoveryCodesButtonCanBePressed() async throws {
    let kit = try WebAuthnKit()
    let node = try await recoveryPage(kit)
    try node.callback(ConfirmationCallback.self)?.select("Use Recovery Code")
    try await kit.accept(node)
    #expect(pressed(kit) == 0)
  }

  @Test func theRecoveryCodesButtonStaysUnpressed() async throws {
    let kit = try WebAuthnKit()
    try await kit.register(.match())
    kit.verifier.script([.match()])
    let node = try await recoveryPage(kit)
    try await node.callback(WebAuthnAuthenticationCallback.self)?.authenticate(kit.configuration, node: node)
    try await kit.accept(node)
    #expect(pressed(kit) == 100)
  }

  @Test func theRecoveryCodesButtonCanBePressedAfterAFailure() async throws {
    let kit = try WebAuthnKit()
    try await kit.register(.match())
    kit.verifier.script([.cancel])
    let node = try await recoveryPage(kit)
    let callback = try #require(node.callback(WebAuthnAuthenticationCallback.self))
    #expect(await thrown { try await callback.authenticate(kit.configuration, node: node) }?.code == .userCanceled)
    try node.callback(ConfirmationCallback.self)?.select(0)
    try await kit.accept(node)
    #expect(pressed(kit) == 0)
  }

  // MARK: Deletion

  @Test func afterLocalDeletionSigningInFailsAndRegisteringAgainWorks() async throws {
    let kit = try WebAuthnKit()
    let listed = try await registered(kit)
    let authenticator = try await kit.configuration.platformAuthenticator()
    try await authenticator.deleteCredential(try #require(CredentialID(listed.id)), of: WebAuthnKit.party)

    // The server still lists the device, and names it.
    kit.verifier.script([.approve])
    let (node, callback) = try await kit.authenticationPage { $0["_allowCredentials"] = ServerData.allowed(listed.id) }
    #expect(await thrown { try await callback.authenticate(kit.configuration, node: node) }?.code == .keyNotFound)
    try await kit.refuse(node)
    #expect(kit.sentOutcome?.hasPrefix("ERROR::NotAllowedError:") == true)

    let again = try await registered(kit)
    kit.verifier.script([.match()])
    let (next, second) = try await kit.authenticationPage {
      $0["_allowCredentials"] = .array(
        [listed, again].map { ["type": "public-key", "id": ServerData.signed($0.id)] })
    }
    try await second.authenticate(kit.configuration, node: next)
    try await kit.accept(next)
    #expect(try ServerSide().authenticate(kit.sentOutcome, with: again) == "mira")
  }
}
