import AuthenticatorCoding
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
      // One line each: a name with a line break in it must not look like two options.
      for (index, option) in question.options.enumerated() {
        try session.say("  \(index + 1)  \(PrintableText.line(option))")
      }
      while true {
        let answer = try session.readLine(texts.choice)
        if let number = Int(answer), question.options.indices.contains(number - 1) {
          return question.options[number - 1]
        }
        if let option = Self.option(answer, of: question.options) { return option }
      }
    }
  }

  /// The option that was typed, as it was offered: by its bytes, else one that looks alike, since nobody knows how a
  /// keyboard composes what is typed.
  static func option(_ answer: String, of options: [String]) -> String? {
    options.first { $0.isIdentical(to: answer) } ?? options.first { $0 == answer }
  }

  /// The lines of a content, whichever line ends its server writes; a tab is a step to the right.
  static func lines(of content: String) -> [String] {
    content.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
      .map { $0.split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "    ") }
  }

  public func approve(_ question: ApprovalQuestion) async throws -> Bool {
    let texts = texts
    return try await terminal.prompt(until: question.deadline) { session in
      try session.show(question.prompt)
      for line in Self.lines(of: question.content) { try session.say(line) }
      while true {
        let answer = try session.readLine(texts.approval).lowercased()
        if texts.yes.contains(answer) { return true }
        if texts.no.contains(answer) { return false }
      }
    }
  }
}
