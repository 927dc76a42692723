import AuthenticatorCore
import AuthenticatorCrypto
import DeviceAuthenticators

/// Collects application PINs on a terminal, without echo. The limits of a new one are shown; it is asked for until it
/// keeps them, and entered twice.
public struct TerminalPINCollector: PINCollector {
  private let terminal: PromptTerminal
  private let texts: TerminalTexts

  /// Prompts on `terminal`.
  public init(terminal: PromptTerminal, texts: TerminalTexts = TerminalTexts()) {
    self.terminal = terminal
    self.texts = texts
  }

  public func collectPIN(_ request: PINRequest) async throws -> SecretBytes {
    let texts = texts
    return try await terminal.prompt(until: request.deadline) { session in
      try session.show(request.prompt)
      switch request.purpose {
      case .enter(let attemptsRemaining):
        if let attemptsRemaining { try session.say(texts.attemptsRemaining(attemptsRemaining)) }
        return try session.readSecret(texts.pin)
      case .create(let policy), .change(let policy):
        try session.say(texts.pinPolicy(policy))
        while true {
          let first = try session.readSecret(texts.newPIN)
          guard policy.admits(first) else {
            try session.say(texts.pinRejected)
            try session.say(texts.pinPolicy(policy))
            continue
          }
          if try session.readSecret(texts.repeatPIN).matches(first) { return first }
          try session.say(texts.different)
        }
      }
    }
  }
}
