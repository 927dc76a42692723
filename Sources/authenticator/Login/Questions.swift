import AuthenticatorCore
import AuthenticatorLinux
import Glibc

/// Asks the person at the terminal what the server asks.
struct Questions: Sendable {
  private let terminal: PromptTerminal
  private let environment: AuthenticatorEnvironment
  /// How long one question waits.
  private static let patience: Duration = .seconds(600)

  /// Nil when standard input is no terminal: then nothing may be asked.
  init?(environment: AuthenticatorEnvironment) {
    guard isatty(STDIN_FILENO) == 1 else { return nil }
    terminal = Person.terminal(environment: environment)
    self.environment = environment
  }

  private var deadline: Duration { environment.uptime() + Self.patience }

  /// Asks for a line.
  func ask(_ label: String) async throws -> String { try await terminal.ask(label, until: deadline) }

  /// Asks for a line that does not show.
  func askSecret(_ label: String) async throws -> String {
    try await terminal.askSecret(label, until: deadline).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// Asks for one of several options, by number (from 1) or by text; an empty line takes the default.
  /// - Returns: the place, counted from 0.
  func choose(_ question: String, among options: [String], default preset: Int?) async throws -> Int {
    var lines = question.isEmpty ? [] : [question]
    lines += options.enumerated().map { "  \($0.offset + 1)  \($0.element)" }
    try await terminal.show(lines.joined(separator: "\n"), until: deadline)
    let label = preset.map { "Number [\($0 + 1)]:" } ?? "Number:"
    while true {
      let line = try await ask(label)
      if line.isEmpty, let preset { return preset }
      if let number = Int(line), options.indices.contains(number - 1) { return number - 1 }
      if let index = options.firstIndex(of: line) { return index }
    }
  }
}
