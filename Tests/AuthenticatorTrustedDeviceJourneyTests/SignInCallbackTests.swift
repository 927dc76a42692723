import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import AuthenticatorTrustedDeviceJourney
import Testing

@Suite struct SignInCallbackTests {
  private func enrolled(_ policy: TrustedDevicePolicy? = nil) async throws -> JourneyKit {
    let kit = try await JourneyKit()
    #expect(try await kit.walk("EnrollTrustedDevice", .match(), policy: policy).isSuccess)
    return kit
  }

  @Test func signsInWithAndWithoutAName() async throws {
    let kit = try await enrolled()
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess)
    #expect(try await kit.walk("SignIn", as: "mira", .match()).isSuccess)
    #expect(kit.device.verifier.prompts.last?.reason == "Use biometrics to sign in.")
  }

  @Test func takesTheNamedUsersCredentialOnly() async throws {
    let kit = try await enrolled()
    let stranger = try await kit.walk("SignIn", as: "kim", .match())
    #expect(stranger.isFailure)
    #expect(stranger.codes == [.noLocalCredential])
    #expect(stranger.outcomes == [#"{"error":"no_local_credential"}"#])
    #expect(try await kit.walk("SignIn", as: "nobody", .match()).codes == [.noLocalCredential])
    kit.device.environment.clock.advance(by: .seconds(1))
    #expect(try await kit.walk("EnrollTrustedDevice", as: "kim", .match()).isSuccess)
    #expect(try await kit.walk("SignIn", as: "mira", .match()).isSuccess)
    // Without a name the newest signs, unless the app says whose.
    let page = try await kit.page("LoginTrustedDevice")
    let callback = try #require(page.callback(TrustedDeviceSignInCallback.self))
    kit.device.verifier.script([.match()])
    let id = try await callback.signIn(kit.configuration, node: page, identifierHint: "mira")
    let mira = try await kit.records([.active]).compactMap { try? LocalCredential($0) }
      .first { $0.attributes.hint == "mira" }
    #expect(id == mira?.id)
    guard case .success = try await page.next() else {
      Issue.record("the journey did not succeed")
      return
    }
  }

  @Test func deletesNothingBecauseOfARefusal() async throws {
    let kit = try await enrolled()
    _ = try await kit.listed()
    let id = try #require(try await kit.records().first?.externalID).map { UInt8($0) }
    // Revoked elsewhere: the journey only says no.
    let other = try TestDevice(instance: InProcessServer.address)
    let elsewhere = TrustedDeviceClient(
      try TrustedDeviceConfiguration(server: InProcessServer.address), transport: kit.transport, keyStore: other.store,
      verifier: other.verifier, environment: other.context.environment)
    try await elsewhere.auth.signIn(identifier: "mira", password: "correct horse")
    try await elsewhere.trustedDevices.revoke(id: String(decoding: id, as: UTF8.self))
    let walk = try await kit.walk("LoginTrustedDevice", .match())
    #expect(walk.isFailure)
    #expect(walk.codes.isEmpty)
    #expect(try await kit.records([.active]).count == 1)
    // The list tells.
    #expect(try await kit.client.trustedDevices.reconcile().removed.count == 1)
    #expect(try await kit.records().isEmpty)
  }

  @Test func tellsTheServerWhyItDoesNotSign() async throws {
    let none = try await JourneyKit()
    #expect(try await none.walk("LoginTrustedDevice").outcomes == [#"{"error":"no_local_credential"}"#])
    let canceled = try await enrolled()
    #expect(
      try await canceled.walk("LoginTrustedDevice", .cancel).outcomes
        == [#"{"error":"biometric_authentication_canceled"}"#])
    #expect(try await canceled.records([.active]).count == 1)
    let away = try await enrolled(.biometryAny)
    try away.device.verifier.remove("right-index")
    let walk = try await away.walk("LoginTrustedDevice")
    #expect(walk.codes == [.biometryNotEnrolled])
    #expect(walk.outcomes == [#"{"error":"biometric_authentication_unavailable"}"#])
    #expect(try await away.records([.active]).count == 1)
    let void = try await enrolled(.biometryCurrentSet)
    try void.device.verifier.enroll("left-thumb")
    #expect(try await void.walk("LoginTrustedDevice").outcomes == [#"{"error":"key_invalidated"}"#])
    #expect(try await void.records().isEmpty)
    // The server's credential goes with the next session.
    _ = try await void.listed()
    #expect(try await void.records().isEmpty)
    #expect(try await void.listed().isEmpty)
  }

  @Test func noticesAFingerAddedDuringThePrompt() async throws {
    let kit = try await enrolled(.biometryCurrentSet)
    let walk = try await kit.walk("LoginTrustedDevice", .enroll("left-thumb"), .match(finger: "left-thumb"))
    #expect(walk.codes == [.keyInvalidated])
    #expect(try await kit.records([.active]).isEmpty)
  }

  @Test func answersAChallengeOnce() async throws {
    let kit = try await enrolled()
    let page = try await kit.page("LoginTrustedDevice")
    let callback = try #require(page.callback(TrustedDeviceSignInCallback.self))
    kit.device.verifier.script([.match(), .match()])
    try await callback.signIn(kit.configuration, node: page)
    #expect(await failure { try await callback.signIn(kit.configuration, node: page) }?.code == .invalidRequest)
    let again = try TrustedDeviceSignInCallback(callback.payload)
    again.configuration = kit.configuration
    #expect(callback.outcome?.contains("signature") == true)
  }

  @Test func throwsWhenTheStoreCannotTell() async throws {
    let kit = try await enrolled()
    for call in [FaultInjectingKeyStore.Call.records, .presence] {
      kit.device.store.fail(call)
      let walk = try await kit.walk("LoginTrustedDevice", .match())
      #expect(walk.codes == [.storageFailed])
      #expect(walk.outcomes == [#"{"error":"signing_failed"}"#])
      kit.device.store.repair()
    }
    #expect(try await kit.records([.active]).count == 1)
  }
}
