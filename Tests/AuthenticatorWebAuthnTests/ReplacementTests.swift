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
    #expect(try await authenticator.getAssertion(platform.assertion()).credentialID == new.credential.id)
    // A signature is no acceptance: only that destroys the one that was replaced.
    #expect(try await platform.records().map(\.state) == [.retired, .active])
    try await authenticator.confirm(new.credential.id, of: "example.org")
    #expect(try await platform.records().map(\.externalID) == [new.credential.id.bytes])
    var request = platform.assertion(old.credential.id)
    request.concealsAbsence = false
    #expect(await code { try await authenticator.getAssertion(request) } == .keyNotFound)
  }

  /// The relying party never learned of the new one, or refuses it.
  @Test func aReplacedCredentialSignsInWhenItAloneIsNamed() async throws {
    let platform = try Platform(.match(), .match(), .match(), .match(), .match(), .cancel, .match())
    let authenticator = try await platform.authenticator()
    let old = try await authenticator.makeCredential(try platform.creation())
    let new = try await authenticator.makeCredential(try platform.creation())
    let both = platform.assertion(old.credential.id, new.credential.id)
    #expect(try await authenticator.getAssertion(both).credentialID == new.credential.id)
    let named = try await authenticator.getAssertion(platform.assertion(old.credential.id))
    #expect(named.credentialID == old.credential.id)
    #expect(try named.isSigned(by: old.credential.record.publicKey, over: platform.assertion().clientDataHash))
    // It holds the place now, and the other one waits in its stead.
    #expect(try await platform.records().map(\.state) == [.active, .retired])
    #expect(try await authenticator.getAssertion(platform.assertion()).credentialID == old.credential.id)
    // Who declines changes nothing.
    #expect(await code { try await authenticator.getAssertion(platform.assertion(new.credential.id)) } == .userCanceled)
    #expect(try await platform.records().map(\.state) == [.active, .retired])
    try await authenticator.confirm(old.credential.id, of: "example.org")
    #expect(try await platform.records().map(\.externalID) == [old.credential.id.bytes])
  }

  @Test func whatTheRelyingPartySaysSettlesIt() async throws {
    for isNewListed in [true, false] {
      let platform = try Platform(.match(), .match())
      let authenticator = try await platform.authenticator()
      let old = try await authenticator.makeCredential(try platform.creation())
      let new = try await authenticator.makeCredential(try platform.creation())
      let listed = isNewListed ? new.credential.id : old.credential.id
      try await authenticator.acceptCredentials([listed], userHandle: Array("alice".utf8), of: "example.org")
      #expect(try await authenticator.credentials(of: "example.org").map(\.id) == [listed])
      #expect(try await authenticator.credentials(of: "example.org").allSatisfy { !$0.isHidden })
      #expect(try await platform.records().count == (isNewListed ? 1 : 2))
    }
    let platform = try Platform(.match(), .match())
    let authenticator = try await platform.authenticator()
    let old = try await authenticator.makeCredential(try platform.creation())
    let new = try await authenticator.makeCredential(try platform.creation())
    try await authenticator.hideCredential(new.credential.id, of: "example.org")
    #expect(try await authenticator.credentials(of: "example.org").map(\.id) == [old.credential.id])
  }

  @Test func anExcludedCredentialThatWaitsIsHere() async throws {
    let platform = try Platform(.match(), .match(), .approve)
    let authenticator = try await platform.authenticator()
    let old = try await authenticator.makeCredential(try platform.creation())
    _ = try await authenticator.makeCredential(try platform.creation())
    var request = try platform.creation()
    request.excludeCredentials = [PublicKeyCredentialDescriptor(id: old.credential.id)]
    #expect(await code { try await authenticator.makeCredential(request) } == .credentialExcluded)
  }

  /// Each may be the one that its relying party knows, up to a bound: the oldest and the youngest stay.
  @Test func aFewReplacedCredentialsAreKeptHoweverManyFollow() async throws {
    let platform = try Platform()
    platform.device.verifier.script([ScriptedStep](repeating: .match(), count: 14))
    let authenticator = try await platform.authenticator()
    var all: [CredentialID] = []
    for _ in 0..<11 { all.append(try await authenticator.makeCredential(try platform.creation()).credential.id) }
    let kept = [all[0]] + all[3...]
    #expect(try await platform.records().map(\.externalID) == kept.map(\.bytes))
    #expect(try await authenticator.withdraw(all[10]))
    // The oldest is back, and the others still wait.
    #expect(try await authenticator.getAssertion(platform.assertion()).credentialID == all[0])
    #expect(try await authenticator.getAssertion(platform.assertion(all[9])).credentialID == all[9])
    try await authenticator.confirm(all[9], of: "example.org")
    #expect(try await platform.records().map(\.externalID) == [all[9].bytes])
  }

  /// Another ceremony over the same store takes the place between the look at it and the commit.
  @Test(arguments: [false, true]) func ofTwoRegistrationsAtOnceNeitherIsLost(_ isOneThere: Bool) async throws {
    let platform = try Platform()
    platform.device.verifier.script([ScriptedStep](repeating: .match(), count: 8))
    let authenticator = try await platform.authenticator()
    if isOneThere {
      let old = try await authenticator.makeCredential(try platform.creation()).credential.id
      try await authenticator.confirm(old, of: "example.org")
    }
    platform.device.store.interrupt(before: .commit) {
      _ = try await platform.authenticator().makeCredential(try platform.creation())
    }
    let late = try await authenticator.makeCredential(try platform.creation()).credential.id
    let ids = try await platform.records().compactMap { $0.externalID.flatMap(CredentialID.init) }
    #expect(
      try await platform.records().map(\.state) == (isOneThere ? [.retired, .active, .retired] : [.active, .retired]))
    let early = try #require(ids.last)
    #expect(early != late)
    for id in [early, late, early, late] {
      #expect(try await authenticator.getAssertion(platform.assertion(id)).credentialID == id)
    }
    // The one that is refused goes alone.
    #expect(try await authenticator.withdraw(late))
    #expect(try await authenticator.getAssertion(platform.assertion(early)).credentialID == early)
    #expect(try await platform.records().count == (isOneThere ? 2 : 1))
  }

  /// The refused one is not the one that holds the place.
  @Test func aRefusedCredentialThatWaitsGoesAlone() async throws {
    let platform = try Platform(.match(), .match(), .match(), .match())
    let authenticator = try await platform.authenticator()
    let old = try await authenticator.makeCredential(try platform.creation())
    let refused = try await authenticator.makeCredential(try platform.creation())
    let new = try await authenticator.makeCredential(try platform.creation())
    #expect(try await authenticator.withdraw(refused.credential.id))
    #expect(try await authenticator.withdraw(refused.credential.id) == false)
    #expect(
      try await platform.records().map(\.externalID) == [old.credential.id.bytes, new.credential.id.bytes])
    #expect(try await platform.records().map(\.state) == [.retired, .active])
  }

  @Test func aRefusalDestroysNoneThatTakesThePlaceMeanwhile() async throws {
    let platform = try Platform(.match(), .match(), .match(), .match())
    let authenticator = try await platform.authenticator()
    let old = try await authenticator.makeCredential(try platform.creation()).credential.id
    let refused = try await authenticator.makeCredential(try platform.creation()).credential.id
    platform.device.store.interrupt(before: .exchange) {
      _ = try await platform.authenticator().makeCredential(try platform.creation())
    }
    #expect(try await authenticator.withdraw(refused))
    let records = try await platform.records()
    #expect(records.map(\.state) == [.active, .retired] && records.first?.externalID == old.bytes)
    let third = try #require(records.last?.externalID.flatMap(CredentialID.init))
    #expect(third != refused)
    #expect(try await authenticator.getAssertion(platform.assertion(third)).credentialID == third)
  }

  /// Whoever confirms looked before another ceremony took the place.
  @Test func oneThatWaitsConfirmsNothing() async throws {
    let platform = try Platform(.match(), .match(), .match())
    let authenticator = try await platform.authenticator()
    _ = try await authenticator.makeCredential(try platform.creation())
    let second = try await authenticator.makeCredential(try platform.creation()).credential
    _ = try await authenticator.makeCredential(try platform.creation())
    try await CredentialReplacement(platform.device.store).confirm(second.record)
    #expect(try await platform.records().map(\.state) == [.retired, .retired, .active])
  }

  /// The list shows one of several that wait.
  @Test func theListBringsBackWhicheverItShows() async throws {
    let platform = try Platform(.match(), .match(), .match())
    let authenticator = try await platform.authenticator()
    var ids: [CredentialID] = []
    for _ in 0..<3 { ids.append(try await authenticator.makeCredential(try platform.creation()).credential.id) }
    try await authenticator.acceptCredentials([ids[1]], userHandle: Array("alice".utf8), of: "example.org")
    #expect(try await authenticator.credentials(of: "example.org").map(\.id) == [ids[1]])
  }

  @Test func deletingACredentialDeletesTheOneItReplaced() async throws {
    let platform = try Platform(.match(), .match(), .match())
    let authenticator = try await platform.authenticator()
    _ = try await authenticator.makeCredential(try platform.creation())
    let new = try await authenticator.makeCredential(try platform.creation())
    try await authenticator.deleteCredential(new.credential.id, of: "example.org")
    #expect(try await platform.records().isEmpty)
  }

  /// However its successor went, it is nobody's: not found by name, and not brought back by a refusal.
  @Test func aReplacedCredentialWithoutSuccessorNeverComesBack() async throws {
    let platform = try Platform(.match(), .match(), .match())
    let authenticator = try await platform.authenticator()
    let old = try await authenticator.makeCredential(try platform.creation())
    let new = try await authenticator.makeCredential(try platform.creation())
    try await platform.device.store.delete(new.credential.record.tag)
    var request = platform.assertion(old.credential.id)
    request.concealsAbsence = false
    #expect(await code { try await authenticator.getAssertion(request) } == .keyNotFound)
    let next = try await authenticator.makeCredential(try platform.creation())
    try await authenticator.withdraw(next.credential)
    #expect(try await platform.records().isEmpty)
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
}
