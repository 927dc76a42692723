import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import Testing

@Suite("Replacing a credential") struct ReplacementTests {
  @Test func sameUserAndRelyingPartyReplaceTheDiscoverableCredential() async throws {
    let platform = try Platform(.match(), .match(), .match(), .approve)
    let authenticator = try await platform.authenticator()
    let old = try await authenticator.makeCredential(try platform.creation())
    let new = try await authenticator.makeCredential(try platform.creation())
    #expect(try await authenticator.credentials(of: "example.org").map(\.id) == [new.credential.id])
    #expect(try await platform.records().map(\.state) == [.retired, .active])
    // The old one is not there for any ceremony, by name either.
    var request = platform.assertion(old.credential.id)
    request.concealsAbsence = false
    #expect(await code { try await authenticator.getAssertion(request) } == .keyNotFound)
    #expect(try await authenticator.getAssertion(platform.assertion()).credentialID == new.credential.id)
    // The first assertion destroys the one that was replaced.
    #expect(try await platform.records().map(\.state) == [.active])
  }

  @Test func aRefusedCredentialGivesItsPlaceBack() async throws {
    let platform = try Platform(.match(), .match(), .match())
    let authenticator = try await platform.authenticator()
    let old = try await authenticator.makeCredential(try platform.creation())
    let new = try await authenticator.makeCredential(try platform.creation())
    try await authenticator.withdraw(new.credential)
    #expect(try await authenticator.getAssertion(platform.assertion()).credentialID == old.credential.id)
    #expect(try await platform.records().map(\.externalID) == [old.credential.id.bytes])
    // Once more is no error, and takes nothing away.
    try await authenticator.withdraw(new.credential)
    #expect(try await platform.records().count == 1)
  }

  @Test func aRefusedFirstCredentialIsGone() async throws {
    let platform = try Platform(.match(), .match())
    let authenticator = try await platform.authenticator()
    let made = try await authenticator.makeCredential(try platform.creation())
    try await authenticator.withdraw(made.credential)
    let unnamed = try await authenticator.makeCredential(try platform.creation(discoverable: false))
    try await authenticator.withdraw(unnamed.credential)
    #expect(try await platform.records().isEmpty)
  }

  @Test func aFailedReplacementLeavesTheOldCredential() async throws {
    let platform = try Platform(.match(), .cancel, .match())
    let authenticator = try await platform.authenticator()
    let old = try await authenticator.makeCredential(try platform.creation())
    #expect(await code { try await authenticator.makeCredential(try platform.creation()) } == .userCanceled)
    #expect(try await authenticator.getAssertion(platform.assertion()).credentialID == old.credential.id)
  }

  @Test func othersAreNotReplaced() async throws {
    let platform = try Platform(.match(), .match(), .match(), .match())
    let authenticator = try await platform.authenticator()
    _ = try await authenticator.makeCredential(try platform.creation())
    _ = try await authenticator.makeCredential(try platform.creation(user: "bob"))
    _ = try await authenticator.makeCredential(try platform.creation(discoverable: false))
    var request = try platform.creation()
    request.relyingPartyID = "example.net"
    _ = try await authenticator.makeCredential(request)
    #expect(try await platform.records().map(\.state) == [.active, .active, .active, .active])
  }
}

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
}
