internal import AuthenticatorCoding

/// What the answer to a callback must look like; travels in the step token, so that no server has to remember it.
struct CallbackShape: Hashable, Sendable {
  var type: String
  /// The suffixes of its inputs, in order.
  var suffixes: [String]
  /// Left out of the answer.
  var isScript = false

  /// PingAM takes exactly one input for these.
  var needsExactlyOneInput: Bool {
    type == "ConfirmationCallback" || type == "ChoiceCallback" || type == "HiddenValueCallback"
  }

  /// As short text: `NameCallback`, `!TextOutputCallback`, `DeviceBindingCallback,jws,deviceName`.
  ///
  /// Callbacks with a single unnamed input are written as `type`, those without any as `type,`.
  var json: JSONValue {
    if isScript { return .string("!" + type) }
    if suffixes == [""] { return .string(type) }
    return .string(type + "," + suffixes.joined(separator: ","))
  }

  init(type: String, suffixes: [String], isScript: Bool = false) {
    self.type = type
    self.suffixes = suffixes
    self.isScript = isScript
  }

  init?(json: JSONValue) {
    guard let text = json.stringValue else { return nil }
    if text.hasPrefix("!") {
      self.init(type: String(text.dropFirst()), suffixes: [], isScript: true)
      return
    }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    switch parts.count {
    case 1: self.init(type: text, suffixes: [""])
    case 2 where parts[1].isEmpty: self.init(type: parts[0], suffixes: [])
    default: self.init(type: parts[0], suffixes: Array(parts.dropFirst()))
    }
  }
}
