public import AuthenticatorCoding

/// What the client wrote into one callback.
public struct CallbackAnswer: Sendable {
  /// The callback's type, already compared with the one that was sent.
  public let type: String
  private let values: [(suffix: String, value: JSONValue)]

  init(type: String, values: [(suffix: String, value: JSONValue)]) {
    self.type = type
    self.values = values
  }

  /// The value of the field with this suffix; nil when the client left it out.
  public func value(_ suffix: String = "") -> JSONValue? { values.first { $0.suffix == suffix }?.value }

  /// The field as text; nil when it is absent or no text.
  public func text(_ suffix: String = "") -> String? { value(suffix)?.stringValue }

  /// The field as an integer, sent as a JSON number or as digits; nil for anything else.
  public func integer(_ suffix: String = "") -> Int? {
    value(suffix).flatMap(Self.integer)
  }

  static func integer(_ value: JSONValue) -> Int? {
    if let text = value.stringValue { return text.utf8.count <= 11 ? Int(text) : nil }
    return value.intValue
  }

  /// The bytes of text a person typed, which the journey keeps.
  var typedBytes: Int {
    guard CallbackShape(type: type, suffixes: []).isTyped else { return 0 }
    return values.reduce(0) { $0 + ($1.value.stringValue?.utf8.count ?? 0) }
  }
}

extension CallbackAnswer {
  /// Compares a client's callbacks with those that were sent: by position and type, not by name.
  ///
  /// Throws `RESTFailure` (400) for a wrong count, a wrong type at a place, a second input where one belongs, or a
  /// value that is none of those its callback takes.
  static func match(_ received: [JSONValue], with sent: [CallbackShape]) throws(RESTFailure) -> [CallbackAnswer] {
    guard received.count == sent.count(where: { !$0.isScript }) else {
      throw .badRequest("Incorrect number of callbacks found in JSON response")
    }
    var answers: [CallbackAnswer] = []
    answers.reserveCapacity(sent.count)
    var next = received.makeIterator()
    for (index, shape) in sent.enumerated() {
      if shape.isScript {
        answers.append(CallbackAnswer(type: shape.type, values: []))
        continue
      }
      guard let answer = next.next()?.objectValue, answer["type"] == .string(shape.type) else {
        throw .badRequest("Required callback not found in JSON response")
      }
      answers.append(try read(answer, as: shape, position: index + 1))
    }
    return answers
  }

  private static func read(
    _ answer: JSONObject, as shape: CallbackShape, position: Int
  ) throws(RESTFailure) -> CallbackAnswer {
    let entries = answer["input"]?.arrayValue ?? []
    if shape.needsExactlyOneInput, entries.count != 1 {
      throw .badRequest("\(shape.type) must have exactly one input")
    }
    guard entries.count <= 16 else { throw .badRequest("Too many inputs in a callback") }
    var values: [(suffix: String, value: JSONValue)] = []
    for suffix in shape.suffixes {
      let name = "IDToken\(position)\(suffix)"
      let named = entries.first { $0["name"] == .string(name) }
      // A callback with one field takes it whatever its name is; only the place and the type select it.
      guard let entry = named ?? (shape.suffixes.count == 1 ? entries.first : nil), let value = entry["value"] else {
        continue
      }
      guard shape.admits(value) else { throw .badRequest("\(shape.type) has a value it does not take") }
      values.append((suffix, value))
    }
    return CallbackAnswer(type: shape.type, values: values)
  }
}
