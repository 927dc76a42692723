import AuthenticatorCBOR
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import DeviceAuthenticators
import Testing

@Suite("WebAuthnPlatformAuthenticator.makeCredential") struct MakeCredentialTests {
  // MARK: Step 1

  @Test func refusesAHashOfAnotherLength() async throws {
    let platform = try Platform()
    let authenticator = try await platform.authenticator()
    var request = try platform.creation()
    request.clientDataHash.removeLast()
    #expect(await code { try await authenticator.makeCredential(request) } == .invalidRequest)
    #expect(try await platform.records().isEmpty)
    #expect(platform.promptKinds.isEmpty)
  }

  @Test(arguments: ["", String(repeating: "a", count: 1025)])
  func refusesARelyingPartyIDOfNoOrTooManyBytes(_ id: String) async throws {
    let platform = try Platform()
    let authenticator = try await platform.authenticator()
    var request = try platform.creation()
    request.relyingPartyID = id
    #expect(await code { try await authenticator.makeCredential(request) } == .invalidRequest)
  }

  // MARK: Step 2

  @Test func takesTheFirstAlgorithmItSupports() async throws {
    let platform = try Platform(.match())
    let authenticator = try await platform.authenticator()
    var request = try platform.creation(parameters: [.init(rawValue: -999), .edDSA, .es256])
    request.parameters.insert(
      PublicKeyCredentialParameters(type: .init(rawValue: "other"), algorithm: .es384), at: 0)
    let result = try await authenticator.makeCredential(request)
    let key = result.attestationObject.authenticatorData.attestedCredentialData?.credentialPublicKey
    #expect(key?.algorithm == .edDSA)
    #expect(result.credential.record.algorithm == .edDSA)
  }

  @Test func keepsTheFullySpecifiedNameOfAnAlgorithm() async throws {
    let platform = try Platform(.match())
    let authenticator = try await platform.authenticator()
    let result = try await authenticator.makeCredential(try platform.creation(parameters: [.esp256]))
    let key = result.attestationObject.authenticatorData.attestedCredentialData?.credentialPublicKey
    #expect(key?.algorithm == .esp256)
  }

  @Test func refusesWhenNoAlgorithmIsSupportedBeforeAnybodyIsAsked() async throws {
    let platform = try Platform(.match())
    let authenticator = try await platform.authenticator()
    let request = try platform.creation(parameters: [.init(rawValue: -47)])
    #expect(await code { try await authenticator.makeCredential(request) } == .unsupportedAlgorithm)
    #expect(platform.promptKinds.isEmpty)
  }

  @Test func refusesWhatItsStoreCannotMakeBeforeAnybodyIsAsked() async throws {
    let device = try TestDevice(instance: "")
    let authenticator = WebAuthnPlatformAuthenticator(wrapping: BiometricOnlyAuthenticator(context: device.context))
    let request = try Platform().creation(parameters: [.rs256])
    #expect(await code { try await authenticator.makeCredential(request) } == .unsupportedAlgorithm)
    #expect(device.verifier.prompts.isEmpty)
  }

  // MARK: Step 3

  @Test func tellsOfAnExcludedCredentialOnlyAfterAGesture() async throws {
    let platform = try Platform(.match(), .approve)
    let authenticator = try await platform.authenticator()
    let first = try await authenticator.makeCredential(try platform.creation())
    var request = try platform.creation(user: "bob")
    request.excludeCredentials = [PublicKeyCredentialDescriptor(id: first.credential.id)]
    #expect(await code { try await authenticator.makeCredential(request) } == .credentialExcluded)
    #expect(platform.promptKinds == [.biometric, .presence])
    #expect(try await platform.records().count == 1)
  }

  @Test func aRefusedGestureLooksLikeAnyRefusal() async throws {
    let platform = try Platform(.match(), .refuse)
    let authenticator = try await platform.authenticator()
    let first = try await authenticator.makeCredential(try platform.creation())
    var request = try platform.creation(user: "bob")
    request.excludeCredentials = [PublicKeyCredentialDescriptor(id: first.credential.id)]
    #expect(await code { try await authenticator.makeCredential(request) } == .userCanceled)
  }

  @Test(arguments: [true, false])
  func theConsentDelegateDecidesAboutAnExcludedCredential(_ agrees: Bool) async throws {
    let platform = try Platform(.match(), agrees ? .approve : .refuse)
    let authenticator = try await platform.authenticator()
    let first = try await authenticator.makeCredential(try platform.creation())
    authenticator.consentDelegate = PromptedInteraction(responder: platform.device.verifier)
    var request = try platform.creation(user: "bob")
    request.excludeCredentials = [PublicKeyCredentialDescriptor(id: first.credential.id)]
    let expected: AuthenticatorError.Code = agrees ? .credentialExcluded : .userCanceled
    #expect(await code { try await authenticator.makeCredential(request) } == expected)
    #expect(platform.promptKinds == [.biometric, .consent])
  }

  @Test func anIDOfAnotherRelyingPartyOrTypeExcludesNothing() async throws {
    let platform = try Platform(.match(), .match(), .match())
    let authenticator = try await platform.authenticator()
    let first = try await authenticator.makeCredential(try platform.creation())
    var request = try platform.creation(user: "bob")
    request.relyingPartyID = "example.net"
    request.excludeCredentials = [PublicKeyCredentialDescriptor(id: first.credential.id)]
    _ = try await authenticator.makeCredential(request)
    request = try platform.creation(user: "carol")
    request.excludeCredentials = [PublicKeyCredentialDescriptor(type: .init(rawValue: "x"), id: first.credential.id)]
    _ = try await authenticator.makeCredential(request)
    #expect(try await platform.records().count == 3)
  }

  @Test func aCredentialThatWantsAVerifiedPersonHidesFromTheExcludeList() async throws {
    let platform = try Platform(.approve, .approve, .approve)
    let authenticator = try await platform.authenticator(.none)
    var request = try platform.creation(verified: false)
    request.extensions.protection = .userVerificationRequired
    let first = try await authenticator.makeCredential(request)
    request = try platform.creation(user: "bob", verified: false)
    request.excludeCredentials = [PublicKeyCredentialDescriptor(id: first.credential.id)]
    _ = try await authenticator.makeCredential(request)
    #expect(try await platform.records().count == 2)
  }

  // MARK: Steps 4 and 5

  @Test func refusesADiscoverableCredentialWhereNoneCanBeKept() async throws {
    var platform = try Platform(.match())
    platform.configuration.supportsDiscoverableCredentials = false
    let authenticator = try await platform.authenticator()
    let request = try platform.creation()
    #expect(await code { try await authenticator.makeCredential(request) } == .constraintNotMet)
  }

  @Test func refusesVerificationWhereNobodyCanBeVerified() async throws {
    let platform = try Platform(.approve)
    let authenticator = try await platform.authenticator(.none)
    let request = try platform.creation()
    #expect(await code { try await authenticator.makeCredential(request) } == .constraintNotMet)
    #expect(platform.promptKinds.isEmpty)
  }

  @Test func saysWhyTheDeviceCannotVerify() async throws {
    let device = try TestDevice(ScriptedDevice(sensor: .fingerprint), instance: "")
    let authenticator = WebAuthnPlatformAuthenticator(wrapping: BiometricOnlyAuthenticator(context: device.context))
    let request = try Platform().creation()
    #expect(await code { try await authenticator.makeCredential(request) } == .biometryNotEnrolled)
  }

  // MARK: Step 6

  @Test func showsRelyingPartyAndAccountWithoutTricks() async throws {
    let platform = try Platform(.match())
    let authenticator = try await platform.authenticator()
    var request = try platform.creation()
    request.relyingPartyName = "Exa\u{202E}mple\nhttps://bank.example"
    _ = try await authenticator.makeCredential(request)
    let prompt = try #require(platform.device.verifier.prompts.first)
    #expect(
      prompt.content == "Site: example.org\nName: Examplehttps://bank.example\nAccount: alice A. (alice)")
  }

  @Test(arguments: [ScriptedStep.cancel, .systemCancel])
  func leavesNothingWhenThePersonDoesNotAgree(_ step: ScriptedStep) async throws {
    let platform = try Platform(step)
    let authenticator = try await platform.authenticator()
    let request = try platform.creation()
    let expected: AuthenticatorError.Code = step == .cancel ? .userCanceled : .systemCanceled
    #expect(await code { try await authenticator.makeCredential(request) } == expected)
    #expect(try await platform.records().isEmpty)
  }

  @Test func leavesNothingWhenTheDelegateRefuses() async throws {
    let platform = try Platform(.refuse)
    let authenticator = try await platform.authenticator()
    authenticator.consentDelegate = PromptedInteraction(responder: platform.device.verifier)
    let request = try platform.creation()
    #expect(await code { try await authenticator.makeCredential(request) } == .userCanceled)
    #expect(platform.promptKinds == [.consent])
    #expect(try await platform.records().isEmpty)
  }

  @Test func endsAtTheDeadlineThoughTheDelegateIsSilent() async throws {
    let platform = try Platform(.hang)
    let clock = platform.device.environment.clock
    let verifier = platform.device.verifier
    let platformCopy = platform
    async let result = code {
      let authenticator = try await platformCopy.authenticator()
      authenticator.consentDelegate = PromptedInteraction(responder: verifier)
      return try await authenticator.makeCredential(try platformCopy.creation())
    }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(61))
    #expect(await result == .timedOut)
    verifier.releaseHanging()
    #expect(try await platform.records().isEmpty)
  }

  @Test func endsWhenItsTaskIsCancelled() async throws {
    let platform = try Platform(.noAnswer)
    let clock = platform.device.environment.clock
    let task = Task {
      await code {
        try await platform.authenticator().makeCredential(try platform.creation())
      }
    }
    await clock.waitForSleepers()
    task.cancel()
    #expect(await task.value == .appCanceled)
    #expect(try await platform.records().isEmpty)
  }

  @Test func anExpiredDeadlineAsksNobody() async throws {
    let platform = try Platform(.match())
    let authenticator = try await platform.authenticator()
    var request = try platform.creation()
    request.deadline = platform.device.environment.clock.uptime
    #expect(await code { try await authenticator.makeCredential(request) } == .timedOut)
    #expect(platform.promptKinds.isEmpty)
  }

  // MARK: Flags

  @Test func flagsStateWhatHappened() async throws {
    let platform = try Platform(.approve, .match())
    let plain = try await platform.authenticator(.none).makeCredential(try platform.creation(verified: false))
    #expect(plain.attestationObject.authenticatorData.flags == [.userPresent, .attestedCredentialData])
    #expect(plain.verification?.methods == [.presence])
    // A key that opens by verification asks for it at once, though the relying party does not.
    let gated = try await platform.authenticator().makeCredential(try platform.creation(verified: false))
    #expect(
      gated.attestationObject.authenticatorData.flags == [.userPresent, .userVerified, .attestedCredentialData])
  }

  @Test func inTheBackgroundNobodyIsAskedAndTheFlagsSaySo() async throws {
    let platform = try Platform()
    let authenticator = try await platform.authenticator()
    var request = try platform.creation(verified: false)
    request.requireUserPresence = false
    let result = try await authenticator.makeCredential(request)
    #expect(result.attestationObject.authenticatorData.flags == [.attestedCredentialData])
    #expect(result.attestationObject.format == .none)
    #expect(platform.promptKinds.isEmpty)
  }

  @Test func backupFlagsAreFixedWhenTheCredentialIsMade() async throws {
    var platform = try Platform(.match(), .match(), .match(), .match())
    let bound = try await platform.authenticator().makeCredential(try platform.creation())
    #expect(!bound.attestationObject.authenticatorData.flags.contains(.backupEligible))
    platform.configuration.isBackupEligible = true
    platform.configuration.isBackedUp = true
    let synced = try await platform.authenticator().makeCredential(try platform.creation(user: "bob"))
    #expect(synced.attestationObject.authenticatorData.flags.isSuperset(of: [.backupEligible, .backedUp]))
    let authenticator = try await platform.authenticator()
    let first = try AuthenticatorData(
      rawBytes: try await authenticator.getAssertion(platform.assertion(bound.credential.id)).authenticatorData)
    #expect(first.flags.isDisjoint(with: [.backupEligible, .backedUp]))
    authenticator.configuration.isBackupEligible = false
    authenticator.configuration.isBackedUp = false
    let second = try AuthenticatorData(
      rawBytes: try await authenticator.getAssertion(platform.assertion(synced.credential.id)).authenticatorData)
    #expect(second.flags.contains(.backupEligible) && !second.flags.contains(.backedUp))
  }

  // MARK: Names

  @Test func storesNamesCutBetweenCharacters() async throws {
    let platform = try Platform(.match())
    let authenticator = try await platform.authenticator()
    var request = try platform.creation()
    let family = "👩‍👩‍👧‍👦"
    request.user.name = String(repeating: family, count: 10_000)
    request.user.displayName = ""
    request.relyingPartyName = "e" + String(repeating: "\u{0301}", count: 100_000)
    let credential = try await authenticator.makeCredential(request).credential
    #expect(credential.userName == family + family)
    #expect(credential.userDisplayName == "")
    #expect(credential.relyingPartyName.utf8.count <= 64)
    #expect(credential.relyingPartyName.unicodeScalars.first == "e")
  }
}
