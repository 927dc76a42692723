import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

/// What becomes of a new credential once its step was sent.
@Suite struct VerdictTests {
  private func registered(
    _ kit: WebAuthnKit, discoverable: Bool = true, challenge: UInt8 = 1
  ) async throws -> (node: ContinueNode, id: CredentialID) {
    kit.verifier.script([.match()])
    let (node, callback) = try await kit.registrationPage {
      ServerData.bend(&$0, user: "mira", displayName: "Mira M.", discoverable: discoverable)
      $0["challenge"] = .string(Base64.encode([UInt8](repeating: challenge, count: 32)))
    }
    return (node, try await callback.register(kit.configuration, node: node).id)
  }

  private func next(_ excluded: CredentialID?, user: String = "mira") -> JSONValue {
    let data = ServerData.registration {
      ServerData.bend(&$0, user: user, displayName: "")
      if let excluded { $0["_excludeCredentials"] = ServerData.allowed(excluded.bytes) }
    }
    return WebAuthnKit.step([WebAuthnKit.metadata(data), WebAuthnKit.hidden])
  }

  @Test func anAcceptedCredentialStays() async throws {
    let kit = try WebAuthnKit()
    let (node, id) = try await registered(kit)
    try await kit.accept(node)
    #expect(try await kit.credentials().map(\.id) == [id])
  }

  @Test(arguments: [true, false])
  func aRefusedCredentialIsGone(_ discoverable: Bool) async throws {
    let kit = try WebAuthnKit()
    let (node, _) = try await registered(kit, discoverable: discoverable)
    try await kit.refuse(node)
    #expect(try await kit.records().isEmpty)
  }

  @Test func aRefusalBringsTheReplacedOneBack() async throws {
    let kit = try WebAuthnKit()
    let old = try await kit.register(.match())
    let (node, id) = try await registered(kit)
    #expect(try await kit.credentials().map(\.id) == [id])
    try await kit.refuse(node)
    #expect(try await kit.credentials().map(\.id) == [old])
    #expect(try await kit.records().map(\.state) == [.active])
  }

  @Test func theSameQuestionAgainIsARefusal() async throws {
    let kit = try WebAuthnKit()
    let old = try await kit.register(.match())
    let (node, _) = try await registered(kit)
    kit.transport.add(json: next(nil))
    _ = try await node.next()
    #expect(try await kit.credentials().map(\.id) == [old])
  }

  @Test func aQuestionForOneMoreIsNoRefusal() async throws {
    let kit = try WebAuthnKit()
    let (node, id) = try await registered(kit)
    kit.transport.add(json: next(id))
    _ = try await node.next()
    #expect(try await kit.credentials().map(\.id) == [id])
  }

  @Test func aQuestionToAnotherUserIsNoRefusal() async throws {
    let kit = try WebAuthnKit()
    let (node, id) = try await registered(kit)
    kit.transport.add(json: next(nil, user: "noor"))
    _ = try await node.next()
    #expect(try await kit.credentials().map(\.id) == [id])
  }

  @Test func whenNobodyCanTellTheCredentialStays() async throws {
    let kit = try WebAuthnKit()
    let (node, id) = try await registered(kit)
    kit.transport.addFailure(mayHaveArrived: true)
    #expect(await thrown { try await node.next() }?.code == .transportFailed)
    #expect(try await kit.credentials().map(\.id) == [id])
  }

  @Test func aServerThatFailedMayHaveStoredIt() async throws {
    let kit = try WebAuthnKit()
    let (node, id) = try await registered(kit)
    kit.transport.add(500, json: ["code": 500])
    _ = try await node.next()
    #expect(try await kit.credentials().map(\.id) == [id])
  }

  /// Only a journey that ends with the sign-in says that the server knows the new credential.
  @Test func theFirstAcceptedSignInDestroysTheReplacedOne() async throws {
    let kit = try WebAuthnKit()
    try await kit.register(.match())
    try await kit.register(.match())
    for (isAccepted, states) in [(false, [.active, .retired]), (true, [.active])] as [(Bool, Set<KeyRecord.State>)] {
      kit.verifier.script([.match()])
      let (node, callback) = try await kit.authenticationPage()
      try await callback.authenticate(kit.configuration, node: node)
      #expect(try await Set(kit.records().map(\.state)) == [.active, .retired])
      if isAccepted { try await kit.accept(node) } else { try await kit.refuse(node) }
      #expect(try await Set(kit.records().map(\.state)) == states)
    }
  }

  // MARK: Every call of the store fails once

  /// Registers over an old credential with one call failing; returns how many calls there were.
  private func run(
    failing place: Int?, _ moment: FaultInjectingKeyStore.Moment, accepted: Bool
  ) async throws -> Int {
    let kit = try WebAuthnKit()
    try await kit.register(.match())
    kit.device.store.repair()
    if let place { kit.device.store.failCall(at: place, moment) }
    kit.verifier.script([.match()])
    let (node, callback) = try await kit.registrationPage {
      ServerData.bend(&$0, user: "mira", displayName: "Mira M.")
    }
    var made: CredentialID?
    do {
      made = try await callback.register(kit.configuration, node: node).id
    } catch let error as AuthenticatorError {
      #expect(node.webAuthnOutcome == WebAuthnOutcome(error))
    }
    let accepts = accepted && made != nil
    accepts ? kit.transport.add(json: WebAuthnKit.success) : kit.transport.add(401, json: WebAuthnKit.loginFailure)
    do { _ = try await node.next() } catch is AuthenticatorError {}
    let calls = kit.device.store.calls.count
    kit.device.store.repair()

    // Exactly one credential is offered, and it signs.
    let offered = try await kit.credentials()
    #expect(offered.count == 1, "call \(place ?? -1) \(moment)")
    if accepts { #expect(offered.first?.id == made) }
    kit.verifier.script([.match()])
    let (_, authentication) = try await kit.authenticationPage()
    #expect(try await authentication.authenticate(kit.configuration).id == offered.first?.id)
    return calls
  }

  @Test(arguments: [true, false])
  func survivesEveryFailingCall(_ accepted: Bool) async throws {
    let calls = try await run(failing: nil, .before, accepted: accepted)
    #expect(calls >= 3)
    for place in 0..<calls {
      for moment in FaultInjectingKeyStore.Moment.allCases {
        _ = try await run(failing: place, moment, accepted: accepted)
      }
    }
  }
}
