import AuthenticatorCore
import AuthenticatorCrypto
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The terminal on which prompts are shown: the process's own (`/dev/tty`), else standard input if that is one.
///
/// One prompt at a time; a second one is `busy`. Entries of secrets do not show, and the terminal's mode is put back on
/// every way out, also when a signal ends the process. Reading runs on a thread of its own.
public actor PromptTerminal {
  private nonisolated let executor = BlockingExecutor(label: "AuthenticatorKit.terminal")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let path: String
  private let fallsBackToStandardInput: Bool
  private let environment: AuthenticatorEnvironment
  private let signalsInterrupt: Bool
  /// Who has the terminal.
  private nonisolated let holder = Mutex<TerminalSession.Cancellation?>(nil)

  /// Prompts on a terminal.
  /// - Parameters:
  ///   - path: a terminal device; nil: the process's own, else standard input.
  ///   - environment: whose uptime ends prompts.
  ///   - signalsInterrupt: Control-C in a hidden entry is `SIGINT` to the process, as it is outside of one; without it,
  ///     the prompt alone ends, with `userCanceled`. For programs that end by that signal.
  public init(path: String? = nil, environment: AuthenticatorEnvironment, signalsInterrupt: Bool = false) {
    self.path = path ?? "/dev/tty"
    fallsBackToStandardInput = path == nil
    self.environment = environment
    self.signalsInterrupt = signalsInterrupt
  }

  /// Whether there is a terminal to prompt on. Silent.
  public nonisolated var isAvailable: Bool {
    guard let device = openDevice() else { return false }
    device.release()
    return true
  }

  /// Lends the terminal to one prompt. One that was ended but has not left yet is waited for.
  /// - Throws: `notInteractive` without a terminal, `busy`; what `body` throws; `appCanceled` when the task is
  ///   cancelled.
  nonisolated func prompt<Value: Sendable>(
    until deadline: Duration, _ body: @escaping @Sendable (TerminalSession) throws -> Value
  ) async throws -> Value {
    let cancellation = TerminalSession.Cancellation()
    let isFree = holder.withLock { holder in
      guard holder?.isSet ?? true else { return false }
      holder = cancellation
      return true
    }
    guard isFree else { throw AuthenticatorError(.busy, stage: "terminal") }
    defer { holder.withLock { if $0 === cancellation { $0 = nil } } }
    return try await withTaskCancellationHandler {
      try await run(until: deadline, cancellation, body)
    } onCancel: {
      cancellation.set()
    }
  }

  private func run<Value: Sendable>(
    until deadline: Duration, _ cancellation: TerminalSession.Cancellation,
    _ body: @Sendable (TerminalSession) throws -> Value
  ) throws -> Value {
    guard let device = openDevice() else {
      throw AuthenticatorError(.notInteractive, stage: "terminal", reason: "there is no terminal")
    }
    defer { device.release() }
    return try body(
      TerminalSession(
        device: device, deadline: deadline, uptime: environment.uptime, cancellation: cancellation,
        signalsInterrupt: signalsInterrupt))
  }

  private nonisolated func openDevice() -> TerminalDevice? {
    let file = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    if file >= 0 {
      if isatty(file) == 1 { return TerminalDevice(input: file, output: file, isOwned: true) }
      close(file)
    }
    guard fallsBackToStandardInput, isatty(STDIN_FILENO) == 1 else { return nil }
    return TerminalDevice(input: STDIN_FILENO, output: STDERR_FILENO, isOwned: false)
  }
}

/// An open terminal.
struct TerminalDevice {
  let input: CInt
  let output: CInt
  let isOwned: Bool

  func release() { if isOwned { close(input) } }
}
