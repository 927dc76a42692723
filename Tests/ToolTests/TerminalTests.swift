import AuthenticatorCoding
import Glibc
import Testing
import ToolSupport

/// `login` with a person at a terminal.
@Suite struct TerminalTests {
  private let bench: Bench

  init() async throws { bench = try await Bench() }

  private func login(_ journey: String, _ more: String...) throws -> PseudoTerminal {
    try PseudoTerminal(
      Tool.path, ["login", "--server", bench.url, "--journey", journey, "--store", bench.store] + more)
  }

  @Test func asksForNameAndPasswordWithoutEcho() async throws {
    let terminal = try login("Login")
    #expect(try await terminal.wait(for: ":").contains("Sign in"))
    terminal.type("mira")
    try await terminal.wait(for: "assword:")
    #expect(!terminal.echoes)
    terminal.type("correct horse")
    let (status, screen) = try await terminal.result()
    #expect(status == 0)
    #expect(screen.contains("signed in to realm /"))
    #expect(!screen.contains("correct horse"))
  }

  @Test func controlCAtAHiddenQuestionIsASignalAndPutsTheTerminalBack() async throws {
    let terminal = try login("Login", "--answer", "NameCallback=mira")
    try await terminal.wait(for: "assword:")
    terminal.type(bytes: [3])
    let (status, screen) = try await terminal.result()
    #expect(status == 130)
    #expect(screen.contains("appCanceled"))
    #expect(terminal.echoes)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalAtAPromptPutsTheTerminalBack(signal: Int32) async throws {
    let terminal = try login("Login", "--answer", "NameCallback=mira")
    try await terminal.wait(for: "assword:")
    terminal.send(signal)
    let (status, screen) = try await terminal.result()
    #expect(status == 128 + signal)
    #expect(screen.contains("ended by a signal (appCanceled)"))
    #expect(terminal.echoes)
  }

  @Test func controlCAtAQuestionThatShowsIsASignal() async throws {
    let terminal = try login("Login")
    try await terminal.wait(for: ":")
    terminal.type(bytes: [3])
    let (status, screen) = try await terminal.result()
    #expect(status == 130)
    #expect(screen.contains("appCanceled"))
  }

  @Test func anAnswerGivenAtOnceNeitherShowsNorIsLost() async throws {
    let terminal = try login("Login", "--answer", "NameCallback=mira")
    try await terminal.wait(for: "assword:")
    terminal.type("correct horse")
    let (status, screen) = try await terminal.result()
    #expect(status == 0)
    #expect(!screen.contains("correct horse"))
  }

  @Test func offersChoicesByNumberAndByText() async throws {
    for answer in ["1", "Password"] {
      let terminal = try login("Choice", "--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse")
      let screen = try await terminal.wait(for: "Number")
      #expect(screen.contains("1  Password") && screen.contains("2  Device"))
      terminal.type("7")
      try await terminal.wait(for: "Number")
      terminal.type(answer)
      #expect(try await terminal.result().status == 0)
    }
  }

  @Test func collectsAnApplicationPINTwiceAndThenOnce() async throws {
    var terminal = try login(
      "BindDevicePIN", "--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse")
    try await terminal.wait(for: "New PIN:")
    #expect(!terminal.echoes)
    terminal.type("2718")
    try await terminal.wait(for: "again:")
    terminal.type("2718")
    var (status, screen) = try await terminal.result()
    #expect(status == 0, "\(screen)")
    #expect(!screen.contains("2718"))

    terminal = try login("SignDevice", "--answer", "NameCallback=mira")
    try await terminal.wait(for: "PIN:")
    terminal.type("2718")
    (status, screen) = try await terminal.result()
    #expect(status == 0, "\(screen)")
  }

  @Test func withRedirectedInputNothingIsAsked() async throws {
    let result = try await Tool.run(["login", "--server", bench.url, "--json"], input: "mira\ncorrect horse\n")
    #expect(result.status == 3)
    #expect(try result.json()["code"] == "answerMissing")
  }

  @Test func aPasscodeThatNothingCanCheckIsRefused() async throws {
    let terminal = try login(
      "BindDevice", "--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse",
      "--authenticator", "passcode", "--allow-software-keys", "--pam-folder", bench.folder.path)
    let (status, screen) = try await terminal.result()
    #expect(status == 1)
    #expect(screen.contains("passcodeNotSet"))
  }
}
