import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Synchronization
import Testing

extension ApplicationPINAuthenticatorTests {
  // MARK: The text of a PIN

  @Test func theSameTextInAnotherFormIsTheSamePIN() async throws {
    // Å as one character, as letter and ring, and as the sign for ångström; digits of full width.
    let device = try Self.device(.pin("\u{C5}äo１2"), .pin("A\u{30A}a\u{308}o12"), .pin("\u{212B}äo12"))
    let record = try await device.bind(device.applicationPIN)
    try await device.signIn(device.applicationPIN, record)
    try await device.signIn(device.applicationPIN, record)
  }

  @Test(arguments: ["123", "", "äöü", "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦"])
  func tooFewCharactersAreRejectedWhateverTheirBytes(_ pin: String) async throws {
    let device = try Self.device(.pin(ScriptedText(pin)))
    let request = try device.registration(of: device.owner())
    #expect(await code { try await device.applicationPIN.register(request) } == .pinRejected)
    #expect(try await !device.store.isSet(domain(device)))
    #expect(try await device.store.records(matching: .everything).isEmpty)
  }

  @Test func fourCharactersOfManyBytesSuffice() async throws {
    let device = try Self.device(.pin("👨‍👩‍👧‍👦äöü"))
    _ = try await device.bind(device.applicationPIN)
  }

  @Test(arguments: [256, 257, 1024, 1025, 100_000])
  func bytesAreCountedFromAbove(_ count: Int) async throws {
    let device = try Self.device(.pin(ScriptedText(String(repeating: "7", count: count))))
    let request = try device.registration(of: device.owner())
    if count <= PINPolicy().maximumBytes {
      _ = try await device.applicationPIN.register(request)
    } else {
      #expect(await code { try await device.applicationPIN.register(request) } == .pinRejected)
    }
  }

  @Test func normalizationCannotPassTheLimit() async throws {
    // One character that becomes eighteen.
    let device = try Self.device(.pin(ScriptedText(String(repeating: "\u{FDFA}", count: 300))))
    let request = try device.registration(of: device.owner())
    #expect(await code { try await device.applicationPIN.register(request) } == .pinRejected)
  }

  /// Collects bytes that are no text.
  struct Garbage: PINCollector {
    func collectPIN(_ request: PINRequest) async throws -> SecretBytes { SecretBytes([0x31, 0x32, 0x33, 0xFF, 0xC0]) }
  }

  @Test func whatIsNotUTF8IsRejected() async throws {
    let device = try Self.device()
    let authenticator = ApplicationPINAuthenticator(
      config: ApplicationPINConfig(pinCollector: Garbage()), context: device.context)
    let request = try device.registration(of: device.owner())
    #expect(await code { try await authenticator.register(request) } == .pinRejected)
  }

  /// Remembers what it was asked.
  final class Asked: PINCollector {

    private let asked = Mutex<[PINRequest.Purpose]>([])
    var purposes: [PINRequest.Purpose] { asked.withLock { $0 } }
    let base: ScriptedUserVerifier
    init(_ base: ScriptedUserVerifier) { self.base = base }
    func collectPIN(_ request: PINRequest) async throws -> SecretBytes {
      asked.withLock { $0.append(request.purpose) }
      return try await base.collectPIN(request)
    }
  }

  @Test func theCollectorLearnsPolicyAndRemainingTries() async throws {
    let device = try Self.device(.pin("739105"), .pin("1111"), .pin("739105"), .pin("739105"), .pin("842064"))
    let collector = Asked(device.verifier)
    let policy = PINPolicy(minimumCharacters: 6, maximumBytes: 64)
    let authenticator = ApplicationPINAuthenticator(
      config: ApplicationPINConfig(pinCollector: collector, policy: policy), context: device.context)
    let record = try await device.bind(authenticator)
    try await device.signIn(authenticator, record)
    try await authenticator.changePIN(
      of: device.owner(), prompt: Prompt(reason: "Change"), deadline: device.environment.clock.uptime + .seconds(60))
    #expect(
      collector.purposes == [
        .create(policy), .enter(attemptsRemaining: 10), .enter(attemptsRemaining: 9),
        .enter(attemptsRemaining: 10), .change(policy),
      ])
    #expect(authenticator.config.policy == policy)
  }

  // MARK: Change

  @Test func aChangeKeepsTheKeysBound() async throws {
    let device = try Self.device(.pin("739105"), .pin("739105"), .pin("842064"), .pin("842064"), .pin("739105"))
    let record = try await device.bind(device.applicationPIN)
    let deadline = device.environment.clock.uptime + .seconds(60)
    try await device.applicationPIN.changePIN(of: device.owner(), prompt: Prompt(reason: "Change"), deadline: deadline)
    try await device.signIn(device.applicationPIN, record)
    let request = try device.signing(record)
    #expect(await code { try await device.applicationPIN.authenticate(request) } == .userCanceled)
  }

  @Test func aRejectedNewPINLeavesTheOldOne() async throws {
    let device = try Self.device(.pin("739105"), .pin("739105"), .pin("1"), .pin("739105"))
    let record = try await device.bind(device.applicationPIN)
    let deadline = device.environment.clock.uptime + .seconds(60)
    #expect(
      await code {
        try await device.applicationPIN.changePIN(
          of: device.owner(), prompt: Prompt(reason: "Change"), deadline: deadline)
      } == .pinRejected)
    try await device.signIn(device.applicationPIN, record)
  }

  @Test func aChangeNeedsThePresentPIN() async throws {
    let device = try Self.device(.pin("739105"), .pin("1"), .pin("2"), .pin("3"), .pin("842064"))
    _ = try await device.bind(device.applicationPIN)
    let deadline = device.environment.clock.uptime + .seconds(60)
    #expect(
      await code {
        try await device.applicationPIN.changePIN(
          of: device.owner(), prompt: Prompt(reason: "Change"), deadline: deadline)
      } == .userVerificationFailed)
    #expect(
      await code {
        try await device.applicationPIN.changePIN(
          of: device.owner("bob"), prompt: Prompt(reason: "Change"), deadline: deadline)
      } == .keyNotFound)
  }
}
