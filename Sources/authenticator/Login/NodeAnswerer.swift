import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorWebAuthnJourney

/// Answers the callbacks of a node that a person answers: from the command line, else on the terminal. What nobody
/// answers is posted as received; a name or a password that nobody answers is a failure.
struct NodeAnswerer {
  var answers: Answers
  let questions: Questions?
  let console: Console

  /// - Throws: `answerMissing`; a failure with status 2 for an answer that the callback refuses.
  mutating func answer(_ node: ContinueNode) async throws {
    if questions != nil {
      for text in [node.header, node.pageDescription] { if let text, !text.isEmpty { show(text) } }
    }
    var places: [String: Int] = [:]
    // Beside a poll or a credential a button is the way out.
    let hasWayOut = node.callbacks.contains { $0 is PollingWaitCallback || $0 is WebAuthnCallback }
    for callback in node.callbacks {
      places[callback.type, default: 0] += 1
      let hiddenID = (callback as? HiddenValueCallback)?.id
      let given = answers.take(callback.type, place: places[callback.type] ?? 1, hiddenID: hiddenID)
      if let given {
        console.trace("\(callback.type) answered from the command line")
        try fill(callback, with: given)
      } else {
        try await ask(callback, hasWayOut: hasWayOut)
      }
    }
  }

  /// Texts from the server are for people; with `--json` and no terminal nobody reads them.
  private func show(_ text: String) {
    if questions != nil || !console.isJSON { console.say(text) }
  }

  // MARK: From the command line

  private func fill(_ callback: Callback, with text: String) throws {
    do {
      switch callback {
      case let callback as NameCallback: callback.name = text
      case let callback as PasswordCallback: callback.password = text
      case let callback as TextInputCallback: callback.text = text
      case let callback as HiddenValueCallback: callback.value = text
      case let callback as ChoiceCallback:
        if let index = Self.index(text), callback.choices.indices.contains(index) {
          try callback.select(index)
        } else {
          try callback.select(text)
        }
      case let callback as ConfirmationCallback:
        if let index = Self.index(text), callback.buttons.contains(where: { $0.index == index }) {
          try callback.select(index)
        } else {
          try callback.select(text)
        }
      default: try fillUnknown(callback, with: text)
      }
    } catch let error as AuthenticatorError {
      throw Failure(
        code: error.code.rawValue, message: "the answer for \(callback.type) was refused: \(error.reason)",
        stage: error.stage, status: .usage)
    }
  }

  /// An index is written in digits alone.
  private static func index(_ text: String) -> Int? {
    text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
  }

  /// A callback of no known type takes an answer of the kind its input was preset with.
  private func fillUnknown(_ callback: Callback, with text: String) throws {
    guard let preset = callback.payload.input() else {
      throw AuthenticatorError(.invalidRequest, stage: "journey.answer", reason: "it has no single input")
    }
    switch preset {
    case .bool:
      guard text == "true" || text == "false" else {
        throw AuthenticatorError(.invalidRequest, stage: "journey.answer", reason: "it wants true or false")
      }
      callback.answer(.bool(text == "true"))
    case .integer, .number:
      guard let number = try? JSONValue.parse(text), number.doubleValue != nil else {
        throw AuthenticatorError(.invalidRequest, stage: "journey.answer", reason: "it wants a number")
      }
      callback.answer(number)
    default: callback.answer(.string(text))
    }
  }

  // MARK: On the terminal

  private func ask(_ callback: Callback, hasWayOut: Bool) async throws {
    switch callback {
    case let callback as NameCallback:
      callback.name = try await required(callback).ask(Self.prompt(callback.prompt, else: "User name"))
    case let callback as PasswordCallback:
      let question = Self.prompt(callback.prompt, else: "Password")
      callback.password = try await required(callback).askSecret(question)
    case let callback as TextInputCallback:
      guard let questions else { return }
      let preset = callback.defaultText
      let question = Self.prompt(callback.prompt, else: "Text") + (preset.isEmpty ? "" : " [\(preset)]")
      let line = try await questions.ask(question)
      callback.text = line.isEmpty ? preset : line
    case let callback as ChoiceCallback:
      guard let questions, !callback.choices.isEmpty else { return }
      let place = try await questions.choose(callback.prompt, among: callback.choices, default: callback.defaultChoice)
      try callback.select(place)
    case let callback as ConfirmationCallback:
      // A way out is offered on the command line only: waiting must not wait for a key.
      let buttons = callback.buttons
      guard let questions, !hasWayOut, !buttons.isEmpty else { return }
      let preset = buttons.firstIndex { $0.index == callback.defaultOption }
      let place = try await questions.choose(callback.prompt, among: buttons.map(\.title), default: preset)
      try callback.select(buttons[place].index)
    case let callback as TextOutputCallback:
      if callback.isEchoed { show(callback.message) }
    case let callback as PollingWaitCallback:
      if !callback.message.isEmpty { show(callback.message) }
    default: return
    }
  }

  private func required(_ callback: Callback) throws -> Questions {
    guard let questions else {
      let again = answers.named(callback.type) ? " (it was asked for before: was that answer right?)" : ""
      throw Failure.unusable(
        "answerMissing", "\(callback.type) needs an answer\(again): give --answer \(callback.type)=VALUE",
        stage: "journey.answer")
    }
    return questions
  }

  private static func prompt(_ text: String, else preset: String) -> String {
    let text = text.isEmpty ? preset : text
    return text.hasSuffix(":") || text.hasSuffix("?") ? text : text + ":"
  }
}
