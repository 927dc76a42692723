import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import Testing

/// Every call a ceremony makes to its store fails in turn, before and after it took effect.
@Suite("Faults in the store") struct StoreFaultTests {
  private func calls(of body: (Platform) async throws -> Void, in platform: Platform) async throws -> Int {
    platform.device.store.repair()
    try await body(platform)
    return platform.device.store.calls.count
  }

  @Test(arguments: FaultInjectingKeyStore.Moment.allCases)
  func aFailedRegistrationLeavesNothingBehind(_ moment: FaultInjectingKeyStore.Moment) async throws {
    func make(_ platform: Platform) async throws {
      var request = try platform.creation()
      request.extensions.requestsHMACSecret = true
      request.extensions.hmacSecret = HMACSecretEvaluation(salts: HMACSecretSalts(prfFirst: [1]))
      _ = try await platform.authenticator().makeCredential(request)
    }
    let count = try await calls(of: make, in: try Platform(.match()))
    #expect(count >= 3)
    for place in 0..<count {
      let platform = try Platform(.match(), .match(), .match())
      // An older credential stands in the slot and must survive.
      let old = try await platform.authenticator().makeCredential(try platform.creation())
      platform.device.store.repair()
      platform.device.store.failCall(at: place, moment)
      let failure = await code { try await make(platform) }
      platform.device.store.repair()
      let states = try await platform.records().map(\.state)
      if failure == nil {
        // Only clean-up may fail unnoticed.
        #expect(states == [.retired, .active], "call \(place)")
      } else {
        #expect(failure == .storageFailed, "call \(place)")
        #expect(states == [.active], "call \(place)")
        let result = try await platform.authenticator().getAssertion(platform.assertion())
        #expect(result.credentialID == old.credential.id)
      }
    }
  }

  @Test(arguments: FaultInjectingKeyStore.Moment.allCases)
  func aFailedAssertionChangesNothingButTheCounter(_ moment: FaultInjectingKeyStore.Moment) async throws {
    func prepared() async throws -> Platform {
      let platform = try Platform(.match(), .match(), .match(), .match())
      _ = try await platform.authenticator().makeCredential(try platform.creation())
      _ = try await platform.authenticator().makeCredential(try platform.creation())
      platform.device.store.repair()
      return platform
    }
    func sign(_ platform: Platform) async throws {
      _ = try await platform.authenticator().getAssertion(platform.assertion())
    }
    let count = try await calls(of: sign, in: try await prepared())
    #expect(count >= 3)
    for place in 0..<count {
      let platform = try await prepared()
      platform.device.store.failCall(at: place, moment)
      let failure = await code { try await sign(platform) }
      platform.device.store.repair()
      #expect(failure == nil || failure == .storageFailed, "call \(place)")
      _ = try await platform.authenticator().getAssertion(platform.assertion())
      #expect(try await platform.records().filter { $0.state == .active }.count == 1)
    }
  }

  /// Nobody is asked for what could not be kept or counted.
  @Test func aReadOnlyStoreRefusesBeforeAnybodyIsAsked() async throws {
    var platform = try Platform(.match(), .match(), .match(), .match(), .match())
    let authenticator = try await platform.authenticator()
    let old = try await authenticator.makeCredential(try platform.creation()).credential.id
    _ = try await authenticator.makeCredential(try platform.creation())
    platform.configuration.counter = .zero
    let uncounted = try await platform.authenticator().makeCredential(try platform.creation(user: "bob")).credential.id
    let shown = platform.promptKinds.count
    platform.device.store.saysItIsReadOnly()
    let absent = try #require(CredentialID([1]))
    #expect(
      await code { try await authenticator.makeCredential(try platform.creation(user: "carol")) } == .storageFailed)
    var all = platform.assertion()
    all.allowCredentials = [PublicKeyCredentialDescriptor(id: old)]
    for request in [platform.assertion(old), platform.assertion(absent), all] {
      #expect(await code { try await authenticator.getAssertion(request) } == .storageFailed)
    }
    #expect(platform.promptKinds.count == shown)
    // One that counts nothing signs all the same.
    #expect(try await authenticator.getAssertion(platform.assertion(uncounted)).credentialID == uncounted)
  }

  /// Whatever fails while a replaced credential signs in: one of the two holds the place, and neither is lost.
  @Test(arguments: FaultInjectingKeyStore.Moment.allCases)
  func aFailedReturnLosesNothing(_ moment: FaultInjectingKeyStore.Moment) async throws {
    func prepared() async throws -> (Platform, CredentialID) {
      let platform = try Platform(.match(), .match(), .match(), .match())
      let old = try await platform.authenticator().makeCredential(try platform.creation())
      _ = try await platform.authenticator().makeCredential(try platform.creation())
      platform.device.store.repair()
      return (platform, old.credential.id)
    }
    func sign(_ platform: Platform, _ id: CredentialID) async throws {
      _ = try await platform.authenticator().getAssertion(platform.assertion(id))
    }
    let (platform, id) = try await prepared()
    try await sign(platform, id)
    let count = platform.device.store.calls.count
    #expect(count >= 6)
    for place in 0..<count {
      let (platform, id) = try await prepared()
      platform.device.store.failCall(at: place, moment)
      let failure = await code { try await sign(platform, id) }
      platform.device.store.repair()
      #expect(failure == nil || failure == .storageFailed, "call \(place)")
      #expect(Set(try await platform.records().map(\.state)) == [.active, .retired], "call \(place)")
      _ = try await platform.authenticator().getAssertion(platform.assertion(id))
    }
  }

  @Test func aCredentialWhoseMakingWasCutOffIsDiscardedWhenItsTimeIsOver() async throws {
    let platform = try Platform(.match(), .match())
    let store = platform.device.store
    store.fail(.commit)
    store.fail(.discard)
    #expect(await code { try await platform.authenticator().makeCredential(try platform.creation()) } == .storageFailed)
    store.repair()
    #expect(try await platform.records().map(\.state) == [.staged])
    let authenticator = try await platform.authenticator()
    #expect(try await authenticator.credentials(of: "example.org").isEmpty)
    try await authenticator.discardAbandonedCredentials()
    #expect(try await platform.records().count == 1)
    platform.device.environment.clock.advance(by: .seconds(121))
    try await authenticator.discardAbandonedCredentials()
    #expect(try await platform.records().isEmpty)
  }

  /// A staged one is found by its name, which its relying party may know.
  @Test func aCredentialWhoseMakingWasCutOffIsWithdrawn() async throws {
    let platform = try Platform(.match(), .match(), .match())
    let authenticator = try await platform.authenticator()
    let old = try await authenticator.makeCredential(try platform.creation()).credential.id
    let store = platform.device.store
    store.fail(.commit)
    store.fail(.discard)
    #expect(await code { try await authenticator.makeCredential(try platform.creation()) } == .storageFailed)
    store.repair()
    let staged = try #require(try await platform.records().last)
    #expect(staged.state == .staged)
    let id = try #require(staged.externalID.flatMap(CredentialID.init))
    #expect(try await authenticator.withdraw(id))
    #expect(try await platform.records().map(\.externalID) == [old.bytes])
    #expect(try await authenticator.getAssertion(platform.assertion()).credentialID == old)
  }
}
