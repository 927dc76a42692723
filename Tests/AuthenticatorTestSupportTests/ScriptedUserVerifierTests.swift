import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import DeviceAuthenticators
import Foundation
import Testing

@Suite struct ScriptedUserVerifierTests {
  static let both = KeyAccess(gate: .verified([.fingerprint, .face, .passcode]))
  static let biometric = KeyAccess(gate: .verified([.fingerprint, .face]))
  static let passcode = KeyAccess(gate: .verified([.passcode]))
  static let presence = KeyAccess(gate: .open)

  let environment = TestEnvironment()

  func verifier(
    _ steps: ScriptedStep..., sensor: ScriptedDevice.Sensor = .fingerprint, enrolled: Set<String> = ["right"],
    passcode: ScriptedText? = "482913", failedAttempts: Int = 0
  ) throws -> ScriptedUserVerifier {
    try ScriptedUserVerifier(
      ScriptedDevice(
        sensor: sensor, enrolled: enrolled, passcode: passcode, failedAttempts: failedAttempts, steps: steps),
      environment: environment.environment)
  }

  func request(_ prompt: Prompt = Prompt(reason: "Why", cancelTitle: "No")) -> VerificationRequest {
    VerificationRequest(
      operation: OperationID(bytes: [1]), level: .verified,
      owner: KeyOwner(instance: "https://a", family: .webAuthn, party: "a", account: nil), prompt: prompt,
      deadline: environment.clock.uptime + .seconds(60), keys: [KeyTag(rawValue: "key")])
  }

  func outcome(_ verifier: ScriptedUserVerifier, _ access: KeyAccess) async -> String {
    do {
      return try await verifier.verify(request(), by: access).verification.methods.map(\.rawValue).joined()
    } catch let error as AuthenticatorError {
      return error.code.rawValue
    } catch {
      return "\(error)"
    }
  }

  // MARK: What a prompt takes

  @Test func fingersAreCompared() async throws {
    let verifier = try verifier(
      .match(finger: "left"), .match(finger: "right"), .match(), enrolled: ["right", "thumb"])
    #expect(await outcome(verifier, Self.biometric) == "fingerprint")
    #expect(verifier.prompts.count == 1)
    #expect(verifier.remainingSteps == 1)
  }

  @Test func enrollAndRemoveTakeEffectBeforeTheNextTouch() async throws {
    let verifier = try verifier(
      .enroll("left"), .match(finger: "left"), .remove("left"), .remove("right"), .match(finger: "left"), .match())
    let before = try await verifier.enrollmentState()
    let ticket = try await verifier.verify(request(), by: Self.biometric)
    #expect(ticket.verification.enrollmentState != nil)
    #expect(ticket.verification.enrollmentState != before)
    #expect(await outcome(verifier, Self.biometric) == "userCanceled")
    #expect(verifier.failedAttempts == 2)
    #expect(try await verifier.enrollmentState() == nil)
    #expect(await verifier.methods()[.fingerprint] == .notEnrolled)
  }

  @Test func theDigestFollowsTheSetAndTheSensor() async throws {
    func state(_ names: Set<String>, _ sensor: ScriptedDevice.Sensor = .fingerprint) async throws -> EnrollmentState? {
      try await verifier(sensor: sensor, enrolled: names).enrollmentState()
    }
    #expect(try await state(["a", "b"]) == state(["b", "a"]))
    #expect(try await state(["a", "b"]) != state(["ab"]))
    #expect(try await state(["a"]) != state(["a"], .face))
    // Without a sensor nobody can tell: that is not the same as nothing being enrolled.
    await #expect(throws: AuthenticatorError(.enrollmentStateUnreadable)) { try await state(["a"], .none) }
    #expect(try await state([]) == nil)
  }

  @Test func textIsComparedBeforeYesIsSaid() async throws {
    let verifier = try verifier(.passcode(""), .passcode("48291"), .passcode("4829130"))
    #expect(await outcome(verifier, Self.passcode) == "userVerificationFailed")
    let unset = try self.verifier(.passcode(""), passcode: nil)
    #expect(await outcome(unset, Self.passcode) == "passcodeNotSet")
    #expect(unset.prompts.isEmpty)
  }

  @Test func missesOfBothKindsEndOnePrompt() async throws {
    let verifier = try verifier(.mismatch, .passcode("1"), .mismatch, .passcode("482913"))
    #expect(await outcome(verifier, Self.both) == "userVerificationFailed")
    #expect(verifier.failedAttempts == 2)
  }

  @Test func theSensorMayGoAway() async throws {
    let only = try verifier(.sensorUnavailable, .match())
    #expect(await outcome(only, Self.biometric) == "verifierUnavailable")
    let both = try verifier(.sensorUnavailable, .match(), .passcode("482913"))
    #expect(await outcome(both, Self.both) == "passcode")
    #expect(both.passedOver == [1])
  }

  @Test func aSensorThatIsAwayIsNotAskedFor() async throws {
    let device = ScriptedDevice(
      sensor: .face, enrolled: ["alice"], passcode: "482913", steps: [.match(), .passcode("482913")],
      isSensorAvailable: false)
    let verifier = try ScriptedUserVerifier(device, environment: environment.environment)
    #expect(await verifier.methods() == [.face: .unavailable, .fingerprint: .noSensor, .passcode: .ready])
    #expect(await outcome(verifier, Self.biometric) == "verifierUnavailable")
    #expect(verifier.prompts.isEmpty)
    #expect(await outcome(verifier, Self.both) == "passcode")
    await #expect(throws: AuthenticatorError.self) { try await verifier.enrollmentState() }
  }

  @Test func stepsWithoutAControlArePassedOver() async throws {
    let verifier = try verifier(
      .pin("1"), .passcode("482913"), .approve, .refuse, .choose("x"), .fallback, .match())
    #expect(await outcome(verifier, Self.biometric) == "fingerprint")
    #expect(verifier.passedOver == [0, 1, 2, 3, 4, 5])
  }

  @Test func aPromptPastTheLastStepIsCanceledByTheUser() async throws {
    let verifier = try verifier()
    #expect(await outcome(verifier, Self.biometric) == "userCanceled")
    #expect(await outcome(verifier, Self.passcode) == "userCanceled")
  }

  @Test(arguments: [
    (ScriptedDevice.Sensor.none, false, false, "verifierUnavailable", "passcodeNotSet"),
    (.fingerprint, false, false, "biometryNotEnrolled", "biometryNotEnrolled"),
    (.face, true, true, "lockedOut", "lockedOut"),
  ])
  func whatCannotBeShownSaysWhy(
    _ sensor: ScriptedDevice.Sensor, _ isEnrolled: Bool, _ isLocked: Bool, _ biometric: String, _ both: String
  ) async throws {
    let verifier = try verifier(
      sensor: sensor, enrolled: isEnrolled ? ["a"] : [], passcode: nil, failedAttempts: isLocked ? 5 : 0)
    #expect(await outcome(verifier, Self.biometric) == biometric)
    #expect(await outcome(verifier, Self.both) == both)
    #expect(verifier.prompts.isEmpty)
  }

  @Test func fiveMissesLockUntilThePasscode() async throws {
    let verifier = try verifier(.mismatch, .passcode("482913"), failedAttempts: 4)
    #expect(await outcome(verifier, Self.biometric) == "lockedOut")
    #expect(await verifier.methods()[.fingerprint] == .lockedOut)
    await #expect(throws: AuthenticatorError(.lockedOut)) { try await verifier.enrollmentState() }
    #expect(await outcome(verifier, Self.both) == "passcode")
    #expect(verifier.prompts.map(\.kind) == [.biometric, .passcode])
    #expect(await verifier.methods()[.fingerprint] == .ready)
    #expect(verifier.failedAttempts == 0)
  }

  @Test func presenceIsAnyTouchOrAYes() async throws {
    let verifier = try verifier(.mismatch, .match(), .approve, .refuse)
    for _ in 0..<3 { #expect(await outcome(verifier, Self.presence) == "presence") }
    #expect(await outcome(verifier, Self.presence) == "userCanceled")
    #expect(verifier.failedAttempts == 0)
  }

  @Test func anUnreadableSetIsThrownAndPromptsGoOn() async throws {
    let verifier = try ScriptedUserVerifier(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["a"], domainState: .unreadable, steps: [.match()]),
      environment: environment.environment)
    await #expect(throws: AuthenticatorError(.enrollmentStateUnreadable)) { try await verifier.enrollmentState() }
    let ticket = try await verifier.verify(request(), by: Self.biometric)
    #expect(ticket.verification.enrollmentState == nil)
  }

  @Test func aTicketIsBoundAsAskedFor() async throws {
    let verifier = try verifier(.match())
    let ticket = try await verifier.verify(request(), by: Self.biometric)
    let now = environment.clock.uptime
    #expect(ticket.isUsable(for: OperationID(bytes: [1]), at: now))
    #expect(!ticket.isUsable(for: OperationID(bytes: [2]), at: now))
    #expect(!ticket.isUsable(for: OperationID(bytes: [1]), at: now + .seconds(60)))
    #expect(!ticket.admits(KeyTag(rawValue: "other"), at: now))
    #expect(ticket.verification.time == environment.clock.now)
  }

  @Test func aPINDomainIsNotItsBusiness() async throws {
    let verifier = try verifier(.match())
    #expect(await outcome(verifier, KeyAccess(gate: .secret(SecretDomain(rawValue: "d")))) == "unsupported")
  }

  // MARK: Several prompts

  @Test func aSecondPromptIsBusyUntilTheFirstIsCancelled() async throws {
    let verifier = try verifier(.noAnswer, .match())
    let request = request()
    let first = Task { try await verifier.verify(request, by: Self.biometric) }
    await environment.clock.waitForSleepers()
    #expect(await outcome(verifier, Self.biometric) == "busy")
    first.cancel()
    // No waiting for the first to notice: its prompt is gone at once.
    #expect(await outcome(verifier, Self.biometric) == "fingerprint")
    await #expect(throws: AuthenticatorError(.appCanceled)) { try await first.value }
    #expect(verifier.prompts.map(\.result) == ["appCanceled", "success"])
  }

  @Test func noAnswerLastsUntilTheDeadline() async throws {
    let verifier = try verifier(.noAnswer)
    let request = request()
    let task = Task { try await verifier.verify(request, by: Self.biometric) }
    await environment.clock.waitForSleepers()
    environment.clock.advance(by: .seconds(59))
    #expect(verifier.prompts.map(\.result) == [nil])
    environment.clock.advance(by: .seconds(1))
    await #expect(throws: AuthenticatorError(.timedOut)) { try await task.value }
  }

  // MARK: PINs, choices, approvals

  @Test func pinsAreCollectedAndNotJudged() async throws {
    let verifier = try verifier(.match(), .pin("äö"), .cancel)
    let request = PINRequest(
      purpose: .enter(attemptsRemaining: nil), prompt: Prompt(reason: "PIN"),
      deadline: environment.clock.uptime + .seconds(60))
    #expect(try await verifier.collectPIN(request).matches(Array("äö".utf8)))
    await #expect(throws: AuthenticatorError(.userCanceled)) { try await verifier.collectPIN(request) }
    #expect(verifier.prompts.map(\.kind) == [.pin, .pin])
    #expect(verifier.prompts.map(\.result) == ["entered", "userCanceled"])
  }

  @Test func choicesAreAmongTheOptions() async throws {
    let verifier = try verifier(.choose("bob"), .choose("eve"), .refuse, .choose("bob"))
    let deadline = environment.clock.uptime + .seconds(60)
    let question = ChoiceQuestion(options: ["alice", "bob"], prompt: Prompt(reason: "Who"), deadline: deadline)
    #expect(try await verifier.choose(question) == "bob")
    await #expect(throws: AuthenticatorError(.invalidRequest)) { try await verifier.choose(question) }
    await #expect(throws: AuthenticatorError(.userCanceled)) { try await verifier.choose(question) }
    let empty = ChoiceQuestion(options: [], prompt: Prompt(reason: "Who"), deadline: deadline)
    await #expect(throws: AuthenticatorError(.invalidRequest)) { try await verifier.choose(empty) }
    let alternative = ChoiceQuestion(
      kind: .alternative, options: ["bob"], prompt: Prompt(reason: "Other"), deadline: deadline)
    #expect(try await verifier.choose(alternative) == "bob")
    #expect(verifier.prompts.map(\.kind) == [.choose, .choose, .choose, .alternative])
    #expect(verifier.prompts.first?.options == ["alice", "bob"])
    #expect(verifier.prompts.first?.result == "bob")
  }

  @Test func approvalsAreShownWithTheirContent() async throws {
    let verifier = try verifier(.approve, .refuse, .match(), .cancel)
    let deadline = environment.clock.uptime + .seconds(60)
    let question = ApprovalQuestion(
      kind: .transaction, content: "Pay 5 €", prompt: Prompt(reason: "Confirm"), deadline: deadline)
    #expect(try await verifier.approve(question))
    #expect(try await !verifier.approve(question))
    await #expect(throws: AuthenticatorError(.userCanceled)) { try await verifier.approve(question) }
    #expect(verifier.prompts.map(\.content) == ["Pay 5 €", "Pay 5 €", "Pay 5 €"])
    #expect(verifier.prompts.map(\.result) == ["approved", "refused", "userCanceled"])
  }

  @Test func theContextIsHandedOverOnce() async throws {
    let verifier = try ScriptedUserVerifier(
      ScriptedDevice(sensor: .face, context: ScriptedDevice.Context(age: .seconds(3))),
      environment: environment.environment)
    let context = try #require(await verifier.biometricContext())
    #expect(context.method == .face)
    #expect(context.time == environment.clock.uptime - .seconds(3))
    #expect(await verifier.biometricContext() == nil)
  }
}
