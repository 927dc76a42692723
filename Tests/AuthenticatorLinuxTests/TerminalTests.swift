import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorLinux
import AuthenticatorTestSupport
import DeviceAuthenticators
import Glibc
import Synchronization
import TestMachine
import Testing

/// Prompts on a pseudo-terminal, with a test at the other end. One at a time: a process has one terminal.
@Suite(.serialized) struct TerminalTests {
  /// Knows one passcode.
  struct Known: PasscodeChecker {
    var passcode = "482913"
    var current = MethodState.ready
    func state() async -> MethodState { current }
    func check(_ passcode: SecretBytes) async throws -> Bool { passcode.matches(Array(self.passcode.utf8)) }
  }

  let screen: PseudoTerminal
  let environment = AuthenticatorEnvironment(appIdentifier: nil, deviceName: "test")
  let terminal: PromptTerminal

  init() throws {
    screen = try PseudoTerminal()
    terminal = PromptTerminal(path: screen.path, environment: environment)
  }

  func verifier(_ passcodes: any PasscodeChecker = Known()) -> TerminalUserVerifier {
    TerminalUserVerifier(terminal: terminal, passcodes: passcodes, environment: environment)
  }

  func request(timeout: Duration = .seconds(60), prompt: Prompt = Prompt(reason: "Sign in"))
    -> VerificationRequest
  {
    VerificationRequest(
      operation: OperationID(bytes: [1]), level: .verified,
      owner: KeyOwner(instance: "https://a", family: .deviceBinding, party: "/", account: nil), prompt: prompt,
      deadline: environment.uptime() + timeout)
  }

  func pinRequest(_ purpose: PINRequest.Purpose) -> PINRequest {
    PINRequest(purpose: purpose, prompt: Prompt(reason: "Unlock"), deadline: environment.uptime() + .seconds(60))
  }

  static let passcode = KeyAccess(gate: .verified([.passcode, .fingerprint]))

  // MARK: The passcode

  @Test func thePasscodeDoesNotShowAndIsChecked() async throws {
    let (verifier, request) = (verifier(), request())
    let task = Task { try await verifier.verify(request, by: Self.passcode) }
    try await screen.wait(for: "Device passcode:")
    try await screen.waitUntilHidden()
    screen.type("482914\r")
    let shown = try await screen.wait(for: "Device passcode:")
    #expect(shown.contains("Wrong."))
    try await screen.waitUntilHidden()
    screen.type("482913\n")
    let ticket = try await task.value
    #expect(ticket.verification.methods == [.passcode])
    #expect(!(shown + screen.rest()).contains("48291"))
    #expect(screen.isInOrder)
  }

  @Test func anAnswerTypedAtOnceNeitherShowsNorIsLost() async throws {
    let verifier = verifier()
    // Before the prompt: it shows, and is read. As soon as the question stands there: it does not show either.
    screen.type("482914\n")
    let early = request()
    let task = Task { try await verifier.verify(early, by: Self.passcode) }
    try await screen.wait(for: "Wrong.\r\nDevice passcode:")
    #expect(!screen.echoes)
    screen.type("482913\n")
    #expect(try await task.value.verification.methods == [.passcode])
    #expect(!screen.rest().contains("48291"))
    #expect(screen.isInOrder)
  }

  @Test func threeWrongEntriesEndThePrompt() async throws {
    let (verifier, request) = (verifier(), request())
    let task = Task { try await verifier.verify(request, by: Self.passcode) }
    for _ in 0..<3 {
      try await screen.wait(for: "Device passcode:")
      try await screen.waitUntilHidden()
      screen.type("1\n")
    }
    await #expect(throws: AuthenticatorError(.userVerificationFailed)) { try await task.value }
  }

  @Test func keysEditTheEntry() async throws {
    let (verifier, request) = (verifier(Known(passcode: "aé")), request())
    let task = Task { try await verifier.verify(request, by: Self.passcode) }
    try await screen.wait(for: "Device passcode:")
    try await screen.waitUntilHidden()
    // Control-U takes all back, Backspace one character of several bytes; Escape and Control-D in between do nothing.
    screen.type("nonsense\u{15}\u{7F}a€\u{7F}\u{1B}\u{04}x\u{08}é\n")
    #expect(try await task.value.verification.level == .verified)
  }

  @Test(arguments: ["\u{03}", "\u{04}", "123\u{03}"])
  func controlCAndAnEmptyControlDCancel(_ keys: String) async throws {
    let (verifier, request) = (verifier(), request())
    let task = Task { try await verifier.verify(request, by: Self.passcode) }
    try await screen.wait(for: "Device passcode:")
    try await screen.waitUntilHidden()
    screen.type(keys)
    await #expect(throws: AuthenticatorError(.userCanceled)) { try await task.value }
    #expect(screen.isInOrder)
  }

  @Test func theDeadlineEndsThePromptAndRestoresTheMode() async throws {
    let (verifier, request) = (verifier(), request(timeout: .seconds(2)))
    let task = Task { try await verifier.verify(request, by: Self.passcode) }
    try await screen.wait(for: "Device passcode:")
    screen.type("4829")
    await #expect(throws: AuthenticatorError(.timedOut)) { try await task.value }
    #expect(screen.isInOrder)
  }

  @Test func cancellingTheTaskEndsThePromptAndTheNextOneWorks() async throws {
    let (verifier, first, second) = (verifier(), request(), request())
    let task = Task { try await verifier.verify(first, by: Self.passcode) }
    try await screen.wait(for: "Device passcode:")
    try await screen.waitUntilHidden()
    await #expect(throws: AuthenticatorError(.busy)) { try await verifier.verify(second, by: Self.passcode) }
    task.cancel()
    let next = Task { try await verifier.verify(second, by: Self.passcode) }
    await #expect(throws: AuthenticatorError(.appCanceled)) { try await task.value }
    try await screen.wait(for: "Device passcode:")
    try await screen.waitUntilHidden()
    screen.type("482913\n")
    #expect(try await next.value.verification.level == .verified)
    #expect(screen.isInOrder)
  }

  @Test func aSignalThatEndsTheProcessRestoresTheMode() async throws {
    let path = screen.path
    #expect(screen.isInOrder)
    await #expect(processExitsWith: .signal(SIGTERM)) { [path = path as String] in
      let environment = AuthenticatorEnvironment(appIdentifier: nil, deviceName: "test")
      let collector = TerminalPINCollector(terminal: PromptTerminal(path: path, environment: environment))
      let request = PINRequest(
        purpose: .enter(attemptsRemaining: nil), prompt: Prompt(reason: ""),
        deadline: environment.uptime() + .seconds(60))
      Task { try await collector.collectPIN(request) }
      let terminal = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
      var mode = termios()
      repeat {
        try await Task.sleep(for: .milliseconds(2))
        tcgetattr(terminal, &mode)
      } while mode.c_lflag & tcflag_t(ECHO) != 0
      kill(getpid(), SIGTERM)
      try await Task.sleep(for: .seconds(60))
    }
    #expect(screen.isInOrder)
  }

  @Test func textFromOutsideCannotSteerTheTerminal() async throws {
    var prompt = Prompt(reason: "Pay\u{1B}[2J\u{202E}now\u{9B}31m\r!")
    prompt.lines = [Prompt.Line(label: "To\u{07}", text: "Bob 👩‍👧")]
    let (verifier, request) = (verifier(), request(prompt: prompt))
    let task = Task { try await verifier.verify(request, by: Self.passcode) }
    let shown = try await screen.wait(for: "Device passcode:")
    #expect(shown.contains("Pay\u{FFFD}[2J\u{FFFD}now\u{FFFD}31m\u{FFFD}!"))
    #expect(shown.contains("To\u{FFFD}: Bob 👩‍👧"))
    #expect(!shown.unicodeScalars.contains("\u{1B}"))
    try await screen.waitUntilHidden()
    screen.type("\u{03}")
    _ = await task.result
  }

  // MARK: Together with the rest

  @Test func theTerminalVerifierKeepsItsContract() async throws {
    let verifier = verifier()
    let answerer = Mutex<Task<Void, any Error>?>(nil)
    let screen = screen
    let violations = try await ConformanceChecks.verifier(
      verifier, access: Self.passcode, environment: environment,
      answering: {
        answerer.withLock {
          $0 = Task {
            try await screen.wait(for: "Device passcode:")
            try await screen.waitUntilHidden()
            screen.type("482913\n")
          }
        }
      }, ignoring: {})
    #expect(violations == [])
    try await answerer.withLock { $0 }?.value
  }

  @Test(.enabled(if: Skips.unless(PAMServices.module != nil), "pam_matrix (libpam-wrapper) is not installed"))
  func aKeyOpensByTheAccountsPassword() async throws {
    let services = try PAMServices()
    let checker = PAMPasscodeChecker(service: "device", directory: services.path, user: "alice")
    let device = try TestDevice(ScriptedDevice())
    let context = AuthenticatorContext(
      instance: device.instance, keyStore: device.store, verifier: verifier(checker), environment: environment)
    let authenticator = BiometricDeviceCredentialAuthenticator(context: context)
    var request = try device.registration(of: device.owner())
    request.deadline = environment.uptime() + .seconds(60)
    let record = try await authenticator.register(request).record
    #expect(record.access.gate == .verified([.passcode]))
    let screen = screen
    let typing = Task {
      try await screen.wait(for: "Device passcode:")
      try await screen.waitUntilHidden()
      screen.type("correct horse\n")
    }
    let key = try await authenticator.authenticate(keyTag: record.tag, prompt: Prompt(reason: "Sign in"))
    try await typing.value
    #expect(key.verification?.methods == [.passcode])
  }
}
