import AuthenticatorCoding
import AuthenticatorCrypto

/// Reads the members of an expectation. Null counts as absent; base64url may be padded, since a person may have
/// written it.
struct ExpectationMembers {
  let object: JSONObject
  private let path: String

  init(_ value: JSONValue, path: String = "") throws(ExpectationError) {
    guard case .object(let object) = value else { throw ExpectationError(path) }
    self.object = object
    self.path = path
  }

  func error(_ name: String) -> ExpectationError { ExpectationError(path.isEmpty ? name : "\(path).\(name)") }

  /// Refuses members that nobody looks at.
  func admit(_ known: Set<String>) throws(ExpectationError) {
    for name in object.names where !known.contains(name) {
      throw ExpectationError(error(name).member, isUnknown: true)
    }
  }

  private func value(_ name: String) -> JSONValue? {
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  /// Whether a member is not there, or null.
  func isAbsent(_ name: String) -> Bool { value(name) == nil }

  func optionalText(_ name: String) throws(ExpectationError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.stringValue else { throw error(name) }
    return text
  }

  func text(_ name: String) throws(ExpectationError) -> String {
    guard let text = try optionalText(name) else { throw error(name) }
    return text
  }

  func optionalBool(_ name: String) throws(ExpectationError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let flag = value.boolValue else { throw error(name) }
    return flag
  }

  func optionalInteger(_ name: String) throws(ExpectationError) -> Int? {
    guard let value = value(name) else { return nil }
    guard let number = value.wholeNumberValue else { throw error(name) }
    return number
  }

  func optionalBytes(_ name: String) throws(ExpectationError) -> [UInt8]? {
    guard let text = try optionalText(name) else { return nil }
    do throws(TextDecodingError) { return try Base64URL.decode(text, padding: .tolerated) } catch {
      throw self.error(name)
    }
  }

  func bytes(_ name: String) throws(ExpectationError) -> [UInt8] {
    guard let bytes = try optionalBytes(name) else { throw error(name) }
    return bytes
  }

  private func elements(_ name: String) throws(ExpectationError) -> [JSONValue] {
    guard let value = value(name) else { return [] }
    guard let elements = value.arrayValue else { throw error(name) }
    return elements
  }

  func texts(_ name: String) throws(ExpectationError) -> [String] {
    var texts: [String] = []
    for element in try elements(name) {
      guard let text = element.stringValue else { throw error(name) }
      texts.append(text)
    }
    return texts
  }

  func integers(_ name: String) throws(ExpectationError) -> [Int] {
    var numbers: [Int] = []
    for element in try elements(name) {
      guard let number = element.wholeNumberValue else { throw error(name) }
      numbers.append(number)
    }
    return numbers
  }

  /// A list of credentials, each by its name or as a descriptor with a member `id`.
  func credentialIDs(_ name: String) throws(ExpectationError) -> Set<[UInt8]> {
    var ids: Set<[UInt8]> = []
    for element in try elements(name) {
      guard let text = element.stringValue ?? element["id"]?.stringValue,
        let bytes = try? Base64URL.decode(text, padding: .tolerated)
      else { throw error(name) }
      ids.insert(bytes)
    }
    return ids
  }

  func optionalMembers(_ name: String) throws(ExpectationError) -> ExpectationMembers? {
    guard let value = value(name) else { return nil }
    return try ExpectationMembers(value, path: error(name).member)
  }
}

// MARK: - Numbers of a width

extension ExpectationMembers {
  func optionalNumber<Number: FixedWidthInteger>(_ name: String) throws(ExpectationError) -> Number? {
    guard let value = try optionalInteger(name) else { return nil }
    guard let number = Number(exactly: value) else { throw error(name) }
    return number
  }

  func number<Number: FixedWidthInteger>(_ name: String) throws(ExpectationError) -> Number {
    guard let number: Number = try optionalNumber(name) else { throw error(name) }
    return number
  }

  func numbers<Number: FixedWidthInteger>(_ name: String) throws(ExpectationError) -> [Number] {
    let numbers = try integers(name)
    let exact = numbers.compactMap { Number(exactly: $0) }
    guard exact.count == numbers.count else { throw error(name) }
    return exact
  }
}

// MARK: - Words

extension ExpectationMembers {
  func word<Word: RawRepresentable>(_ name: String) throws(ExpectationError) -> Word? where Word.RawValue == String {
    guard let text = try optionalText(name) else { return nil }
    guard let word = Word(rawValue: text) else { throw error(name) }
    return word
  }
}

/// How much a ceremony asked of the person.
enum ExpectedMediation: String { case conditional, immediate, optional, required, silent }

extension ExpectationMembers {
  func mediation() throws(ExpectationError) -> ExpectedMediation? { try word("mediation") }
}

// MARK: - Members with bounds of their own

extension ExpectationMembers {
  /// A user handle has 1 to 64 bytes; nil: none is given.
  func optionalUserHandle() throws(ExpectationError) -> [UInt8]? {
    guard let bytes = try optionalBytes("userHandle") else { return nil }
    guard (1...64).contains(bytes.count) else { throw error("userHandle") }
    return bytes
  }

  /// What a list of texts holds, each in PEM.
  func inPEM<Element>(
    _ name: String, _ read: (String) throws(CryptoError) -> [Element]
  ) throws(ExpectationError) -> [Element] {
    var found: [Element] = []
    for text in try texts(name) {
      do throws(CryptoError) { found += try read(text) } catch { throw self.error(name) }
    }
    return found
  }
}
