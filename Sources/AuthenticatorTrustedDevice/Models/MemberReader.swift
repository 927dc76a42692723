import AuthenticatorCoding
import AuthenticatorCore

/// Reads the members of one of the server's objects. A member that is null counts as absent; errors name the member,
/// never its value.
struct MemberReader {
  private let object: JSONObject
  private let kind: String

  init(_ object: JSONObject, of kind: String) {
    self.object = object
    self.kind = kind
  }

  /// - Throws: `invalidMessage` when the value is no object.
  init(_ value: JSONValue?, of kind: String) throws {
    guard let object = value?.objectValue else {
      throw AuthenticatorError(.invalidMessage, stage: "frontend.answer", reason: "the \(kind) is no object")
    }
    self.init(object, of: kind)
  }

  private func value(_ name: String) -> JSONValue? {
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  func optionalText(_ name: String) throws -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.stringValue else { throw malformed(name) }
    return text
  }

  func text(_ name: String) throws -> String {
    guard let text = try optionalText(name) else { throw malformed(name) }
    return text
  }

  /// A name that may stand in an address: a dot segment would lead to another one.
  func identifier(_ name: String) throws -> String {
    let text = try text(name)
    guard Self.isIdentifier(text) else { throw malformed(name) }
    return text
  }

  func optionalIdentifier(_ name: String) throws -> String? { try value(name) == nil ? nil : identifier(name) }

  static func isIdentifier(_ text: String) -> Bool {
    (1...2048).contains(text.utf8.count) && text != "." && text != ".."
      && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }

  func optionalTime(_ name: String) throws -> UnixTime? {
    guard let value = value(name) else { return nil }
    guard let time = WireTime.read(value) else { throw malformed(name) }
    return time
  }

  func time(_ name: String) throws -> UnixTime {
    guard let time = try optionalTime(name) else { throw malformed(name) }
    return time
  }

  func optionalReader(_ name: String, of kind: String) throws -> MemberReader? {
    guard let value = value(name) else { return nil }
    return try MemberReader(value, of: kind)
  }

  func elements(_ name: String) throws -> [JSONValue] {
    guard let value = value(name) else { return [] }
    guard let elements = value.arrayValue else { throw malformed(name) }
    return elements
  }

  func optionalFlag(_ name: String) throws -> Bool? {
    guard let value = value(name) else { return nil }
    guard let flag = value.boolValue else { throw malformed(name) }
    return flag
  }

  private func malformed(_ name: String) -> AuthenticatorError {
    AuthenticatorError(
      .invalidMessage, stage: "frontend.answer", reason: "\(name) of the \(kind) is missing or malformed")
  }
}

/// Times as servers write them.
enum WireTime {
  /// A number above 10,000,000,000 counts milliseconds, a smaller one seconds. Nil: no time.
  static func read(_ value: JSONValue) -> UnixTime? {
    guard let number = value.doubleValue, number >= 0, number < 9_007_199_254_740_992 else { return nil }
    return UnixTime(milliseconds: Int64(number > 10_000_000_000 ? number : number * 1000))
  }
}
