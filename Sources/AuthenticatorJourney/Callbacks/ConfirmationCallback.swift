import AuthenticatorCoding

/// Asks to press one of several buttons. Unanswered, it goes back as received.
public final class ConfirmationCallback: Callback {
  public override class var wireType: String { "ConfirmationCallback" }

  /// What to show above the buttons; server text.
  public var prompt: String { payload.text("prompt") ?? "" }
  /// 0 information, 1 warning, 2 error.
  public var messageType: Int { payload.wholeNumber("messageType") ?? 0 }
  /// -1 the `options`, 0 yes and no, 1 yes, no and cancel, 2 OK and cancel.
  public var optionType: Int { payload.wholeNumber("optionType") ?? -1 }
  /// The index of the button that Return presses.
  public var defaultOption: Int? { payload.wholeNumber("defaultOption") }

  /// The buttons in order, with the index that each one answers: the server's texts, or the standard ones of its
  /// option type, in English.
  public var buttons: [(index: Int, title: String)] {
    let options = payload.texts("options") ?? []
    if !options.isEmpty { return options.enumerated().map { (index: $0.offset, title: $0.element) } }
    switch optionType {
    case 0: return [(0, "Yes"), (1, "No")]
    case 1: return [(0, "Yes"), (1, "No"), (2, "Cancel")]
    case 2: return [(3, "OK"), (2, "Cancel")]
    default: return []
    }
  }

  /// The titles of the buttons.
  public var options: [String] { buttons.map(\.title) }

  /// The answer given; nil: none.
  public var selectedIndex: Int? { answer()?.intValue }

  /// Beside a polling callback it is the way out, not a question.
  public override var awaitsAnswer: Bool {
    guard node?.callback(PollingWaitCallback.self) == nil else { return false }
    return super.awaitsAnswer
  }

  /// Presses a button by the index it answers.
  /// - Throws: `invalidRequest` when there is no such button.
  public func select(_ index: Int) throws {
    guard buttons.contains(where: { $0.index == index }) else { throw OptionRange.refused("option") }
    answer(.integer(Int64(index)))
  }

  /// Presses a button by its exact title.
  /// - Throws: `invalidRequest` when there is no such button.
  public func select(_ title: String) throws {
    guard let button = buttons.first(where: { $0.title == title }) else { throw OptionRange.refused("option") }
    try select(button.index)
  }
}
