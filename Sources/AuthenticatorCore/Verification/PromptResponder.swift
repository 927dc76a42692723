/// Answers what is neither a secret nor a verification: a choice among options, a yes or no to shown content.
///
/// A protocol's own delegates are usually built on one. The scripted verifier and the terminal conform. An earlier
/// verification never replaces an answer.
public protocol PromptResponder: Sendable {
  /// Lets the person choose.
  /// - Returns: one of `options`, verbatim.
  /// - Throws: `userCanceled`, `systemCanceled`, `timedOut`, `notInteractive`; `invalidRequest` without options.
  func choose(_ question: ChoiceQuestion) async throws -> String

  /// Shows content and asks for a yes or a no.
  /// - Throws: `userCanceled` when the person leaves without an answer, `systemCanceled`, `timedOut`,
  ///   `notInteractive`.
  func approve(_ question: ApprovalQuestion) async throws -> Bool
}

/// A choice to be made.
public struct ChoiceQuestion: Hashable, Sendable {
  /// What the choice is among.
  public enum Kind: String, Hashable, Sendable {
    /// Among users, keys or credentials.
    case choose
    /// Of another authenticator, after this one failed.
    case alternative
  }

  /// What the choice is among.
  public var kind: Kind
  /// The texts to choose from; at least one.
  public var options: [String]
  /// What the person reads above them.
  public var prompt: Prompt
  /// The uptime at which the question ends.
  public var deadline: Duration

  /// Makes a question.
  public init(kind: Kind = .choose, options: [String], prompt: Prompt, deadline: Duration) {
    self.kind = kind
    self.options = options
    self.prompt = prompt
    self.deadline = deadline
  }
}

/// Content to be agreed to.
public struct ApprovalQuestion: Hashable, Sendable {
  /// What is agreed to.
  public enum Kind: String, Hashable, Sendable {
    /// To a ceremony: making a credential, being recognized.
    case consent
    /// To a transaction whose content is signed.
    case transaction
  }

  /// What is agreed to.
  public var kind: Kind
  /// What is agreed to, as the person sees it.
  public var content: String
  /// What the person reads beside the content.
  public var prompt: Prompt
  /// The uptime at which the question ends.
  public var deadline: Duration

  /// Makes a question.
  public init(kind: Kind, content: String, prompt: Prompt, deadline: Duration) {
    self.kind = kind
    self.content = content
    self.prompt = prompt
    self.deadline = deadline
  }
}
