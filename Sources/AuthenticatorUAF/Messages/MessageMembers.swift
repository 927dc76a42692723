import AuthenticatorCoding
import AuthenticatorCore

/// Reads the members of one JSON object of a message. A member is never null, text and lists are never empty.
///
/// Errors name the member and never what stood there.
struct MessageMembers {
  let object: JSONElement
  let place: StaticString

  init(_ element: JSONElement?, _ place: StaticString) throws {
    guard let element, element.isObject else { throw Self.error("\(place)", "is missing or no object") }
    object = element
    self.place = place
  }

  /// Reads a value that came with no message.
  init(_ value: JSONValue, _ place: StaticString) throws {
    do { try self.init(try JSONDocument(value).root, place) } catch let error as JSONError {
      throw AuthenticatorError(
        .invalidMessage, stage: "uaf.message", reason: "\(place) is malformed", underlying: error)
    }
  }

  static func error(_ place: String, _ what: String) -> AuthenticatorError {
    AuthenticatorError(.invalidMessage, stage: "uaf.message", reason: "\(place) \(what)")
  }

  /// A member that nobody knows, by its name if that is one.
  static func unknown(_ name: String, in place: String) -> AuthenticatorError {
    error(place, isName(name) ? "has the unknown member \(name)" : "has an unknown member")
  }

  /// Whether a text from outside may stand in an error: short, of letters, digits, full stops and underscores.
  static func isName(_ text: String) -> Bool {
    (1...40).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x2E, 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
        default: false
        }
      }
  }

  func malformed(_ name: StaticString) -> AuthenticatorError {
    Self.error("\(place).\(name)", object[name] == nil ? "is missing" : "is malformed")
  }

  func text(_ name: StaticString, _ count: ClosedRange<Int>) throws -> String {
    guard let text = try optionalText(name, count) else { throw malformed(name) }
    return text
  }

  /// Counted in Unicode scalars.
  func optionalText(_ name: StaticString, _ count: ClosedRange<Int>) throws -> String? {
    guard let value = object[name] else { return nil }
    guard let text = value.stringValue, text.hasScalars(count) else { throw malformed(name) }
    return text
  }

  func number<Value: FixedWidthInteger>(_ name: StaticString, _ type: Value.Type = Value.self) throws -> Value {
    guard let number: Value = try optionalNumber(name) else { throw malformed(name) }
    return number
  }

  func optionalNumber<Value: FixedWidthInteger>(_ name: StaticString, _ type: Value.Type = Value.self) throws -> Value?
  {
    guard let value = object[name] else { return nil }
    guard let number = value.intValue, let exact = Value(exactly: number) else { throw malformed(name) }
    return exact
  }

  /// Base64url in its one canonical form.
  func bytes(_ name: StaticString, _ count: ClosedRange<Int>) throws -> [UInt8] {
    guard let bytes = object[name]?.base64URLValue, count.contains(bytes.count) else { throw malformed(name) }
    return bytes
  }

  func list(_ name: StaticString, maximum: Int = 1024) throws -> JSONElements {
    guard let list = try optionalList(name, maximum: maximum) else { throw malformed(name) }
    return list
  }

  func optionalList(_ name: StaticString, maximum: Int = 1024) throws -> JSONElements? {
    guard let value = object[name] else { return nil }
    guard let list = value.elements, (1...maximum).contains(list.count) else { throw malformed(name) }
    return list
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
