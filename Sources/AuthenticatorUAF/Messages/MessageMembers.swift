import AuthenticatorCoding
import AuthenticatorCore

/// Reads the members of one JSON object of a message. A member is never null, text and lists are never empty.
///
/// Errors name the member and never what stood there.
struct MessageMembers {
  let object: JSONObject
  let place: String

  init(_ value: JSONValue?, _ place: String) throws {
    guard let object = value?.objectValue else { throw Self.error(place, "is missing or no object") }
    self.object = object
    self.place = place
  }

  static func error(_ place: String, _ what: String) -> AuthenticatorError {
    AuthenticatorError(.invalidMessage, stage: "uaf.message", reason: "\(place) \(what)")
  }

  func malformed(_ name: String) -> AuthenticatorError {
    Self.error("\(place).\(name)", object[name] == nil ? "is missing" : "is malformed")
  }

  /// Refuses members that nobody knows, where passing over one could widen what is allowed.
  func admit(_ names: Set<String>) throws {
    for name in object.names where !names.contains(name) { throw Self.error(place, "has an unknown member") }
  }

  func text(_ name: String, _ count: ClosedRange<Int>) throws -> String {
    guard let text = try optionalText(name, count) else { throw malformed(name) }
    return text
  }

  /// Counted in Unicode scalars.
  func optionalText(_ name: String, _ count: ClosedRange<Int>) throws -> String? {
    guard let value = object[name] else { return nil }
    guard let text = value.stringValue, text.hasScalars(count) else { throw malformed(name) }
    return text
  }

  func number<Value: FixedWidthInteger>(_ name: String, _ type: Value.Type = Value.self) throws -> Value {
    guard let number: Value = try optionalNumber(name) else { throw malformed(name) }
    return number
  }

  func optionalNumber<Value: FixedWidthInteger>(_ name: String, _ type: Value.Type = Value.self) throws -> Value? {
    guard let value = object[name] else { return nil }
    guard let number = value.intValue, let exact = Value(exactly: number) else { throw malformed(name) }
    return exact
  }

  /// Base64url in its one canonical form.
  func bytes(_ name: String, _ count: ClosedRange<Int>) throws -> [UInt8] {
    guard let text = object[name]?.stringValue, text.utf8.count <= (count.upperBound * 4 + 2) / 3,
      let bytes = try? Base64URL.decode(text), count.contains(bytes.count)
    else { throw malformed(name) }
    return bytes
  }

  func list(_ name: String, maximum: Int = 1024) throws -> [JSONValue] {
    guard let list = try optionalList(name, maximum: maximum) else { throw malformed(name) }
    return list
  }

  func optionalList(_ name: String, maximum: Int = 1024) throws -> [JSONValue]? {
    guard let value = object[name] else { return nil }
    guard let list = value.arrayValue, (1...maximum).contains(list.count) else { throw malformed(name) }
    return list
  }

  /// A list of which each element is one value; nil: there is no such member.
  func optionalList<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws -> [Value]? {
    try optionalList(name)?.map { element in
      guard let value = read(element) else { throw malformed(name) }
      return value
    }
  }
}

extension String {
  /// Whether it has so many Unicode scalars. They are counted only where the number of bytes leaves it open: no scalar
  /// takes more than four.
  func hasScalars(_ count: ClosedRange<Int>) -> Bool {
    let bytes = utf8.count
    guard bytes >= count.lowerBound, bytes <= count.upperBound * 4 else { return false }
    if bytes <= count.upperBound, count.lowerBound <= 1 || bytes >= count.lowerBound * 4 { return true }
    return count.contains(unicodeScalars.count)
  }
}
