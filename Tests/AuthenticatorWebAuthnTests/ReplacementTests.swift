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
