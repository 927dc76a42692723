import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorDeviceBinding
import AuthenticatorJOSE
import AuthenticatorJourney
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

/// What ends a signature, and what becomes of a replaced key.
@Suite struct SignFailureTests {
  @Test func wrongPINLockedNoKeyAndDeadKeyAreFourResults() async throws {
    let pin = try BindingKit()
    try await pin.bind("APPLICATION_PIN", .pin("1234"))
    pin.verifier.script([.pin("9999"), .pin("9998"), .pin("9997")])
    let wrong = try await pin.signPage()
    #expect(await thrown { try await wrong.callback.sign(pin.configuration) }?.code == .userVerificationFailed)
    #expect(wrong.callback.clientError == "Abort")
    wrong.node.close()

    var code: AuthenticatorError.Code?
    for _ in 0..<20 where code != .lockedOut {
      pin.verifier.script([.pin("9999"), .pin("9998"), .pin("9997")])
      let page = try await pin.signPage()
      code = await thrown { try await page.callback.sign(pin.configuration) }?.code
      #expect(page.callback.clientError == "Abort")
      page.node.close()
    }
    #expect(code == .lockedOut)

    let none = try BindingKit()
    let missing = try await none.signPage()
    #expect(await thrown { try await missing.callback.sign(none.configuration) }?.code == .keyNotFound)
    #expect(missing.callback.clientError == "ClientNotRegistered")

    let dead = try BindingKit()
    try await dead.bind(.match())
    try dead.verifier.enroll("left-thumb")
    dead.verifier.script([.match()])
    let invalidated = try await dead.signPage()
    #expect(await thrown { try await invalidated.callback.sign(dead.configuration) }?.code == .keyInvalidated)
    #expect(invalidated.callback.clientError == "ClientNotRegistered")
  }

  @Test(arguments: ["enroll", "remove all"])
  func asksToBindAgainAfterTheEnrolledSetChanged(_ change: String) async throws {
    for (word, code) in [
      ("BIOMETRIC_ONLY", AuthenticatorError.Code.keyInvalidated), ("BIOMETRIC_ALLOW_FALLBACK", .deviceNotRegistered),
    ] {
      let kit = try BindingKit()
      let key = try await kit.bind(word, .match())
      if change == "enroll" { try kit.verifier.enroll("left-thumb") } else { try kit.verifier.remove("right-index") }
      let prompts = kit.verifier.prompts.count
      kit.verifier.script([.match(), .passcode("482913")])
      let page = try await kit.signPage()
      #expect(await thrown { try await page.callback.sign(kit.configuration) }?.code == code)
      #expect(page.callback.clientError == "ClientNotRegistered")
      #expect(kit.verifier.prompts.count == prompts)
      // Allow fallback deletes the key; biometric only leaves a record that never signs again.
      #expect(try await (kit.store.record(key.tag) == nil) == (word == "BIOMETRIC_ALLOW_FALLBACK"))
      try await kit.refuse(page.node)
    }
  }

  @Test func abortsWhenTheEnrolledSetCannotBeRead() async throws {
    let kit = try BindingKit()
    let key = try await kit.bind("BIOMETRIC_ALLOW_FALLBACK", .match())
    // The same store under a device whose set cannot be read.
    var body = ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913")
    body.domainState = .unreadable
    var configuration = kit.configuration
    configuration.context.verifier = try ScriptedUserVerifier(body, environment: kit.device.environment.environment)
    let (_, callback) = try await kit.signPage()
    #expect(await thrown { try await callback.sign(configuration) }?.code == .enrollmentStateUnreadable)
    #expect(callback.clientError == "Abort")
    #expect(try await kit.store.record(key.tag)?.state == .active)
  }

  @Test func refusesSoftwareKeysThatAreNoLongerAllowed() async throws {
    var kit = try BindingKit(providers: [SoftwareKeyProvider()])
    kit.configuration.factories = .defaults(
      biometricOnly: BiometricAuthenticatorConfig(allowsSoftwareKeys: true))
    try await kit.bind(.match())
    kit.configuration.factories = .defaults()
    let prompts = kit.verifier.prompts.count
    let (_, callback) = try await kit.signPage()
    #expect(await thrown { try await callback.sign(kit.configuration) }?.code == .unsupported)
    #expect(callback.clientError == "Unsupported")
    #expect(kit.verifier.prompts.count == prompts)
  }

  @Test(arguments: [
    ([ScriptedStep.cancel], AuthenticatorError.Code.userCanceled), ([.systemCancel], .systemCanceled),
    ([.mismatch, .mismatch, .mismatch], .userVerificationFailed),
  ])
  func abortsWhenNobodyIsVerified(_ steps: [ScriptedStep], _ code: AuthenticatorError.Code) async throws {
    let kit = try BindingKit()
    try await kit.bind(.match())
    kit.verifier.script(steps)
    let (_, callback) = try await kit.signPage()
    #expect(await thrown { try await callback.sign(kit.configuration) }?.code == code)
    #expect(callback.clientError == "Abort")
    #expect(callback.jws == nil)
  }

  @Test func timesOut() async throws {
    let kit = try BindingKit()
    try await kit.bind(.match())
    let zero = try await kit.signPage(timeout: 0)
    #expect(await thrown { try await zero.callback.sign(kit.configuration) }?.code == .timedOut)
    #expect(zero.callback.clientError == "Timeout")
    zero.node.close()

    kit.verifier.script([.noAnswer])
    let (_, callback) = try await kit.signPage(timeout: 30)
    let configuration = kit.configuration
    async let error = thrown { try await callback.sign(configuration) }
    await kit.clock.waitForSleepers()
    kit.clock.advance(by: .seconds(30))
    #expect(await error?.code == .timedOut)
    #expect(callback.clientError == "Timeout")
  }

  @Test func timesOutWhenSigningIsSlow() async throws {
    var kit = try BindingKit()
    try await kit.bind(.match())
    let clock = kit.clock
    kit.configuration.factories.register(.biometricOnly) { context in
      let slow = SlowProof(context: context)
      slow.clock = clock
      return slow
    }
    kit.verifier.script([.match()])
    let (_, callback) = try await kit.signPage(timeout: 20)
    #expect(await thrown { try await callback.sign(kit.configuration) }?.code == .timedOut)
    #expect(callback.clientError == "Timeout")
    #expect(callback.jws == nil)
  }

  @Test(arguments: [FaultInjectingKeyStore.Call.records, .sign])
  func abortsWhenTheStoreCannotTell(_ call: FaultInjectingKeyStore.Call) async throws {
    let kit = try BindingKit()
    try await kit.bind("NONE")
    kit.store.fail(call)
    let (_, callback) = try await kit.signPage()
    #expect(await thrown { try await callback.sign(kit.configuration) }?.code == .storageFailed)
    #expect(callback.clientError == "Abort")
    kit.store.repair()
    #expect(try await kit.states() == [.active])
  }

  @Test func answersAChallengeOnceInAJourney() async throws {
    let kit = try BindingKit()
    try await kit.bind(.match())
    kit.verifier.script([.match(), .match()])
    let (node, callback) = try await kit.signPage(challenge: "same")
    try await callback.sign(kit.configuration)
    #expect(await thrown { try await callback.sign(kit.configuration) }?.code == .invalidRequest)
    kit.transport.add(json: BindingKit.step([BindingKit.signing(challenge: "same")]))
    let again = try #require(try await node.next().continueNode?.callback(DeviceSigningVerifierCallback.self))
    let prompts = kit.verifier.prompts.count
    #expect(await thrown { try await again.sign(kit.configuration) }?.code == .invalidMessage)
    #expect(kit.verifier.prompts.count == prompts)
  }

  // MARK: The replaced key

  @Test func givesUpTheReplacedKeyAfterTheFirstSignIn() async throws {
    let kit = try BindingKit()
    let old = try await kit.bind(.match())
    let other = try await kit.bind(user: BindingKit.noor, .match())
    let otherNew = try await kit.bind(user: BindingKit.noor, .match())
    let new = try await kit.bind(.match())
    #expect(try await kit.store.record(old.tag)?.state == .retired)
    try await kit.sign(.match())
    // Its row is all that is known of the server's half.
    #expect(try await kit.store.record(old.tag)?.state == .revoking)
    #expect(await thrown { try await kit.store.restore(old.tag) }?.code == .invalidKeyState)
    #expect(try await kit.store.record(new.tag)?.state == .active)
    // Another user's replaced key has not proved anything yet.
    #expect(try await kit.store.record(other.tag)?.state == .retired)
    #expect(try await kit.store.record(otherNew.tag)?.state == .active)
  }

  @Test(arguments: ["refused", "asked again", "goes on", "unknown"])
  func keepsTheReplacedKeyUntilThen(_ end: String) async throws {
    let kit = try BindingKit()
    let old = try await kit.bind(.match())
    try await kit.bind(.match())
    kit.verifier.script([.match()])
    let (node, callback) = try await kit.signPage()
    try await callback.sign(kit.configuration)
    switch end {
    case "refused": kit.transport.add(401, json: BindingKit.loginFailure)
    case "asked again": kit.transport.add(json: BindingKit.step([BindingKit.signing(challenge: "2")]))
    case "goes on":
      kit.transport.add(
        json: BindingKit.step([["type": "PasswordCallback", "input": [["name": "IDToken1", "value": ""]]]]))
    default: kit.transport.addFailure(mayHaveArrived: true)
    }
    do { _ = try await node.next() } catch is AuthenticatorError {}
    #expect(try await kit.store.record(old.tag)?.state == .retired)
  }
}

/// Takes 30 seconds to sign.
private final class SlowProof: BiometricOnlyAuthenticator, JWSSigningAuthenticator {
  var clock: ManualClock?
  func sign(params: UserKeySigningParameters, journey: JourneyContext?) async throws -> String {
    clock?.advance(by: .seconds(30))
    return try await standardProof(params)
  }
}
