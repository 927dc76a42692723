import AuthenticatorCore

/// Choices and approvals on a terminal.
public struct TerminalPromptResponder: PromptResponder {
  private let terminal: PromptTerminal
  private let texts: TerminalTexts

  /// Prompts on `terminal`.
  public init(terminal: PromptTerminal, texts: TerminalTexts = TerminalTexts()) {
    self.terminal = terminal
    self.texts = texts
  }

  /// Lists the options; the answer is a number from 1, or an option's text.
  public func choose(_ question: ChoiceQuestion) async throws -> String {
    guard !question.options.isEmpty else {
      throw AuthenticatorError(.invalidRequest, stage: "terminal", reason: "there is nothing to choose from")
    }
    let texts = texts
    return try await terminal.prompt(until: question.deadline) { session in
      try session.show(question.prompt)
      for (index, option) in question.options.enumerated() { try session.say("  \(index + 1)  \(option)") }
      while true {
        let answer = try session.readLine(texts.choice)
        if let number = Int(answer), question.options.indices.contains(number - 1) {
          return question.options[number - 1]
        }
        if question.options.contains(answer) { return answer }
      }
    }
  }

  public func approve(_ question: ApprovalQuestion) async throws -> Bool {
    let texts = texts
    return try await terminal.prompt(until: question.deadline) { session in
      try session.show(question.prompt)
      for line in question.content.split(separator: "\n", omittingEmptySubsequences: false) {
        try session.say(String(line))
      }
      while true {
        let answer = try session.readLine(texts.approval).lowercased()
        if texts.yes.contains(answer) { return true }
        if texts.no.contains(answer) { return false }
      }
    }
  }
}
