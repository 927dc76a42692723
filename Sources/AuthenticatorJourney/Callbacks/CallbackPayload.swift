import AuthenticatorCoding
import AuthenticatorCore

/// One callback as the server sent it. Nothing in it is lost: members nobody knows stay, in their places.
public struct CallbackPayload: Sendable {
  /// The callback's object as received.
  public let json: JSONObject
  /// `NameCallback`, …
  public let type: String
  /// The place in its node, counted from 0.
  public let position: Int
  /// What the callback may know of its flow.
  public let context: CallbackContext

  /// - Throws: `invalidMessage` when the object has no `type`.
  public init(_ json: JSONObject, position: Int = 0, context: CallbackContext) throws {
    guard let type = json["type"]?.stringValue, !type.isEmpty else {
      throw AuthenticatorError(
        .invalidMessage, stage: "journey.callback", reason: "callback \(position) has no type")
    }
    self.json = json
    self.type = type
    self.position = position
    self.context = context
  }

  /// An output value; nil when it is absent or null. The first one counts when a name occurs twice.
  public func output(_ name: String) -> JSONValue? {
    guard let entries = json["output"]?.arrayValue else { return nil }
    guard let value = entries.first(where: { $0["name"]?.stringValue == name })?["value"], !value.isNull else {
      return Optional.none
    }
    return value
  }

  /// An output's text; nil when it is absent or no text.
  public func text(_ name: String) -> String? { output(name)?.stringValue }

  /// An output's whole number, however it is written: as a number or, as PingAM often does, as text.
  public func wholeNumber(_ name: String) -> Int? {
    guard let value = output(name) else { return nil }
    return value.wholeNumberValue ?? value.stringValue.flatMap { Int($0) }
  }

  /// An output's texts; nil when it is absent or anything but an array of texts.
  public func texts(_ name: String) -> [String]? {
    guard let values = output(name)?.arrayValue else { return nil }
    let texts = values.compactMap(\.stringValue)
    return texts.count == values.count ? texts : nil
  }

  /// The output's text.
  /// - Throws: `invalidMessage`, naming the output.
  public func requiredText(_ name: String) throws -> String {
    guard let text = text(name) else { throw missing("output \(name)") }
    return text
  }

  /// Whether there is an input to answer.
  public var hasInputs: Bool { json["input"]?.arrayValue?.isEmpty == false }

  /// Whether there is an input whose name is `IDToken`, digits and exactly this suffix.
  public func hasInput(_ suffix: String = "") -> Bool { inputIndex(suffix) != nil }

  /// An input's value as the server preset it; nil when there is no such input.
  public func input(_ suffix: String = "") -> JSONValue? {
    inputIndex(suffix).flatMap { json["input"]?[$0]?["value"] }
  }

  /// Checks that an input is there.
  /// - Throws: `invalidMessage`, naming the input.
  public func requireInput(_ suffix: String) throws {
    guard hasInput(suffix) else { throw missing("input IDToken…\(suffix)") }
  }

  private func inputIndex(_ suffix: String) -> Int? {
    guard let inputs = json["input"]?.arrayValue else { return nil }
    let exact = inputs.firstIndex { Self.isInput($0["name"]?.stringValue ?? "", suffix) }
    // A lone input is the answer's place whatever its name.
    return exact ?? (suffix.isEmpty && inputs.count == 1 && inputs[0].objectValue != nil ? 0 : nil)
  }

  /// Whether a name is `IDToken`, digits and this suffix.
  private static func isInput(_ name: String, _ suffix: String) -> Bool {
    let prefix = "IDToken".utf8
    let (name, suffix) = (name.utf8, suffix.utf8)
    guard name.count > prefix.count + suffix.count, name.starts(with: prefix) else { return false }
    let rest = name.dropFirst(prefix.count)
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    return !digits.isEmpty && rest.dropFirst(digits.count).elementsEqual(suffix)
  }

  /// The object with answers in place of the inputs' values.
  /// - Throws: `invalidMessage` when an answer has no input.
  func filled(with answers: [String: JSONValue]) throws -> JSONObject {
    guard !answers.isEmpty else { return json }
    var inputs = json["input"]?.arrayValue ?? []
    for (suffix, value) in answers {
      guard let index = inputIndex(suffix), var input = inputs[index].objectValue else {
        throw missing("input IDToken…\(suffix)")
      }
      input["value"] = value
      inputs[index] = .object(input)
    }
    var copy = json
    copy["input"] = .array(inputs)
    return copy
  }

  private func missing(_ what: String) -> AuthenticatorError {
    AuthenticatorError(.invalidMessage, stage: "journey.callback", reason: "Missing \(what) in \(Self.shown(type))")
  }

  /// A type's name for an error text: server text is not trusted to be short or printable.
  private static func shown(_ type: String) -> String {
    type.utf8.count <= 64 && type.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? type : "a callback"
  }
}

extension CallbackPayload: CustomStringConvertible, CustomReflectable {
  /// Type and place: outputs hold challenges.
  public var description: String { "CallbackPayload(\(type), position \(position))" }
  public var customMirror: Mirror { Mirror(self, children: ["type": type, "position": position]) }
}

/// What a callback may know of its flow.
public struct CallbackContext: Hashable, Sendable {
  /// Server, realm and journey.
  public var journey: JourneyContext
  /// Server clock minus ours, rounded down so that a time computed with it is never in the server's future; nil when
  /// the server did not tell its time.
  public var clockOffset: Duration?
  /// The offset up to which `clockOffset` is to be trusted.
  public var maximumClockOffset: Duration

  /// Makes a context; tests do, otherwise the engine.
  public init(
    journey: JourneyContext, clockOffset: Duration? = nil, maximumClockOffset: Duration = .seconds(24 * 3600)
  ) {
    self.journey = journey
    self.clockOffset = clockOffset
    self.maximumClockOffset = maximumClockOffset
  }
}
