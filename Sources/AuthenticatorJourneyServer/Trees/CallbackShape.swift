internal import AuthenticatorCoding

/// What the answer to a callback must look like; travels in the step token, so that no server has to remember it.
struct CallbackShape: Hashable, Sendable {
  var type: String
  /// The suffixes of its inputs, in order.
  var suffixes: [String]
  /// Left out of the answer.
  var isScript = false
  /// How many options there are to choose from, for choices and confirmations; nil: not known.
  var options: Int?

  /// The field that is sent with a confirmation means that nothing was chosen.
  static let nothingChosen = 100

  /// PingAM takes exactly one input for these.
  var needsExactlyOneInput: Bool {
    type == "ConfirmationCallback" || type == "ChoiceCallback" || type == "HiddenValueCallback"
  }

  /// Whether a value may be what the client answers in one field. Absent fields are the node's to judge.
  func admits(_ value: JSONValue) -> Bool {
    switch type {
    case "ChoiceCallback", "ConfirmationCallback":
      guard let index = CallbackAnswer.integer(value) else { return false }
      if type == "ConfirmationCallback", index == Self.nothingChosen { return true }
      return index >= 0 && index < options ?? .max
    case "NameCallback", "PasswordCallback", "TextInputCallback", "HiddenValueCallback", "DeviceBindingCallback",
      "DeviceSigningVerifierCallback":
      return value.stringValue != nil || value.isNull
    default: return true
    }
  }

  /// Whether what is answered is text of a person, which the journey keeps. Hidden values are also the way of answers
  /// that are long and not kept.
  var isTyped: Bool { type == "NameCallback" || type == "PasswordCallback" || type == "TextInputCallback" }

  /// As short text: `NameCallback`, `!TextOutputCallback`, `ChoiceCallback#3`, `DeviceBindingCallback,jws,deviceName`.
  ///
  /// Callbacks with a single unnamed input are written as `type`, those without any as `type,`.
  var json: JSONValue {
    if isScript { return .string("!" + type) }
    if suffixes == [""] { return .string(options.map { "\(type)#\($0)" } ?? type) }
    return .string(type + "," + suffixes.joined(separator: ","))
  }

  init(type: String, suffixes: [String], isScript: Bool = false, options: Int? = nil) {
    self.type = type
    self.suffixes = suffixes
    self.isScript = isScript
    self.options = options
  }

  init?(json: JSONValue) {
    guard let text = json.stringValue else { return nil }
    if text.hasPrefix("!") {
      self.init(type: String(text.dropFirst()), suffixes: [], isScript: true)
      return
    }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    switch parts.count {
    case 1:
      let halves = text.split(separator: "#", maxSplits: 1)
      self.init(
        type: halves.first.map(String.init) ?? "", suffixes: [""], options: halves.count > 1 ? Int(halves[1]) : nil)
    case 2 where parts[1].isEmpty: self.init(type: parts[0], suffixes: [])
    default: self.init(type: parts[0], suffixes: Array(parts.dropFirst()))
    }
  }
}
