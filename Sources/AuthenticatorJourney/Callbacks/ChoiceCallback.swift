import AuthenticatorCoding
import AuthenticatorCore

/// Asks for one of several choices.
public final class ChoiceCallback: Callback {
  public override class var wireType: String { "ChoiceCallback" }

  /// What to show above the choices; server text.
  public var prompt: String { payload.text("prompt") ?? "" }
  /// The choices in order; server texts.
  public var choices: [String] { payload.texts("choices") ?? [] }

  /// The preselected choice; nil when the server names none, or one that is not there.
  public var defaultChoice: Int? {
    payload.wholeNumber("defaultChoice").flatMap { choices.indices.contains($0) ? $0 : nil }
  }

  /// The choice made; nil: none, the input goes back as received.
  public var selectedIndex: Int? { answer()?.intValue }

  /// Chooses by place, counted from 0.
  /// - Throws: `invalidRequest` when there is no such choice.
  public func select(_ index: Int) throws {
    guard choices.indices.contains(index) else { throw OptionRange.refused("choice") }
    answer(.integer(Int64(index)))
  }

  /// Chooses by its exact text.
  /// - Throws: `invalidRequest` when there is no such choice.
  public func select(_ choice: String) throws {
    guard let index = choices.firstIndex(of: choice) else { throw OptionRange.refused("choice") }
    try select(index)
  }
}

/// The refusal of an answer that is none of the options.
enum OptionRange {
  static func refused(_ what: String) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "journey.answer", reason: "there is no such \(what)")
  }
}
