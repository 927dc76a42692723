import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorRelyingParty
import AuthenticatorTestSupport
import AuthenticatorUAF
import AuthenticatorUAFJourney
import Testing

/// The UAF callback and the nodes of the embedded server, from end to end over a socket.
struct SocketTests {
  @Test func registersSignsInPaysAndDeregisters() async throws {
    let kit = try await SocketKit()
    try await kit.register()
    #expect(try await kit.states() == [.active])
    #expect(Set(try await kit.serverKeys().map(\.registration.keyID)) == (try await kit.keyIDs()))

    #expect(try await kit.signedIn(kit.walk("LoginUAF", .match())) == "mira")
    #expect(try await kit.signedIn(kit.walk("LoginUAFUsernameless", .match())) == "mira")
    #expect(try await kit.walk("ConfirmPayment", .approve, .match()).isSignedIn)
    #expect(kit.device.verifier.prompts.contains { $0.content == SocketKit.payment })
    #expect(try await kit.serverKeys().map(\.registration.signCounter).allSatisfy { $0 >= 3 })
    #expect(kit.refusals.isEmpty)

    let removal = try await kit.walk("DeregisterUAF")
    #expect(removal.isSignedIn && removal.outcomes == ["{}"])
    #expect(try await kit.states().isEmpty)
    #expect(try await kit.serverKeys().isEmpty)
    let late = try await kit.walk("LoginUAF", .match())
    #expect(late.isRefused && late.outcomes == ["ERROR::5::NO_MATCH"])
  }

  @Test func theKeySaysWhoTheUserIs() async throws {
    let kit = try await SocketKit()
    try await kit.register()
    try await kit.register(as: "noor")
    #expect(try await kit.signedIn(kit.walk("LoginUAFUsernameless", .match(), .choose("noor"))) == "noor")
    #expect(try await kit.signedIn(kit.walk("LoginUAFUsernameless", .match(), .choose("mira"))) == "mira")
    // With a name only that user's key counts, and nobody is asked.
    #expect(try await kit.signedIn(kit.walk("LoginUAF", as: "noor", .match())) == "noor")
  }

  @Test func theFallbackButtonLeadsToThePassword() async throws {
    let kit = try await SocketKit()
    try await kit.register()
    let extras = UAFExtras([.fallback(title: "Use my password")])
    let walk = try await kit.walk("LoginUAF", extras: extras, .fallback)
    #expect(walk.outcomes == ["ERROR::3::FALLBACK"])
    #expect(walk.isSignedIn && walk.passwordsAfterUAF == 1)
    #expect(kit.device.verifier.prompts.last?.fallbackTitle == "Use my password")
    // It counted neither as a failure nor as a signature.
    #expect(kit.device.verifier.failedAttempts == 0)
    #expect(try await kit.serverKeys().map(\.registration.signCounter) == [0])
    #expect(try await kit.walk("LoginUAF", extras: extras, .match()).isSignedIn)
  }

  @Test(arguments: [("LoginUAF", ScriptedStep.cancel), ("ConfirmPayment", .refuse)])
  func aCanceledStepSignsNobodyIn(journey: String, step: ScriptedStep) async throws {
    let kit = try await SocketKit()
    try await kit.register()
    let walk = try await kit.walk(journey, step)
    #expect(walk.outcomes == ["ERROR::3::CANCELED"])
    #expect(walk.isRefused && walk.passwordsAfterUAF == 0)
    #expect(try await kit.states() == [.active])
    #expect(try await kit.walk("LoginUAF", .match()).isSignedIn)
  }

  @Test func aCanceledRegistrationLeavesNothing() async throws {
    let kit = try await SocketKit()
    let walk = try await kit.walk("RegisterUAF", .cancel)
    #expect(walk.outcomes == ["ERROR::3::CANCELED"] && walk.isRefused)
    #expect(try await kit.states().isEmpty)
    #expect(try await kit.serverKeys().isEmpty)
  }

  /// What becomes of a sign-in after another finger was enrolled, and of the one after it.
  @Test(arguments: [
    (UAFExpectation.EnrollmentPolicy.reject, false, 0, false), (.stepUp, true, 1, true), (.accept, true, 0, true),
  ])
  func aChangedSetMeetsTheServersPolicy(
    policy: UAFExpectation.EnrollmentPolicy, isSignedIn: Bool, passwords: Int, isSignedInLater: Bool
  ) async throws {
    let kit = try await SocketKit { $0.enrollmentPolicy = policy }
    try await kit.register()
    #expect(try await kit.walk("LoginUAF", .match()).isSignedIn)
    try kit.device.verifier.enroll("left-thumb")
    let changed = try await kit.walk("LoginUAF", .match())
    #expect(changed.isSignedIn == isSignedIn && changed.passwordsAfterUAF == passwords)
    #expect(kit.refusals == (policy == .reject ? ["enrollmentChanged"] : []))
    // The key itself lives on: what a change means is the server's to say.
    #expect(try await kit.states() == [.active])
    let later = try await kit.walk("LoginUAF", .match())
    #expect(later.isSignedIn == isSignedInLater && later.passwordsAfterUAF == 0)
  }

  @Test func noKeyIsMadeForWhichTheServerHasNoRoom() async throws {
    let kit = try await SocketKit { $0.quota = 1 }
    try await kit.register()
    // Forgotten on this device alone, so that the server has one more than it will hold.
    try await kit.client.deleteKeys(appID: nil, facetID: UAFJourneyConfiguration(client: kit.client).facetID)
    let walk = try await kit.walk("RegisterUAF", .match())
    #expect(walk.isRefused && walk.outcomes.isEmpty && kit.refusals == ["quotaReached"])
    #expect(try await kit.states().isEmpty)
    #expect(try await kit.serverKeys().count == 1)
  }

  /// A failed journey does not say whether the key was refused or something after it.
  @Test func aRefusedKeyIsNeverTakenIntoUse() async throws {
    let kit = try await SocketKit { $0.facets = ["https://other.example"] }
    let walk = try await kit.walk("RegisterUAF", .match())
    #expect(walk.isRefused && kit.refusals.count == 1)
    #expect(try await kit.states() == [.staged])
    #expect(try await kit.serverKeys().isEmpty)
  }

  @Test func anAnswerThatWasLostIsMadeUpForByTheNextSignIn() async throws {
    let kit = try await SocketKit()
    // Name and password, then the response: the third answer.
    kit.transport.loseAnswer(after: 2)
    await #expect(throws: AuthenticatorError(.transportFailed)) { _ = try await kit.walk("RegisterUAF", .match()) }
    #expect(try await kit.states() == [.staged])
    #expect(try await kit.serverKeys().count == 1)
    #expect(try await kit.walk("LoginUAF", .match()).isSignedIn)
    #expect(try await kit.states() == [.active])
  }

  @Test func aSecondKeyOnTheSameDeviceIsNotMade() async throws {
    let kit = try await SocketKit()
    try await kit.register()
    let walk = try await kit.walk("RegisterUAF", .match())
    #expect(walk.isRefused && walk.outcomes == ["ERROR::5::NO_MATCH"])
    #expect(try await kit.serverKeys().count == 1)
  }
}
