import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorLinux
import AuthenticatorTestSupport
import DeviceAuthenticators
import Glibc
import Synchronization
import Testing

extension TerminalTests {
  // MARK: What it cannot do

  @Test func withoutATerminalNothingIsAsked() async throws {
    for path in ["/dev/null", "/nonexistent"] {
      let terminal = PromptTerminal(path: path, environment: environment)
      #expect(!terminal.isAvailable)
      let verifier = TerminalUserVerifier(terminal: terminal, passcodes: Known(), environment: environment)
      let request = request()
      await #expect(throws: AuthenticatorError(.notInteractive)) {
        try await verifier.verify(request, by: Self.passcode)
      }
      let collector = TerminalPINCollector(terminal: terminal)
      let pin = pinRequest(.enter(attemptsRemaining: nil))
      await #expect(throws: AuthenticatorError(.notInteractive)) { try await collector.collectPIN(pin) }
    }
    #expect(terminal.isAvailable)
  }

  @Test func noUncheckedPasscodeIsAccepted() async throws {
    let verifier = verifier(Known(current: .notSet))
    #expect(await verifier.methods()[.passcode] == .notSet)
    let request = request()
    await #expect(throws: AuthenticatorError(.passcodeNotSet)) { try await verifier.verify(request, by: Self.passcode) }
    #expect(screen.rest() == "")
  }

  @Test func itHasNoSensor() async throws {
    let verifier = verifier()
    #expect(await verifier.methods() == [.fingerprint: .noSensor, .face: .noSensor, .passcode: .ready])
    await #expect(throws: AuthenticatorError(.enrollmentStateUnreadable)) { try await verifier.enrollmentState() }
    let request = request()
    await #expect(throws: AuthenticatorError(.verifierUnavailable)) {
      try await verifier.verify(request, by: KeyAccess(gate: .verified([.fingerprint])))
    }
    await #expect(throws: AuthenticatorError(.unsupported)) {
      try await verifier.verify(request, by: KeyAccess(gate: .secret(SecretDomain(rawValue: "d"))))
    }
  }

  @Test func presenceIsAReturnKey() async throws {
    let verifier = verifier()
    var request = request()
    request.level = .presence
    let asked = request
    let task = Task { try await verifier.verify(asked, by: KeyAccess(gate: .open)) }
    try await screen.wait(for: "Press Return")
    screen.type("\n")
    #expect(try await task.value.verification.methods == [.presence])
  }

  // MARK: PINs, choices, approvals

  @Test func aNewPINIsEnteredTwice() async throws {
    let collector = TerminalPINCollector(terminal: terminal)
    let request = pinRequest(.create(PINPolicy()))
    let task = Task { try await collector.collectPIN(request) }
    for entries in [("739105", "739106"), ("842064", "842064")] {
      try await screen.wait(for: "New PIN:")
      try await screen.waitUntilHidden()
      screen.type(entries.0 + "\n")
      try await screen.wait(for: "again:")
      try await screen.waitUntilHidden()
      screen.type(entries.1 + "\n")
    }
    #expect(try await task.value.matches(Array("842064".utf8)))
    #expect(screen.isInOrder)
  }

  @Test func aNewPINMayBeEnteredTwiceAtOnce() async throws {
    let collector = TerminalPINCollector(terminal: terminal)
    let request = pinRequest(.change(PINPolicy()))
    let task = Task { try await collector.collectPIN(request) }
    try await screen.wait(for: "New PIN:")
    screen.type("842064\n842064\n")
    #expect(try await task.value.matches(Array("842064".utf8)))
    #expect(!screen.rest().contains("842064"))
  }

  @Test func aNewPINOutsideItsLimitsIsAskedForAgainBeforeItIsRepeated() async throws {
    let collector = TerminalPINCollector(terminal: terminal)
    let request = pinRequest(.create(PINPolicy(minimumCharacters: 6, maximumBytes: 8)))
    let task = Task { try await collector.collectPIN(request) }
    #expect(try await screen.wait(for: "New PIN:").contains("at least 6 characters and at most 8 bytes"))
    for refused in ["12345", "123456789", ""] {
      screen.type(refused + "\n")
      let shown = try await screen.wait(for: "New PIN:")
      #expect(shown.contains("Too short or too long."))
      #expect(shown.contains("at least 6 characters"))
      #expect(!shown.contains("again"))
    }
    screen.type("123456\n123456\n")
    #expect(try await task.value.matches(Array("123456".utf8)))
  }

  @Test func thePresentPINIsEnteredOnce() async throws {
    let collector = TerminalPINCollector(terminal: terminal)
    let request = pinRequest(.enter(attemptsRemaining: 2))
    let task = Task { try await collector.collectPIN(request) }
    let shown = try await screen.wait(for: "\nPIN:")
    #expect(shown.contains("Tries left: 2"))
    try await screen.waitUntilHidden()
    screen.type("739105\n")
    #expect(try await task.value.matches(Array("739105".utf8)))
  }

  @Test func whatIsTooLongIsCut() async throws {
    let collector = TerminalPINCollector(terminal: terminal)
    let request = pinRequest(.enter(attemptsRemaining: nil))
    let task = Task { try await collector.collectPIN(request) }
    try await screen.wait(for: "PIN:")
    try await screen.waitUntilHidden()
    screen.type(String(repeating: "7", count: 2000) + "\n")
    #expect(try await task.value.count == 1024)
  }

  /// What looks like another option or another line of a prompt is one.
  @Test func anOptionIsOneLine() async throws {
    let responder = TerminalPromptResponder(terminal: terminal)
    var prompt = Prompt(reason: "Who?")
    prompt.lines = [.init(label: "User", text: "a\n  Site: bank.example")]
    let question = ChoiceQuestion(
      options: ["alice\n  2  bob", "eve\u{2028}x"], prompt: prompt, deadline: environment.uptime() + .seconds(60))
    let task = Task { try await responder.choose(question) }
    let shown = try await screen.wait(for: "Number:")
    #expect(shown.contains("  1  alice\u{FFFD}  2  bob") && shown.contains("  2  eve\u{FFFD}x"))
    #expect(shown.contains("User: a\u{FFFD}  Site: bank.example"))
    screen.type("1\n")
    #expect(try await task.value == "alice\n  2  bob")
  }

  @Test func choicesAreByNumberOrText() async throws {
    let responder = TerminalPromptResponder(terminal: terminal)
    let question = ChoiceQuestion(
      options: ["alice", "bob", "\u{E9}ve", "e\u{301}ve", "zo\u{EB}"], prompt: Prompt(reason: "Who?"),
      deadline: environment.uptime() + .seconds(60))
    // Of two that look alike the one that was typed, else whichever looks like it.
    for (keys, expected) in [
      ("0\n6\n-1\nx\n2\n", "bob"), ("alice\n", "alice"), ("e\u{301}ve\n", "e\u{301}ve"), ("\u{E9}ve\n", "\u{E9}ve"),
      ("zoe\u{308}\n", "zo\u{EB}"),
    ] {
      let task = Task { try await responder.choose(question) }
      try await screen.wait(for: "Number:")
      screen.type(keys)
      #expect(Array(try await task.value.utf8) == Array(expected.utf8))
    }
    let task = Task { try await responder.choose(question) }
    try await screen.wait(for: "  2  bob")
    screen.type("\u{04}")
    await #expect(throws: AuthenticatorError(.userCanceled)) { try await task.value }
  }

  @Test func approvalsNeedAWord() async throws {
    let responder = TerminalPromptResponder(terminal: terminal)
    let question = ApprovalQuestion(
      kind: .transaction, content: "Pay 5 €\nto Bob", prompt: Prompt(reason: "Confirm"),
      deadline: environment.uptime() + .seconds(60))
    for (keys, expected) in [("\nmaybe\nYES\n", true), ("n\n", false)] {
      let task = Task { try await responder.approve(question) }
      try await screen.wait(for: "Confirm\r\nPay 5 €\r\nto Bob\r\nyes or no?")
      screen.type(keys)
      #expect(try await task.value == expected)
    }
  }

  /// Whichever line ends a server writes; a replacement character in what somebody confirms is a reason to refuse it.
  @Test(arguments: ["Pay 5 EUR\r\nto Bob", "Pay 5 EUR\rto Bob", "Pay 5 EUR\nto Bob"])
  func everyLineEndOfATransactionIsOne(content: String) async throws {
    let responder = TerminalPromptResponder(terminal: terminal)
    let question = ApprovalQuestion(
      kind: .transaction, content: content, prompt: Prompt(reason: "Confirm"),
      deadline: environment.uptime() + .seconds(60))
    let task = Task { try await responder.approve(question) }
    try await screen.wait(for: "Confirm\r\nPay 5 EUR\r\nto Bob\r\nyes or no?")
    screen.type("yes\n")
    #expect(try await task.value)
  }
}
