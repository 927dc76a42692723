import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

@Suite struct SelectionTests {
  /// Two accounts; the second registered a minute later.
  private func twoAccounts() async throws -> (kit: WebAuthnKit, mira: CredentialID, noor: CredentialID) {
    let kit = try WebAuthnKit()
    let mira = try await kit.register(.match())
    kit.clock.advance(by: .seconds(60))
    let noor = try await kit.register(.match(), user: "noor", displayName: "Noor")
    kit.verifier.script([.match()])
    return (kit, mira, noor)
  }

  private func name(_ displayName: String, _ kit: WebAuthnKit, ago: Duration = .zero) -> String {
    "\(displayName) \(CredentialNames.localTime(kit.clock.now.advanced(by: .zero - ago)))"
  }

  private func choose(_ kit: WebAuthnKit, _ delegate: ChoosingDelegate?) async throws -> AuthenticationResponse {
    let (node, callback) = try await kit.authenticationPage()
    callback.delegate = delegate
    return try await callback.authenticate(kit.configuration, node: node)
  }

  @Test func offersDisplayNamesWithTheTimeOfRegistration() async throws {
    let (kit, _, noor) = try await twoAccounts()
    let delegate = ChoosingDelegate { [$0.last] }
    #expect(try await choose(kit, delegate).id == noor)
    #expect(delegate.offered == [[name("Mira M.", kit, ago: .seconds(60)), name("Noor", kit)]])
    let time = try #require(delegate.offered[0][1].split(separator: " ", maxSplits: 1).last)
    #expect(time.map { $0.isNumber ? "0" : $0 } == Array("00000000 00:00:00"))
  }

  @Test func signsInWithTheChosenOne() async throws {
    let (kit, mira, _) = try await twoAccounts()
    let response = try await choose(kit, ChoosingDelegate { [$0.first] })
    #expect(response.id == mira)
    #expect(response.userHandle == Array(ServerData.miraID.utf8))
    #expect(kit.verifier.prompts.last?.content?.contains("Mira M. (mira)") == true)
  }

  @Test func makesEqualNamesUnique() async throws {
    let kit = try WebAuthnKit()
    var ids: [CredentialID] = []
    for user in ["a", "b", "c"] { ids.append(try await kit.register(.match(), user: user, displayName: "Same")) }
    for index in 0..<3 {
      kit.verifier.script([.match()])
      let delegate = ChoosingDelegate { [$0[index]] }
      let response = try await choose(kit, delegate)
      let same = name("Same", kit)
      #expect(delegate.offered == [[same, "\(same) #2", "\(same) #3"]])
      #expect(ids.contains(response.id))
      ids.removeAll { $0 == response.id }
    }
    #expect(ids.isEmpty)
  }

  @Test func doesNotAskWhenThereIsOne() async throws {
    let kit = try WebAuthnKit()
    let id = try await kit.register(.match())
    kit.verifier.script([.match()])
    let delegate = ChoosingDelegate { _ in [nil] }
    #expect(try await choose(kit, delegate).id == id)
    #expect(delegate.offered.isEmpty)
  }

  @Test func asksAmongTheListedOnesOnly() async throws {
    let (kit, mira, noor) = try await twoAccounts()
    try await kit.register(.match(), user: "olga", displayName: "Olga")
    kit.verifier.script([.match()])
    let (node, callback) = try await kit.authenticationPage {
      $0["_allowCredentials"] = .array(
        [mira, noor].map { ["type": "public-key", "id": ServerData.signed($0.bytes)] })
    }
    let delegate = ChoosingDelegate { [$0.last] }
    callback.delegate = delegate
    #expect(try await callback.authenticate(kit.configuration, node: node).id == noor)
    #expect(delegate.offered[0].count == 2)
  }

  // MARK: No choice

  private func refused(
    _ delegate: ChoosingDelegate?, as code: AuthenticatorError.Code, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let (kit, _, _) = try await twoAccounts()
    let (node, callback) = try await kit.authenticationPage()
    callback.delegate = delegate
    let error = await thrown(sourceLocation: sourceLocation) {
      try await callback.authenticate(kit.configuration, node: node)
    }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(
      node.webAuthnOutcome?.rawValue.hasPrefix("ERROR::NotAllowedError:") == true, sourceLocation: sourceLocation)
    #expect(kit.verifier.remainingSteps == 1, sourceLocation: sourceLocation)
  }

  @Test func withoutADelegateItIsNotAllowed() async throws { try await refused(nil, as: .notInteractive) }

  @Test func withNilItIsNotAllowed() async throws {
    try await refused(ChoosingDelegate { _ in [nil] }, as: .userCanceled)
  }

  @Test func withAnUnknownNameItIsNotAllowed() async throws {
    try await refused(ChoosingDelegate { ["\($0[0]) "] }, as: .userCanceled)
  }

  @Test func aDisplayNameAloneIsNoAnswer() async throws {
    try await refused(ChoosingDelegate { _ in ["Noor"] }, as: .userCanceled)
  }

  // MARK: The callback

  @Test func theFirstAnswerCounts() async throws {
    let (kit, mira, _) = try await twoAccounts()
    #expect(try await choose(kit, ChoosingDelegate { [$0.first, $0.last, nil] }).id == mira)
    kit.verifier.script([.match()])
    let (node, callback) = try await kit.authenticationPage()
    callback.delegate = ChoosingDelegate { [nil, $0.first] }
    #expect(await thrown { try await callback.authenticate(kit.configuration, node: node) }?.code == .userCanceled)
  }

  @Test func theAnswerMayComeLaterAndFromElsewhere() async throws {
    let (kit, _, noor) = try await twoAccounts()
    let (node, callback) = try await kit.authenticationPage()
    callback.delegate = LateDelegate()
    #expect(try await callback.authenticate(kit.configuration, node: node).id == noor)
  }

  @Test @MainActor func silenceEndsAtTheTimeLimit() async throws {
    let (kit, _, _) = try await twoAccounts()
    let (node, callback) = try await kit.authenticationPage()
    callback.delegate = ChoosingDelegate { _ in [] }
    let task = Task { await thrown { try await callback.authenticate(kit.configuration, node: node) }?.code }
    await kit.clock.waitForSleepers(1)
    kit.clock.advance(by: .seconds(60))
    #expect(await task.value == .timedOut)
    #expect(node.webAuthnOutcome?.rawValue.hasPrefix("ERROR::TimeoutError:") == true)
    #expect(kit.verifier.remainingSteps == 1)
  }

  @Test @MainActor func anAnswerAfterTheTimeLimitIsDropped() async throws {
    let (kit, _, _) = try await twoAccounts()
    let (node, callback) = try await kit.authenticationPage()
    let keeper = KeepingDelegate()
    callback.delegate = keeper
    let task = Task { await thrown { try await callback.authenticate(kit.configuration, node: node) }?.code }
    await kit.clock.waitForSleepers(2)
    kit.clock.advance(by: .seconds(60))
    #expect(await task.value == .timedOut)
    let outcome = node.webAuthnOutcome
    keeper.callback?(keeper.names.first)
    #expect(node.webAuthnOutcome == outcome)
  }

  @Test func asksTheConfigurationsSelectionWithoutADelegate() async throws {
    var (kit, _, noor) = try await twoAccounts()
    kit.configuration.selection = PromptedInteraction(responder: kit.verifier)
    kit.verifier.script([.choose(name("Noor", kit)), .match()])
    #expect(try await choose(kit, nil).id == noor)
    #expect(kit.promptKinds.suffix(2) == [.choose, .biometric])
  }

  // MARK: Suggestions

  @Test func conditionalMediationSuggestsEvenOne() async throws {
    let kit = try WebAuthnKit()
    let id = try await kit.register(.match())
    kit.verifier.script([.match()])
    let (node, callback) = try await kit.authenticationPage { $0["mediation"] = "conditional" }
    let delegate = ChoosingDelegate { [$0.first] }
    callback.delegate = delegate
    #expect(try await callback.authenticate(kit.configuration, node: node).id == id)
    #expect(delegate.offered.map(\.count) == [1])
  }

  @Test @MainActor func aWithdrawnSuggestionLeavesTheFieldAlone() async throws {
    let kit = try WebAuthnKit()
    try await kit.register(.match())
    let (node, callback) = try await kit.authenticationPage { $0["mediation"] = "conditional" }
    callback.delegate = ChoosingDelegate { _ in [] }
    let task = Task { await thrown { try await callback.authenticate(kit.configuration, node: node) }?.code }
    await kit.clock.waitForSleepers(2)
    kit.clock.advance(by: .seconds(10_000))
    task.cancel()
    #expect(await task.value == .appCanceled)
    #expect(node.webAuthnOutcome == nil)
    #expect(callback.outcome == nil)
  }
}

/// Keeps the callback for later.
private final class KeepingDelegate: PlatformAuthenticatorAuthenticationDelegate {
  private(set) var names: [String] = []
  private(set) var callback: WebAuthnCredentialsSelectionCallback?

  func selectCredential(keyNames: [String], selectionCallback: @escaping WebAuthnCredentialsSelectionCallback) {
    (names, callback) = (keyNames, selectionCallback)
  }
}
