import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorUAF
import DeviceAuthenticators
import Synchronization
import Testing

/// Rows D12 to D23: lockout, the device's passcode, changed sets, and how prompts end.
extension DigipassBehaviorTests {
  @Test func d12FurtherWrongFingersEndAsLocked() async throws {
    let kit = try await registered(.state)
    try await kit.register(.passcode, steps: .passcode(UAFKit.passcode))
    let message = UAFKit.authentication(.state, .passcode)
    _ = await kit.authenticate(message, steps: .mismatch, .mismatch, .mismatch)
    let result = await kit.authenticate(message, steps: .choose("Fingerprint or face"), .mismatch, .mismatch)
    #expect(result.outcome == .locked)
    #expect(result.errorCode == .userLockout)
    #expect(FidoStatusCompatibility.outcome(fidoStatus: 23) == result.outcome)
  }

  @Test func d13ThePasscodeUnlocksTheSensorFirst() async throws {
    let kit = try await registered(.state)
    _ = await kit.authenticate(UAFKit.authentication(.state), steps: .mismatch, .mismatch, .mismatch)
    _ = await kit.authenticate(UAFKit.authentication(.state), steps: .mismatch, .mismatch)
    #expect(kit.device.verifier.isLockedOut)
    let shown = kit.prompts.count
    let result = await kit.authenticate(
      UAFKit.authentication(.state), steps: .passcode(UAFKit.passcode), .match())
    #expect(result.outcome == .success)
    #expect(kit.prompts.dropFirst(shown).map(\.kind) == [.passcode, .biometric])
    #expect(kit.device.verifier.failedAttempts == 0)
  }

  private func lock(_ kit: UAFKit, _ model: UAFKit.Model) async {
    _ = await kit.authenticate(UAFKit.authentication(model), steps: .mismatch, .mismatch, .mismatch)
    _ = await kit.authenticate(UAFKit.authentication(model), steps: .mismatch, .mismatch)
    #expect(kit.device.verifier.isLockedOut)
  }

  /// A locked sensor hides the enrolled set. A context that does not bring it replaces no prompt then, where keys are
  /// made or biometrics alone open them.
  @Test(arguments: [UAFKit.Model.state, .deletion]) func d13AContextDoesNotStandInForTheLockedSet(
    _ model: UAFKit.Model
  ) async throws {
    for isRegistration in [false, true] {
      let kit = try await registered(model)
      await lock(kit, model)
      let shown = kit.prompts.count
      kit.device.verifier.handOver(ScriptedDevice.Context())
      kit.device.verifier.script([.passcode(UAFKit.passcode), .match()])
      let message = isRegistration ? UAFKit.registration(model) : UAFKit.authentication(model)
      _ = try await kit.client.process(message, facetID: UAFKit.facet)
      #expect(kit.prompts.dropFirst(shown).map(\.kind) == [.passcode, .biometric])
    }
  }

  /// Where the passcode opens the key as well, nothing of the set is looked at when it signs.
  @Test func d15AContextIsGoodForBiometricOrPasscodeWhenLocked() async throws {
    let kit = try await registered(.either)
    try await kit.register(.state, steps: .match())
    await lock(kit, .state)
    let shown = kit.prompts.count
    kit.device.verifier.handOver(ScriptedDevice.Context())
    #expect(await kit.authenticate(UAFKit.authentication(.either)).outcome == .success)
    #expect(kit.prompts.count == shown)
    kit.device.verifier.handOver(ScriptedDevice.Context())
    kit.device.verifier.script([.passcode(UAFKit.passcode)])
    _ = try await kit.client.process(UAFKit.registration(.either, username: "bob"), facetID: UAFKit.facet)
    #expect(kit.prompts.dropFirst(shown).map(\.kind) == [.passcode])
  }

  @Test func d14AMatchBeforeTheLimitResetsTheCount() async throws {
    let kit = try await registered(.state)
    let result = await kit.authenticate(UAFKit.authentication(.state), steps: .mismatch, .mismatch, .match())
    #expect(result.outcome == .success)
    #expect(kit.device.verifier.failedAttempts == 0)
  }

  @Test func d15PasscodeAloneCompletesWhereItIsAdmitted() async throws {
    let kit = try await registered(.either)
    try await kit.register(.state, steps: .match())
    _ = await kit.authenticate(UAFKit.authentication(.state), steps: .mismatch, .mismatch, .mismatch)
    _ = await kit.authenticate(UAFKit.authentication(.state), steps: .mismatch, .mismatch)
    let result = await kit.authenticate(UAFKit.authentication(.either), steps: .passcode(UAFKit.passcode))
    #expect(result.outcome == .success)
  }

  @Test(arguments: [UAFKit.Model.state, .deletion, .either])
  func d16ThePolicyAloneSelectsTheBehavior(_ model: UAFKit.Model) async throws {
    let kit = try UAFKit()
    #expect(try await kit.register(model, steps: .match()).aaid == model.aaid)
    let record = try #require(try await kit.records().first)
    #expect(record.access.enrollment == model.behavior.enrollment)
    #expect(record.authenticator == model.behavior.authenticator)
    try kit.device.verifier.enroll("left-thumb")
    let result = await kit.authenticate(UAFKit.authentication(model), steps: .match())
    #expect(result.outcome == (model == .deletion ? .keyDisappeared : .success))
  }

  @Test func d17UserVerificationStateTellsOfAChange() async throws {
    let kit = try UAFKit()
    let registered = try #require(try await kit.register(.state, steps: .match()).userVerificationState)
    let state = {
      try UAFKit.signed(
        await kit.authenticate(UAFKit.authentication(.state), steps: .match()).message
      ).userVerificationState
    }
    #expect(try await state() == registered)
    try kit.device.verifier.enroll("left-thumb")
    let changed = try await state()
    #expect(changed != registered && changed != nil)
    try kit.device.verifier.remove("left-thumb")
    #expect(try await state() == registered)
    // Another key of the same set has a state of its own.
    #expect(try await kit.register(.state, username: "bob", steps: .match()).userVerificationState != registered)
  }

  @Test func d17AReusedContextReportsTheStateToo() async throws {
    let kit = try UAFKit()
    let registered = try await kit.register(.state, steps: .match()).userVerificationState
    kit.device.verifier.handOver(ScriptedDevice.Context())
    let signed = try UAFKit.signed(await kit.authenticate(UAFKit.authentication(.state)).message)
    #expect(signed.userVerificationState == registered)
  }

  @Test(arguments: [true, false])
  func d18KeyDeletionEndsItsOwnKeysOnly(_ isAdded: Bool) async throws {
    let kit = try UAFKit(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index", "left-thumb"], passcode: UAFKit.passcode))
    let keyID = try await kit.register(.deletion, steps: .match()).keyID
    try await kit.register(.state, steps: .match())
    if isAdded {
      try kit.device.verifier.enroll("left-index")
    } else {
      try kit.device.verifier.remove("left-thumb")
    }
    let shown = kit.prompts.count
    // For ever, whether the policy names the key or only the model.
    for message in [
      UAFKit.authentication(.deletion), UAFKit.authentication(.deletion),
      UAFKit.authentication(.deletion, keyIDs: [keyID]),
    ] {
      let result = await kit.authenticate(message, steps: .match())
      #expect(result.outcome == .keyDisappeared)
      #expect(result.errorCode == .keyDisappearedPermanently)
    }
    #expect(kit.prompts.count == shown)
    #expect(try await kit.records().count == 1)
    #expect(await kit.authenticate(UAFKit.authentication(.state), steps: .match()).outcome == .success)
    try await kit.register(.deletion, steps: .match())
    #expect(await kit.authenticate(UAFKit.authentication(.deletion), steps: .match()).outcome == .success)
  }

  @Test func d19BiometricOrPasscodeOutlivesAChange() async throws {
    let kit = try await registered(.either)
    try kit.device.verifier.enroll("left-thumb")
    let result = await kit.authenticate(UAFKit.authentication(.either), steps: .match())
    #expect(result.outcome == .success)
    #expect(try UAFKit.signed(result.message).userVerificationState == nil)
  }

  @Test(arguments: [UAFKit.Model.state, .deletion, .either])
  func d20TheSameModelsServeFaces(_ model: UAFKit.Model) async throws {
    let kit = try await registered(model, Self.face)
    #expect(await kit.authenticate(UAFKit.authentication(model), steps: .match()).outcome == .success)
  }

  @Test func d21CancelIsNeitherFallbackNorFailed() async throws {
    let kit = try await registered(.state)
    let result = await kit.authenticate(UAFKit.authentication(.state), steps: .cancel)
    #expect(result.outcome == .canceled)
    #expect(result.errorCode == .userCancelled)
    let system = await kit.authenticate(UAFKit.authentication(.state), steps: .systemCancel)
    #expect(system.outcome == .systemCanceled)
    #expect(system.errorCode == .unknown)
    #expect(kit.device.verifier.failedAttempts == 0)
  }

  @Test(arguments: [[ScriptedStep.cancel], [.mismatch, .mismatch, .mismatch]])
  func d22ACanceledOrUnmatchedScanLeadsToARetryThatOffersTheTitle(_ first: [ScriptedStep]) async throws {
    for (last, outcome) in [(ScriptedStep.fallback, UAFOutcome.fallback), (.cancel, .canceled), (.match(), .success)] {
      let kit = try await registered(.state)
      let shown = kit.prompts.count
      kit.device.verifier.script(first + [last])
      let result = await kit.client.authenticate(
        UAFKit.authentication(.state), facetID: UAFKit.facet, extras: Self.fallback)
      #expect(result.outcome == outcome)
      #expect(kit.prompts.dropFirst(shown).map(\.fallbackTitle) == [Self.title, Self.title])
    }
  }

  @Test func d23LockedInTheMiddleEndsLockedAndTheNextAsksForThePasscode() async throws {
    let kit = try await registered(
      .state,
      ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: UAFKit.passcode))
    _ = await kit.authenticate(UAFKit.authentication(.state), steps: .mismatch, .mismatch, .mismatch)
    let locked = await kit.authenticate(
      UAFKit.authentication(.state), extras: Self.fallback, steps: .mismatch, .mismatch, .passcode(UAFKit.passcode))
    #expect(locked.outcome == .locked)
    let shown = kit.prompts.count
    let next = await kit.authenticate(
      UAFKit.authentication(.state), extras: Self.fallback, steps: .passcode(UAFKit.passcode), .match())
    #expect(next.outcome == .success)
    #expect(kit.prompts.dropFirst(shown).first?.kind == .passcode)
  }

  @Test func theCompatibilityTableHoldsOnlyWhatIsPublic() {
    #expect(FidoStatusCompatibility.table.compactMap(\.fidoStatus) == [1, 23])
    #expect(FidoStatusCompatibility.table.compactMap(\.fidoStatusName) == ["FALLBACK"])
    #expect(FidoStatusCompatibility.outcome(fidoStatus: 2) == nil)
  }
}
