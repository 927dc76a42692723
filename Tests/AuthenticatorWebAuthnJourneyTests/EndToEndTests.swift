import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

/// Client and server together, over PingAM's protocol.
@Suite struct EndToEndTests {
  @Test func registersAndSignsIn() async throws {
    let kit = try await ServerKit()
    #expect(try await kit.walk("RegisterWebAuthn", .match()).isSuccess)
    try await kit.journey.logout()
    for _ in 0..<3 {
      let walk = try await kit.walk("LoginWebAuthn", .match())
      #expect(walk.isSuccess && walk.codes.isEmpty)
      #expect(try await kit.sessionUser() == "mira")
    }
  }

  @Test func signsInWithoutAUserName() async throws {
    let kit = try await ServerKit()
    #expect(try await kit.walk("RegisterWebAuthn", as: "noor", .match()).isSuccess)
    #expect(try await kit.walk("LoginUsernameless", .match()).isSuccess)
    #expect(try await kit.sessionUser() == "noor")
  }

  @Test(arguments: ["mira", "noor"])
  func choosesAmongTwoAccounts(_ user: String) async throws {
    let kit = try await ServerKit()
    for user in ["mira", "noor"] { #expect(try await kit.walk("RegisterWebAuthn", as: user, .match()).isSuccess) }
    let delegate = ChoosingDelegate { names in [names.first { $0.hasPrefix("\(user) ") }] }
    #expect(try await kit.walk("LoginUsernameless", .match(), delegate: delegate).isSuccess)
    #expect(delegate.offered.map(\.count) == [2])
    #expect(try await kit.sessionUser() == user)
  }

  @Test func withoutADelegateNobodyIsSignedIn() async throws {
    let kit = try await ServerKit()
    for user in ["mira", "noor"] { #expect(try await kit.walk("RegisterWebAuthn", as: user, .match()).isSuccess) }
    let walk = try await kit.walk("LoginUsernameless", .match())
    #expect(walk.isFailure && walk.codes == [.notInteractive])
  }

  @Test func afterLocalDeletionSigningInFailsAndRegisteringAgainWorks() async throws {
    let kit = try await ServerKit()
    #expect(try await kit.walk("RegisterWebAuthn", .match()).isSuccess)
    let credential = try #require(try await kit.credentials().first)
    try await kit.configuration.platformAuthenticator().deleteCredential(credential.id, of: ServerKit.party)
    #expect(try await kit.devices().list().map(\.credentialID) == [credential.id])

    let refused = try await kit.walk("LoginWebAuthn", .approve)
    #expect(refused.isFailure && refused.codes == [.keyNotFound])
    let usernameless = try await kit.walk("LoginUsernameless", .approve)
    #expect(usernameless.isFailure && usernameless.codes == [.keyNotFound])

    #expect(try await kit.walk("RegisterWebAuthn", .match()).isSuccess)
    #expect(try await kit.walk("LoginWebAuthn", .match()).isSuccess)
    #expect(try await kit.devices().list().count == 2)
  }

  @Test func insistingOnLocalCredentialsShowsNothingWithoutOne() async throws {
    let kit = try await ServerKit()
    let walk = try await kit.walk("LoginUsernameless", .approve, local: true)
    #expect(walk.isFailure && walk.codes == [.keyNotFound])
    #expect(kit.verifier.prompts.isEmpty)
  }

  @Test func aSecondRegistrationIsExcluded() async throws {
    let kit = try await ServerKit()
    #expect(try await kit.walk("RegisterWebAuthn", .match()).isSuccess)
    let walk = try await kit.walk("RegisterWebAuthn", .approve)
    #expect(walk.isFailure && walk.codes == [.credentialExcluded])
    #expect(try await kit.walk("LoginWebAuthn", .match()).isSuccess)
  }

  @Test func aCancelledCeremonyIsToldAndLeavesNothing() async throws {
    let kit = try await ServerKit()
    let walk = try await kit.walk("RegisterWebAuthn", .cancel)
    #expect(walk.isFailure && walk.codes == [.userCanceled])
    #expect(try await kit.credentials().isEmpty)
  }

  @Test func aRefusedRegistrationIsTakenBack() async throws {
    var kit = try await ServerKit()
    kit.configuration.origin = "linux:app:com.example.kiosk"
    kit.configuration.client.nativeOrigins = ["linux:app:com.example.kiosk": [ServerKit.party]]
    let walk = try await kit.walk("RegisterWebAuthn", .match())
    #expect(walk.isFailure && walk.codes.isEmpty)
    #expect(try await kit.credentials().isEmpty)
  }

  @Test func anAppsOwnOriginIsAdmitted() async throws {
    var kit = try await ServerKit { $0.webAuthn.origins = ["linux:app:com.example.kiosk"] }
    kit.configuration.origin = "linux:app:com.example.kiosk"
    kit.configuration.client.nativeOrigins = ["linux:app:com.example.kiosk": [ServerKit.party]]
    #expect(try await kit.walk("RegisterWebAuthn", .match()).isSuccess)
    #expect(try await kit.walk("LoginUsernameless", .match()).isSuccess)
  }

  @Test func aLostAnswerLeavesACredentialThatWorks() async throws {
    let kit = try await ServerKit()
    // Start, name and password, then the registration.
    kit.transport.lose(.answer, at: 2)
    await #expect(throws: AuthenticatorError(.transportFailed)) {
      _ = try await kit.walk("RegisterWebAuthn", .match())
    }
    #expect(try await kit.walk("LoginWebAuthn", .match()).isSuccess)
  }

  /// A server that knows only the old credential: its answer to the new registration was lost before it arrived.
  private func replacedUnseen() async throws -> (kit: ServerKit, old: CredentialID) {
    let kit = try await ServerKit {
      $0.journeys.append(
        try JourneyTree("RegisterAgain") {
          TreeStep("name", UsernameCollector()).next("password")
          TreeStep("password", PasswordCollector()).next("check")
          TreeStep("check", DataStoreDecision()).on(.true, to: "register").on(.false, to: .failure)
          TreeStep(
            "register",
            WebAuthnRegistrationNode {
              $0.residentKey = .required
              $0.generatesRecoveryCodes = false
            }
          ).on(.success, to: .success).otherwise(.failure)
        })
    }
    #expect(try await kit.walk("RegisterAgain", .match()).isSuccess)
    let old = try #require(try await kit.credentials().first?.id)
    kit.transport.lose(.request, at: 3)
    await #expect(throws: AuthenticatorError(.transportFailed)) {
      _ = try await kit.walk("RegisterAgain", .match())
    }
    #expect(try await kit.credentials().map(\.id) != [old])
    return (kit, old)
  }

  @Test func aCredentialThatWorksSurvivesOneThatTheServerRefuses() async throws {
    let (kit, old) = try await replacedUnseen()
    // The device offers the new one, which the server does not know.
    #expect(try await kit.walk("LoginUsernameless", .match()).isFailure)
    // The server names the old one.
    #expect(try await kit.walk("LoginWebAuthn", .match()).isSuccess)
    #expect(try await kit.credentials().map(\.id) == [old])
    #expect(try await kit.device.store.records(matching: .everything).count == 1, "what is confirmed stays alone")
    #expect(try await kit.walk("LoginUsernameless", .match()).isSuccess)
  }

  @Test func theDeviceListSettlesWhichCredentialIsKept() async throws {
    let (kit, old) = try await replacedUnseen()
    #expect(try await kit.walk("LoginWebAuthn", .match()).isSuccess)
    let list = try await kit.devices().reconcile()
    #expect(list.map(\.credentialID) == [old])
    #expect(try await kit.credentials().map(\.id) == [old])
    // Another one that the server does list.
    #expect(try await kit.walk("RegisterAgain", .match()).isSuccess)
    #expect(try await kit.device.store.records(matching: .everything).count == 2)
    try await kit.devices().reconcile()
    #expect(try await kit.device.store.records(matching: .everything).count == 1)
    #expect(try await kit.walk("LoginUsernameless", .match()).isSuccess)
  }

  @Test func theRecoveryCodesButtonLeadsOn() async throws {
    let kit = try await ServerKit()
    #expect(try await kit.walk("RegisterWebAuthn", .match()).isSuccess)
    let name = try #require(try await kit.journey.start("LoginWebAuthn").continueNode)
    name.callback(NameCallback.self)?.name = "mira"
    let page = try #require(try await name.next().continueNode)
    #expect(page.callback(WebAuthnAuthenticationCallback.self) != nil)
    try page.callback(ConfirmationCallback.self)?.select("Use Recovery Code")
    let next = try #require(try await page.next().continueNode)
    #expect(next.callback(NameCallback.self)?.prompt == "Recovery Code")
    next.close()
  }

  // MARK: The other forms

  @Test func answersTheScriptsOfTheServer() async throws {
    let kit = try await ServerKit {
      $0.journeys.append(
        try JourneyTree("RegisterByScript") {
          TreeStep("name", UsernameCollector()).next("password")
          TreeStep("password", PasswordCollector()).next("check")
          TreeStep("check", DataStoreDecision()).on(.true, to: "register").on(.false, to: .failure)
          TreeStep(
            "register",
            WebAuthnRegistrationNode {
              $0.asScript = true
              $0.residentKey = .required
              $0.excludesCredentials = true
              $0.generatesRecoveryCodes = false
              $0.relyingPartyName = #"A "quoted" </script> näme"#
            }
          ).on(.success, to: .success).otherwise(.failure)
        })
      $0.journeys.append(
        try JourneyTree("LoginByScript") {
          TreeStep("name", UsernameCollector()).next("authenticate")
          TreeStep("authenticate", WebAuthnAuthenticationNode { $0.asScript = true })
            .on(.success, to: .success).otherwise(.failure)
        })
    }
    #expect(try await kit.walk("RegisterByScript", .match()).isSuccess)
    #expect(try await kit.credentials().map(\.relyingPartyName) == [#"A "quoted" </script> näme"#])
    #expect(try await kit.walk("LoginByScript", .match()).isSuccess)
    let excluded = try await kit.walk("RegisterByScript", .approve)
    #expect(excluded.codes == [.credentialExcluded])
  }

  @Test func suggestsWhenTheServerAsksForIt() async throws {
    let kit = try await ServerKit {
      $0.journeys.append(
        try JourneyTree("Suggest") {
          TreeStep(
            "authenticate",
            WebAuthnAuthenticationNode {
              $0.isConditional = true
              $0.takesUsernameFromDevice = true
            }
          ).on(.success, to: .success).otherwise(.failure)
        })
    }
    #expect(try await kit.walk("RegisterWebAuthn", .match()).isSuccess)
    let delegate = ChoosingDelegate { [$0.first] }
    #expect(try await kit.walk("Suggest", .match(), delegate: delegate).isSuccess)
    #expect(delegate.offered.map(\.count) == [1])
  }

  @Test func thePlatformsPasskeysSignIn() async throws {
    var kit = try await ServerKit()
    let environment = kit.device.environment
    let platform = ScriptedPasskeyProvider(
      device: try TestDevice(instance: "platform", environment: environment),
      phone: try TestDevice(instance: "phone", environment: environment))
    kit.configuration.passkeyProvider = platform
    platform.device.verifier.perform(.match(), .match())
    #expect(try await kit.walk("RegisterWebAuthn").isSuccess)
    #expect(try await kit.walk("LoginUsernameless").isSuccess)
    #expect(try await kit.sessionUser() == "mira")
    #expect(kit.verifier.prompts.isEmpty)
  }
}
