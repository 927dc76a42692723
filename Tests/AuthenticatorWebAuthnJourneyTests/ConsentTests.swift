import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

@Suite struct ConsentTests {
  @Test func asksTheDelegateBeforeThePrompt() async throws {
    let kit = try WebAuthnKit(.match())
    let (node, callback) = try await kit.registrationPage()
    let delegate = ConsentDelegate(.allow)
    callback.delegate = delegate
    try await callback.register(kit.configuration, node: node)
    let name = "Mira M. \(CredentialNames.localTime(kit.clock.now))"
    #expect(delegate.questions == [[name, "Example", WebAuthnKit.party, "mira", "Mira M."]])
    #expect(kit.promptKinds == [.biometric])
  }

  /// What the person agreed to is what they will be offered, however long they thought about it.
  @Test func theNameStaysTheSame() async throws {
    let kit = try WebAuthnKit(.match())
    let (node, callback) = try await kit.registrationPage()
    let delegate = ConsentDelegate(.allow) { kit.clock.advance(by: .seconds(5)) }
    callback.delegate = delegate
    let response = try await callback.register(kit.configuration, node: node)
    let credentials = try await kit.records().map { try PublicKeyCredentialSource($0) }
    #expect(credentials.map(\.id) == [response.id])
    #expect(delegate.questions.first?.first == CredentialNames(credentials).all.first)
  }

  @Test func aRejectionEndsItBeforeThePrompt() async throws {
    let kit = try WebAuthnKit(.match())
    let (node, callback) = try await kit.registrationPage()
    callback.delegate = ConsentDelegate(.reject)
    #expect(await thrown { try await callback.register(kit.configuration, node: node) }?.code == .userCanceled)
    #expect(node.webAuthnOutcome?.rawValue.hasPrefix("ERROR::NotAllowedError:") == true)
    #expect(kit.promptKinds.isEmpty)
    #expect(try await kit.records().isEmpty)
  }

  @Test(arguments: [WebAuthnUserConsentResult.allow, .reject])
  func asksTheDelegateAboutAnExcludedCredential(_ answer: WebAuthnUserConsentResult) async throws {
    let kit = try WebAuthnKit()
    let id = try await kit.register(.match())
    let (node, callback) = try await kit.registrationPage { $0["_excludeCredentials"] = ServerData.allowed(id.bytes) }
    let delegate = ConsentDelegate(answer)
    callback.delegate = delegate
    let code = await thrown { try await callback.register(kit.configuration, node: node) }?.code
    #expect(code == (answer == .allow ? .credentialExcluded : .userCanceled))
    #expect(delegate.questions == [["excluded"]])
    #expect(kit.promptKinds == [.biometric])
  }

  @Test func withoutADelegateThePromptNamesWhatIsAgreedTo() async throws {
    let kit = try WebAuthnKit(.match())
    let (node, callback) = try await kit.registrationPage()
    try await callback.register(kit.configuration, node: node)
    let content = try #require(kit.verifier.prompts.first?.content)
    #expect(content.contains(WebAuthnKit.party) && content.contains("Mira M. (mira)"))
  }

  @Test func asksTheConfigurationsConsentWithoutADelegate() async throws {
    var kit = try WebAuthnKit(.approve, .match())
    kit.configuration.consent = PromptedInteraction(responder: kit.verifier)
    let (node, callback) = try await kit.registrationPage()
    try await callback.register(kit.configuration, node: node)
    #expect(kit.promptKinds == [.consent, .biometric])
  }

  @Test @MainActor func silenceEndsAtTheTimeLimit() async throws {
    let kit = try WebAuthnKit(.match())
    let (node, callback) = try await kit.registrationPage()
    callback.delegate = ConsentDelegate(nil)
    let task = Task { await thrown { try await callback.register(kit.configuration, node: node) }?.code }
    await kit.clock.waitForSleepers(1)
    kit.clock.advance(by: .seconds(60))
    #expect(await task.value == .timedOut)
    #expect(node.webAuthnOutcome?.rawValue.hasPrefix("ERROR::TimeoutError:") == true)
  }
}
