import AuthenticatorCoding

/// Reads an object member by member; what was not asked for is refused at the end.
struct StrictObject {
  private let object: JSONObject
  private let place: String
  private var asked: Set<String> = []

  init(_ value: JSONValue, at place: String) throws {
    guard let object = value.objectValue else { throw ScriptedDeviceError("\(place): not an object") }
    self.object = object
    self.place = place
  }

  /// The member as it is; absent is nil, null is a value.
  mutating func value(_ name: String) throws -> JSONValue? {
    asked.insert(name)
    return object[name]
  }

  /// A member of the type that `read` finds; absent is nil.
  mutating func take<Value>(
    _ name: String, _ expected: String, _ read: (JSONValue) throws -> Value?
  ) throws -> Value? {
    guard let value = try value(name) else { return nil }
    guard let result = try read(value) else { throw ScriptedDeviceError("\(place): \(name) is not \(expected)") }
    return result
  }

  mutating func text(_ name: String) throws -> String {
    guard let text = try take(name, "a string", { $0.stringValue }) else {
      throw ScriptedDeviceError("\(place): \(name) is missing")
    }
    return text
  }

  /// Absent and null are nil.
  mutating func optionalText(_ name: String) throws -> String? {
    let text: String?? = try take(name, "a string") { value in
      value.isNull ? .some(.none) : value.stringValue.map(Optional.some)
    }
    return text ?? nil
  }

  mutating func flag(_ name: String) throws -> Bool? { try take(name, "true or false") { $0.boolValue } }

  mutating func count(_ name: String, upTo limit: Int) throws -> Int? {
    let count = try take(name, "an integer, 0 or more") { value in value.intValue.flatMap { $0 >= 0 ? $0 : nil } }
    guard count ?? 0 <= limit else { throw ScriptedDeviceError("\(place): \(name) is out of range") }
    return count
  }

  mutating func names(_ name: String) throws -> Set<String>? {
    try take(name, "an array of names") { value in
      guard let array = value.arrayValue else { return nil }
      let names = array.compactMap(\.stringValue)
      return names.count == array.count ? Set(names) : nil
    }
  }

  mutating func word<Word: RawRepresentable>(_ name: String) throws -> Word? where Word.RawValue == String {
    guard let text = try take(name, "a string", { $0.stringValue }) else { return nil }
    guard let word = Word(rawValue: text) else { throw ScriptedDeviceError("\(place): unknown \(name) \"\(text)\"") }
    return word
  }

  mutating func requireVersion() throws {
    guard let version = try value("version") else { throw ScriptedDeviceError("\(place): version is missing") }
    guard version.intValue == 1 else { throw ScriptedDeviceError("\(place): version is not 1") }
  }

  func expectEnd() throws {
    if let stranger = object.names.first(where: { !asked.contains($0) }) {
      throw ScriptedDeviceError("\(place): unknown member \"\(stranger)\"")
    }
  }
}

extension JSONValue {
  private static func complaint(_ kind: JSONError.Kind) -> String {
    switch kind {
    case .unexpectedEnd: "it ends too early,"
    case .duplicateMember: "an object has a name twice,"
    case .trailingContent: "something follows the value"
    case .tooDeep, .tooLong, .textTooLong, .tooManyValues: "it is too large or nested too deeply,"
    default: "a character cannot stand where it does,"
    }
  }

  /// A text of a scripted device's files.
  static func scripted(_ bytes: [UInt8]) throws -> JSONValue {
    do {
      return try JSONValue.parse(bytes)
    } catch {
      throw ScriptedDeviceError("not JSON: \(Self.complaint(error.kind)) at byte \(error.offset)")
    }
  }
}
