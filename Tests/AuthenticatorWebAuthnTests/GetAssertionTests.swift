import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import DeviceAuthenticators
import Testing

@Suite("WebAuthnPlatformAuthenticator.getAssertion") struct GetAssertionTests {
  @Test func refusesMalformedParameters() async throws {
    let platform = try Platform()
    let authenticator = try await platform.authenticator()
    var request = platform.assertion()
    request.clientDataHash = []
    #expect(await code { try await authenticator.getAssertion(request) } == .invalidRequest)
    request = platform.assertion()
    request.relyingPartyID = ""
    #expect(await code { try await authenticator.getAssertion(request) } == .invalidRequest)
  }

  @Test func signsAuthenticatorDataAndHash() async throws {
    let platform = try Platform(.match(), .match())
    let authenticator = try await platform.authenticator()
    let made = try await authenticator.makeCredential(try platform.creation())
    let result = try await authenticator.getAssertion(platform.assertion())
    #expect(result.credentialID == made.credential.id)
    #expect(result.userHandle == Array("alice".utf8))
    #expect(try result.isSigned(by: made.credential.record.publicKey, over: SHA256.hash([4, 5, 6])))
    let data = try AuthenticatorData(rawBytes: result.authenticatorData)
    #expect(data.relyingPartyIDHash == SHA256.hash(Array("example.org".utf8)))
    #expect(data.flags == [.userPresent, .userVerified])
    #expect(data.signCount == 1)
    #expect(result.authenticatorData.count == 37)
  }

  // MARK: Candidates

  @Test func absenceIsToldNoSoonerThanRefusal() async throws {
    let platform = try Platform(.approve, .refuse)
    let authenticator = try await platform.authenticator()
    #expect(await code { try await authenticator.getAssertion(platform.assertion()) } == .keyNotFound)
    #expect(await code { try await authenticator.getAssertion(platform.assertion()) } == .keyNotFound)
    #expect(platform.promptKinds == [.presence, .presence])
    var request = platform.assertion()
    request.concealsAbsence = false
    #expect(await code { try await authenticator.getAssertion(request) } == .keyNotFound)
    #expect(platform.promptKinds.count == 2)
  }

  @Test func aListedCredentialOfAnotherRelyingPartyIsNotThere() async throws {
    let platform = try Platform(.match(), .approve)
    let authenticator = try await platform.authenticator()
    let made = try await authenticator.makeCredential(try platform.creation())
    var request = platform.assertion(made.credential.id)
    request.relyingPartyID = "example.net"
    #expect(await code { try await authenticator.getAssertion(request) } == .keyNotFound)
  }

  @Test func aCredentialThatIsNotDiscoverableMustBeNamed() async throws {
    let platform = try Platform(.match(), .match(), .approve)
    let authenticator = try await platform.authenticator()
    let made = try await authenticator.makeCredential(try platform.creation(discoverable: false))
    let result = try await authenticator.getAssertion(platform.assertion(made.credential.id))
    #expect(result.userHandle == nil)
    #expect(await code { try await authenticator.getAssertion(platform.assertion()) } == .keyNotFound)
    #expect(try await authenticator.credentials(of: "example.org").isEmpty)
  }

  @Test func ofSeveralThePersonChoosesByName() async throws {
    let platform = try Platform(.match(), .match(), .choose("bob A. 20231114 22:13:20"), .match())
    let authenticator = try await platform.authenticator()
    authenticator.selectionDelegate = UTCSelection(responder: platform.device.verifier)
    _ = try await authenticator.makeCredential(try platform.creation())
    let bob = try await authenticator.makeCredential(try platform.creation(user: "bob"))
    let result = try await authenticator.getAssertion(platform.assertion())
    #expect(result.credentialID == bob.credential.id)
    #expect(result.userHandle == Array("bob".utf8))
    #expect(platform.promptKinds == [.biometric, .biometric, .choose, .biometric])
    #expect(
      platform.device.verifier.prompts[2].options == ["alice A. 20231114 22:13:20", "bob A. 20231114 22:13:20"])
  }

  @Test func anAnswerThatIsNoneOfTheNamesChoosesNobody() async throws {
    let platform = try Platform(.match(), .match(), .choose("carol"), .match())
    let authenticator = try await platform.authenticator()
    for user in ["alice", "bob"] { _ = try await authenticator.makeCredential(try platform.creation(user: user)) }
    #expect(await code { try await authenticator.getAssertion(platform.assertion()) } == .userCanceled)
    #expect(platform.promptKinds == [.biometric, .biometric, .choose])
  }

  @Test func equalNamesAreToldApart() async throws {
    let platform = try Platform(.match(), .match(), .choose("A 20231114 22:13:20 #2"), .match())
    let authenticator = try await platform.authenticator()
    authenticator.selectionDelegate = UTCSelection(responder: platform.device.verifier)
    for user in ["alice", "bob"] {
      var request = try platform.creation(user: user)
      request.user.displayName = "A"
      _ = try await authenticator.makeCredential(request)
    }
    #expect(try await authenticator.getAssertion(platform.assertion()).userHandle == Array("bob".utf8))
  }

  @Test func withoutAChooserNothingIsGuessed() async throws {
    let platform = try Platform(.match(), .match(), .match())
    let authenticator = try await platform.authenticator()
    _ = try await authenticator.makeCredential(try platform.creation())
    _ = try await authenticator.makeCredential(try platform.creation(user: "bob"))
    authenticator.selectionDelegate = nil
    #expect(await code { try await authenticator.getAssertion(platform.assertion()) } == .notInteractive)
  }

  @Test(arguments: [nil, CredentialID([1])])
  func anAnswerThatIsNoCandidateIsARefusal(_ answer: CredentialID?) async throws {
    struct Fixed: CredentialSelectionDelegate {
      let answer: CredentialID?
      func selectCredential(
        among candidates: [PublicKeyCredentialSource], deadline: Duration
      ) async throws -> CredentialID? { answer }
    }
    let platform = try Platform(.match(), .match(), .match())
    let authenticator = try await platform.authenticator()
    _ = try await authenticator.makeCredential(try platform.creation())
    _ = try await authenticator.makeCredential(try platform.creation(user: "bob"))
    authenticator.selectionDelegate = Fixed(answer: answer)
    #expect(await code { try await authenticator.getAssertion(platform.assertion()) } == .userCanceled)
    #expect(platform.promptKinds.count == 2)
  }

  @Test func aSilentChooserEndsAtTheDeadline() async throws {
    let platform = try Platform(.match(), .match(), .hang)
    let clock = platform.device.environment.clock
    do {
      let authenticator = try await platform.authenticator()
      _ = try await authenticator.makeCredential(try platform.creation())
      _ = try await authenticator.makeCredential(try platform.creation(user: "bob"))
    }
    async let result = code { try await platform.authenticator().getAssertion(platform.assertion()) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(61))
    #expect(await result == .timedOut)
    platform.device.verifier.releaseHanging()
  }

  // MARK: Verification

  @Test(arguments: [ScriptedStep.cancel, .fallback])
  func passesOnHowThePromptEnded(_ step: ScriptedStep) async throws {
    let platform = try Platform(.match(), step)
    let authenticator = try await platform.authenticator()
    _ = try await authenticator.makeCredential(try platform.creation())
    #expect(await code { try await authenticator.getAssertion(platform.assertion()) } == .userCanceled)
  }

  @Test func refusesVerificationWhereNobodyCanBeVerified() async throws {
    let platform = try Platform(.approve)
    let authenticator = try await platform.authenticator(.none)
    _ = try await authenticator.makeCredential(try platform.creation(verified: false))
    #expect(await code { try await authenticator.getAssertion(platform.assertion()) } == .constraintNotMet)
    #expect(platform.promptKinds == [.presence])
  }

  @Test func presenceAloneSetsNoMoreThanItsFlag() async throws {
    let platform = try Platform(.approve, .approve)
    let authenticator = try await platform.authenticator(.none)
    _ = try await authenticator.makeCredential(try platform.creation(verified: false))
    let result = try await authenticator.getAssertion(platform.assertion(verified: false))
    #expect(try AuthenticatorData(rawBytes: result.authenticatorData).flags == [.userPresent])
  }

  @Test func aChangedFingerprintVoidsTheCredential() async throws {
    let platform = try Platform(.match(), .match())
    let authenticator = try await platform.authenticator()
    _ = try await authenticator.makeCredential(try platform.creation())
    try platform.device.verifier.enroll("left-thumb")
    #expect(await code { try await authenticator.getAssertion(platform.assertion()) } == .keyInvalidated)
    #expect(try await platform.records().count == 1)
  }

  @Test func aCredentialOfAnotherTypeNeedsItsAuthenticator() async throws {
    let platform = try Platform(.passcode("482913"), .passcode("482913"), .approve)
    let made = try await platform.authenticator(.devicePasscode).makeCredential(try platform.creation())
    let authenticator = try await platform.authenticator(.biometricOnly)
    let result = try await authenticator.getAssertion(platform.assertion(made.credential.id))
    #expect(result.verification?.methods == [.passcode])
    let alone = WebAuthnPlatformAuthenticator(wrapping: authenticator.wrapped)
    #expect(await code { try await alone.getAssertion(platform.assertion()) } == .keyNotFound)
  }

  // MARK: Counter

  @Test func parallelAssertionsNeverShareACounterValue() async throws {
    let platform = try Platform(.approve)
    let made = try await platform.authenticator(.none).makeCredential(try platform.creation(verified: false))
    var request = platform.assertion(made.credential.id, verified: false)
    request.requireUserPresence = false
    let counts = try await withThrowingTaskGroup(of: [UInt32].self) { [request] group in
      for _ in 0..<8 {
        group.addTask {
          let authenticator = try await platform.authenticator(.none)
          var counts: [UInt32] = []
          for _ in 0..<25 {
            let result = try await authenticator.getAssertion(request)
            counts.append(try AuthenticatorData(rawBytes: result.authenticatorData).signCount)
          }
          return counts
        }
      }
      var all: [UInt32] = []
      for try await part in group {
        #expect(part == part.sorted())
        all += part
      }
      return all
    }
    #expect(counts.count == 200 && Set(counts).count == 200)
    #expect(!counts.contains(0))
  }

  @Test func aZeroCounterStaysZero() async throws {
    var platform = try Platform(.match(), .match(), .match())
    platform.configuration.counter = .zero
    let authenticator = try await platform.authenticator()
    _ = try await authenticator.makeCredential(try platform.creation())
    for _ in 0..<2 {
      let result = try await authenticator.getAssertion(platform.assertion())
      #expect(try AuthenticatorData(rawBytes: result.authenticatorData).signCount == 0)
    }
  }

  @Test func withoutACounterThereIsNoSignature() async throws {
    let platform = try Platform(.match(), .match())
    let authenticator = try await platform.authenticator()
    _ = try await authenticator.makeCredential(try platform.creation())
    platform.device.store.repair()
    platform.device.store.fail(.advance)
    #expect(await code { try await authenticator.getAssertion(platform.assertion()) } == .storageFailed)
    #expect(!platform.device.store.calls.contains(.sign))
  }

  // MARK: AppID

  @Test func anAppIDsCredentialSignsItsHash() async throws {
    let platform = try Platform(.match(), .match())
    let authenticator = try await platform.authenticator()
    var creation = try platform.creation()
    creation.relyingPartyID = "https://example.org/app-id.json"
    let made = try await authenticator.makeCredential(creation)
    var request = platform.assertion(made.credential.id)
    request.appID = creation.relyingPartyID
    let result = try await authenticator.getAssertion(request)
    #expect(result.usedAppID)
    #expect(
      try AuthenticatorData(rawBytes: result.authenticatorData).relyingPartyIDHash
        == SHA256.hash(Array(creation.relyingPartyID.utf8)))
  }
}

/// Chooses by names in Universal Time, so that a test does not depend on where it runs.
struct UTCSelection: CredentialSelectionDelegate {
  let responder: any PromptResponder

  func selectCredential(
    among candidates: [PublicKeyCredentialSource], deadline: Duration
  ) async throws -> CredentialID? {
    let names = CredentialNames(candidates) { time in
      time.seconds == 1_700_000_000 ? "20231114 22:13:20" : String(time.seconds)
    }
    return names.id(
      of: try await responder.choose(
        ChoiceQuestion(options: names.all, prompt: Prompt(reason: "Choose"), deadline: deadline)))
  }
}
