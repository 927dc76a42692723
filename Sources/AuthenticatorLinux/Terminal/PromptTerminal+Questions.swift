import AuthenticatorCore
import AuthenticatorCrypto

/// Plain questions, for programs that render what a server asks.
extension PromptTerminal {
  /// Shows a text.
  package nonisolated func show(_ text: String, until deadline: Duration) async throws {
    try await prompt(until: deadline) { try $0.say(text) }
  }

  /// Asks for a line that shows.
  /// - Throws: `userCanceled` at the end of input, `timedOut`, `appCanceled`, `notInteractive`, `busy`.
  package nonisolated func ask(_ label: String, until deadline: Duration) async throws -> String {
    try await prompt(until: deadline) { try $0.readLine(label) }
  }

  /// Asks for a line that does not show.
  /// - Throws: as `ask(_:until:)`.
  package nonisolated func askSecret(_ label: String, until deadline: Duration) async throws -> SecretBytes {
    try await prompt(until: deadline) { try $0.readSecret(label) }
  }
}
