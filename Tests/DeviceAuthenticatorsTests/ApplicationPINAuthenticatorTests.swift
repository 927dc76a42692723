import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Synchronization
import Testing

@Suite struct ApplicationPINAuthenticatorTests {
  static func device(_ steps: ScriptedStep...) throws -> TestDevice {
    try TestDevice(ScriptedDevice(steps: steps), providers: [SoftwareKeyProvider()])
  }

  func domain(_ device: TestDevice) -> SecretDomain {
    ApplicationPINAuthenticator.domain(of: device.owner())
  }

  // MARK: Binding and signing

  @Test func aBindIsOneEntry() async throws {
    let device = try Self.device(.pin("739105"), .pin("739105"))
    #expect(await device.applicationPIN.isSupported(attestation: .none))
    let record = try await device.bind(device.applicationPIN)
    #expect(device.kinds == [.pin])
    #expect(record.access.gate == .secret(domain(device)))
    #expect(record.protection.isSecretWrapped)
    #expect(record.protection.name == "softwarePINWrapped")
    let evidence = try await device.signIn(device.applicationPIN, record)
    #expect(evidence?.methods == [.applicationPIN])
    #expect(device.kinds == [.pin, .pin])
  }

  @Test func aSecondBindAsksForThePINThatIsSet() async throws {
    let device = try Self.device(.pin("739105"), .pin("739105"), .pin("000000"), .pin("000000"), .pin("000000"))
    let first = try await device.bind(device.applicationPIN)
    let second = try await device.bind(device.applicationPIN)
    #expect(first.access == second.access)
    let request = try device.registration(of: device.owner())
    #expect(await code { try await device.applicationPIN.register(request) } == .userVerificationFailed)
    #expect(await device.applicationPIN.health(of: first).state == .lockedOut)
  }

  @Test func everyOwnerHasADomainOfTheirOwn() {
    let base = KeyOwner(instance: "https://a", family: .deviceBinding, party: "/", account: [1])
    var others = [KeyOwner](repeating: base, count: 5)
    others[0].instance = "https://b"
    others[1].party = "/alpha"
    others[2].account = [1, 0]
    others[3].account = []
    others[4].account = nil
    let domains = Set(([base] + others).map(ApplicationPINAuthenticator.domain(of:)))
    #expect(domains.count == 6)
    var sameOwner = base
    sameOwner.family = .webAuthn
    #expect(ApplicationPINAuthenticator.domain(of: sameOwner) == ApplicationPINAuthenticator.domain(of: base))
    #expect(domains.allSatisfy { !$0.rawValue.contains("https") })
  }

  @Test func anotherAccountsPINOpensNothing() async throws {
    let device = try Self.device(.pin("739105"), .pin("111111"), .pin("111111"), .cancel)
    let alice = try await device.bind(device.applicationPIN)
    _ = try await device.bind(device.applicationPIN, owner: device.owner("bob"))
    let request = try device.signing(alice)
    #expect(await code { try await device.applicationPIN.authenticate(request) } == .userCanceled)
  }

  @Test(arguments: [
    ("1234", true), ("123", false), ("", false), ("12345678", true), ("123456789", false), ("ﬃxy", true),
    ("👩‍👧👩‍👧", false),
  ])
  func aCollectorCanTellWhatThePolicyAdmits(_ pin: String, _ isAdmitted: Bool) {
    #expect(PINPolicy(minimumCharacters: 4, maximumBytes: 8).admits(SecretBytes(Array(pin.utf8))) == isAdmitted)
  }

  // MARK: Wrong PINs

  @Test func threeWrongPINsEndTheOperation() async throws {
    let device = try Self.device(.pin("739105"), .pin("1111"), .pin("2222"), .pin("3333"), .pin("739105"))
    let record = try await device.bind(device.applicationPIN)
    let request = try device.signing(record)
    let error = await error { try await device.applicationPIN.authenticate(request) }
    #expect(error?.code == .userVerificationFailed)
    #expect(error?.attemptsRemaining == 7)
    #expect(error?.retryAfter == .seconds(5))
    #expect(device.kinds.count == 4)
    #expect(device.environment.events.contains(.attemptFailed(remaining: 7)))
  }

  @Test func aDelayIsLockedOutWithoutAPromptAndEndsByItself() async throws {
    let device = try Self.device(.pin("739105"), .pin("1111"), .pin("2222"), .pin("3333"), .pin("739105"))
    let record = try await device.bind(device.applicationPIN)
    let first = try device.signing(record)
    #expect(await code { try await device.applicationPIN.authenticate(first) } == .userVerificationFailed)
    let second = try device.signing(record)
    let error = await error { try await device.applicationPIN.authenticate(second) }
    #expect(error?.code == .lockedOut)
    #expect(error?.retryAfter == .seconds(5))
    #expect(error?.attemptsRemaining == 7)
    #expect(device.kinds.count == 4)
    #expect(await device.applicationPIN.health(of: record).state == .lockedOut)
    device.environment.clock.advance(by: .seconds(5))
    #expect(await device.applicationPIN.health(of: record).state == .usable)
    try await device.signIn(device.applicationPIN, record)
    #expect(try await device.applicationPIN.attempts(of: device.owner())?.failures == 0)
  }

  @Test func theRightPINAfterAWrongOneResetsTheCount() async throws {
    let device = try Self.device(.pin("739105"), .pin("1111"), .pin("739105"))
    let record = try await device.bind(device.applicationPIN)
    try await device.signIn(device.applicationPIN, record)
    let attempts = try #require(try await device.applicationPIN.attempts(of: device.owner()))
    #expect(attempts == AttemptState(failures: 0, remaining: 10, retryAfter: nil))
  }

  @Test func triesOfOneOperationAreConfigurable() async throws {
    let device = try Self.device(.pin("739105"), .pin("1111"))
    let record = try await device.bind(device.applicationPIN)
    let config = ApplicationPINConfig(pinCollector: device.verifier, triesPerPrompt: 0)
    let authenticator = ApplicationPINAuthenticator(config: config, context: device.context)
    let request = try device.signing(record)
    #expect(await code { try await authenticator.authenticate(request) } == .userVerificationFailed)
    #expect(device.kinds.count == 2)
  }

  @Test func lockedForGoodOnlyANewEnrollmentHelps() async throws {
    let device = try Self.device(.pin("739105"))
    let record = try await device.bind(device.applicationPIN)
    try await exhaust(device, record)
    let request = try device.signing(record)
    let error = await error { try await device.applicationPIN.authenticate(request) }
    #expect(error?.code == .lockedOut)
    #expect(error?.retryAfter == nil)
    device.verifier.script([.pin("842064"), .pin("842064")])
    let renewed = try await device.bind(device.applicationPIN)
    #expect(try await device.store.record(record.tag) == nil)
    try await device.signIn(device.applicationPIN, renewed)
  }

  @Test func aCanceledRenewalLeavesTheLockedKeyInPlace() async throws {
    let device = try Self.device(.pin("739105"))
    let record = try await device.bind(device.applicationPIN)
    try await exhaust(device, record)
    device.verifier.script([.cancel])
    let request = try device.registration(of: device.owner())
    #expect(await code { try await device.applicationPIN.register(request) } == .userCanceled)
    #expect(try await device.store.record(record.tag) != nil)
    #expect(await device.applicationPIN.health(of: record).state == .lockedOut)
  }

  func exhaust(_ device: TestDevice, _ record: KeyRecord) async throws {
    while try await device.applicationPIN.attempts(of: device.owner())?.remaining != 0 {
      device.verifier.script([.pin("0000"), .pin("0000"), .pin("0000")])
      let request = try device.signing(record)
      _ = await code { try await device.applicationPIN.authenticate(request) }
      device.environment.clock.advance(by: .seconds(3601))
    }
  }

  // MARK: Nothing left behind

  @Test func aDiscardedFirstKeyTakesItsPINAlong() async throws {
    let device = try Self.device(.pin("739105"), .pin("842064"))
    let staged = try await device.applicationPIN.register(try device.registration(of: device.owner()))
    #expect(try await device.store.isSet(domain(device)))
    try await staged.discard()
    #expect(try await !device.store.isSet(domain(device)))
    #expect(try await device.store.records(matching: .everything).isEmpty)
    _ = try await device.bind(device.applicationPIN)
  }

  @Test func aDiscardedSecondKeyLeavesThePIN() async throws {
    let device = try Self.device(.pin("739105"), .pin("739105"), .pin("739105"))
    let first = try await device.bind(device.applicationPIN)
    let second = try await device.applicationPIN.register(try device.registration(of: device.owner()))
    try await second.discard()
    try await device.signIn(device.applicationPIN, first)
  }

  @Test func aFirstKeyWhoseDomainOthersJoinedLeavesThePIN() async throws {
    let device = try Self.device(.pin("739105"), .pin("739105"), .pin("739105"))
    let first = try await device.applicationPIN.register(try device.registration(of: device.owner()))
    let second = try await device.bind(device.applicationPIN)
    try await first.discard()
    try await device.signIn(device.applicationPIN, second)
  }

  @Test func aFailedStageTakesThePINBack() async throws {
    let device = try Self.device(.pin("739105"))
    device.store.fail(.stage)
    let request = try device.registration(of: device.owner())
    #expect(await code { try await device.applicationPIN.register(request) } == .storageFailed)
    device.store.repair()
    #expect(try await !device.store.isSet(domain(device)))
  }

  @Test func aPINLeftByACrashIsReplacedAtTheNextBinding() async throws {
    let device = try Self.device(.pin("739105"), .pin("842064"), .pin("842064"))
    let staged = try await device.applicationPIN.register(try device.registration(of: device.owner()))
    // What recovery does: it knows the key only.
    try await device.store.discard(staged.record.tag)
    #expect(try await device.store.isSet(domain(device)))
    let record = try await device.bind(device.applicationPIN)
    try await device.signIn(device.applicationPIN, record)
  }

  @Test func deletingTakesThePINsAlong() async throws {
    let device = try Self.device(.pin("739105"), .pin("111111"))
    _ = try await device.bind(device.applicationPIN)
    _ = try await device.bind(device.applicationPIN, owner: device.owner("bob"))
    try await device.applicationPIN.deleteKeys(of: device.owner())
    #expect(try await !device.store.isSet(domain(device)))
    #expect(try await device.store.records(matching: .everything).count == 1)
    try await device.applicationPIN.deleteKeys()
    #expect(try await !device.store.isSet(ApplicationPINAuthenticator.domain(of: device.owner("bob"))))
    #expect(try await device.store.records(matching: .everything).isEmpty)
  }

  @Test func aKeyWithoutItsPINIsGoneAndAsksForNothing() async throws {
    let device = try Self.device(.pin("739105"), .pin("739105"))
    let record = try await device.bind(device.applicationPIN)
    try await device.store.remove(domain(device))
    #expect(await device.applicationPIN.health(of: record).state == .gone)
    let request = try device.signing(record)
    #expect(await code { try await device.applicationPIN.authenticate(request) } == .keyNotFound)
    #expect(device.kinds.count == 1)
  }

  @Test func aTicketVerifiedBeforehandServesTheRegistration() async throws {
    let device = try Self.device(.pin("739105"))
    var request = try device.registration(of: device.owner())
    request.ticket = try await device.applicationPIN.verify(
      VerificationRequest(
        operation: request.operation, level: .verified, owner: device.owner(), prompt: request.prompt,
        deadline: request.deadline, isRegistration: true))
    let staged = try await device.applicationPIN.register(request)
    #expect(staged.ticket === request.ticket)
    #expect(device.kinds == [.pin])
    try await staged.discard()
    #expect(try await !device.store.isSet(domain(device)))
  }

  @Test func cancelAndTimeAreTheirOwnResults() async throws {
    let device = try Self.device(.cancel, .systemCancel)
    for expected in [AuthenticatorError.Code.userCanceled, .systemCanceled] {
      let request = try device.registration(of: device.owner())
      #expect(await code { try await device.applicationPIN.register(request) } == expected)
    }
    let late = try device.registration(of: device.owner(), timeout: .zero)
    #expect(await code { try await device.applicationPIN.register(late) } == .timedOut)
    #expect(try await !device.store.isSet(domain(device)))
  }
}
