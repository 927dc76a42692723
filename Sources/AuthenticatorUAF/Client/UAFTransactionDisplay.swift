import AuthenticatorCore
import DeviceAuthenticators

/// Shows transactions and asks for a yes or a no. An earlier verification never replaces the answer.
///
/// Conform to it to draw pictures or an own view; text alone needs none, the configuration's responder shows it.
public protocol UAFTransactionDisplay: Sendable {
  /// Whether pictures can be shown.
  var displaysImages: Bool { get }

  /// Shows content and waits for the answer; ends when its task is cancelled.
  /// - Returns: whether the person approved.
  /// - Throws: `userCanceled`, `systemCanceled`, `timedOut`, `notInteractive`; `invalidTransactionContent` when the
  ///   content cannot be shown.
  func approve(_ content: UAFTransaction.Content, prompt: Prompt, deadline: Duration) async throws -> Bool
}

/// Shows text by a prompt responder.
struct TextTransactionDisplay: UAFTransactionDisplay {
  let responder: any PromptResponder
  var displaysImages: Bool { false }

  func approve(_ content: UAFTransaction.Content, prompt: Prompt, deadline: Duration) async throws -> Bool {
    guard case .text(let text) = content else { throw UAFTransaction.invalid("is a picture, and none can be shown") }
    return try await responder.approve(
      ApprovalQuestion(kind: .transaction, content: text, prompt: prompt, deadline: deadline))
  }
}
