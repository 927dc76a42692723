public import AuthenticatorCoding

/// One question of a node, before it has a place on the page.
public struct ServerCallback: Sendable {
  /// One field the client fills.
  public struct Input: Sendable {
    /// What follows `IDToken<position>`; empty for most callbacks.
    public var suffix: String
    /// The value the field is sent with.
    public var value: JSONValue

    /// Makes a field.
    public init(_ suffix: String = "", _ value: JSONValue = "") {
      self.suffix = suffix
      self.value = value
    }
  }

  /// `NameCallback`, `PasswordCallback` and so on.
  public var type: String
  /// What the client is told, in order.
  public var output: [JSONObject.Member]
  /// Empty for callbacks that only tell.
  public var inputs: [Input]

  /// Makes a callback of any type.
  public init(_ type: String, output: KeyValuePairs<String, JSONValue> = [:], inputs: [Input] = []) {
    self.type = type
    self.output = output.map { JSONObject.Member(name: $0.key, value: $0.value) }
    self.inputs = inputs
  }

  /// What the answer to it must look like.
  var shape: CallbackShape {
    // A script (`messageType` 4) is neither run nor sent back by a client that is no browser.
    let isScript = type == "TextOutputCallback" && output.contains { $0.name == "messageType" && $0.value == "4" }
    let list = ["ChoiceCallback": "choices", "ConfirmationCallback": "options"][type]
    let options = list.flatMap { name in output.first { $0.name == name }?.value.arrayValue?.count }
    return CallbackShape(type: type, suffixes: inputs.map(\.suffix), isScript: isScript, options: options)
  }

  /// The callback as it stands at `position`, counted from 1 over all callbacks of the page.
  func json(position: Int, id: Int?) -> JSONValue {
    var callback: JSONObject = ["type": .string(type)]
    callback["output"] = .array(
      output.map { .object(["name": .string($0.name), "value": $0.value]) })
    if !inputs.isEmpty {
      callback["input"] = .array(
        inputs.map { .object(["name": .string("IDToken\(position)\($0.suffix)"), "value": $0.value]) })
    }
    if let id { callback["_id"] = .integer(Int64(id)) }
    return .object(callback)
  }
}

// MARK: - The plain ones

extension ServerCallback {
  /// Asks for a user name.
  public static func name(prompt: String) -> ServerCallback {
    ServerCallback("NameCallback", output: ["prompt": .string(prompt)], inputs: [Input()])
  }

  /// Asks for a password.
  public static func password(prompt: String) -> ServerCallback {
    ServerCallback("PasswordCallback", output: ["prompt": .string(prompt)], inputs: [Input()])
  }

  /// Asks for a text.
  public static func textInput(prompt: String, defaultText: String) -> ServerCallback {
    ServerCallback(
      "TextInputCallback", output: ["prompt": .string(prompt), "defaultText": .string(defaultText)],
      inputs: [Input("", .string(defaultText))])
  }

  /// `messageType` is 0 information, 1 warning, 2 error, 4 script; it travels as text.
  public static func textOutput(_ message: String, messageType: Int = 0) -> ServerCallback {
    ServerCallback(
      "TextOutputCallback", output: ["message": .string(message), "messageType": .string("\(messageType)")])
  }

  /// Says that the journey is parked.
  public static func suspendedTextOutput(_ message: String) -> ServerCallback {
    ServerCallback(
      "SuspendedTextOutputCallback", output: ["message": .string(message), "messageType": "0"])
  }

  /// Asks for one of several options, by index.
  public static func choice(prompt: String, choices: [String], defaultChoice: Int) -> ServerCallback {
    ServerCallback(
      "ChoiceCallback",
      output: [
        "prompt": .string(prompt), "choices": .array(choices.map(JSONValue.string)),
        "defaultChoice": .integer(Int64(defaultChoice)),
      ], inputs: [Input("", .integer(Int64(defaultChoice)))])
  }

  /// A choice of buttons; the answer is the index of one. The field is sent with 100, which is none of them.
  public static func confirmation(prompt: String = "", options: [String], defaultOption: Int) -> ServerCallback {
    ServerCallback(
      "ConfirmationCallback",
      output: [
        "prompt": .string(prompt), "messageType": 0, "options": .array(options.map(JSONValue.string)),
        "optionType": -1, "defaultOption": .integer(Int64(defaultOption)),
      ], inputs: [Input("", .integer(Int64(CallbackShape.nothingChosen)))])
  }

  /// The field is sent with the id, not the value, as PingAM does.
  public static func hiddenValue(id: String, value: String) -> ServerCallback {
    ServerCallback(
      "HiddenValueCallback", output: ["value": .string(value), "id": .string(id)], inputs: [Input("", .string(id))])
  }

  /// Data for the client.
  public static func metadata(_ data: JSONObject) -> ServerCallback {
    ServerCallback("MetadataCallback", output: ["data": .object(data)])
  }

  /// `waitTime` is in milliseconds and travels as text.
  public static func pollingWait(milliseconds: Int, message: String) -> ServerCallback {
    ServerCallback(
      "PollingWaitCallback", output: ["waitTime": .string("\(milliseconds)"), "message": .string(message)])
  }
}
