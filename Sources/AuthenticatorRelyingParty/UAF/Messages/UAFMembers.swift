import AuthenticatorCoding

/// Reads the members of a message strictly: nothing is null, no text and no list is empty, lengths are in characters
/// (UAF Protocol 1.1 section 3.1).
struct UAFMembers {
  let object: JSONObject
  private let code: UAFVerificationError.Code

  init(_ value: JSONValue?, code: UAFVerificationError.Code = .messageMalformed) throws(UAFVerificationError) {
    guard let object = value?.objectValue else { throw UAFVerificationError(code, "an object is missing") }
    for member in object where member.value.isNull { throw UAFVerificationError(code, "a member is null") }
    self.object = object
    self.code = code
  }

  private func malformed(_ reason: StaticString) -> UAFVerificationError { UAFVerificationError(code, reason) }

  /// A text of this many characters; nil: it is absent.
  func optionalText(_ name: String, _ range: ClosedRange<Int>) throws(UAFVerificationError) -> String? {
    guard let value = object[name] else { return nil }
    guard let text = value.stringValue, text.unicodeScalars.count <= range.upperBound,
      text.unicodeScalars.count >= range.lowerBound
    else { throw malformed("a text is of another type or length") }
    return text
  }

  func text(_ name: String, _ range: ClosedRange<Int>) throws(UAFVerificationError) -> String {
    guard let text = try optionalText(name, range) else { throw malformed("a text is missing") }
    return text
  }

  /// base64url without padding, of this many bytes.
  func bytes(_ name: String, _ range: ClosedRange<Int>) throws(UAFVerificationError) -> [UInt8] {
    let text = try text(name, 0...(range.upperBound * 4 / 3 + 2))
    guard let bytes = try? Base64URL.decode(text), range.contains(bytes.count) else {
      throw malformed("a member is no base64url of its length")
    }
    return bytes
  }

  /// A list of at least one element; nil: it is absent.
  func optionalList(_ name: String, limit: Int) throws(UAFVerificationError) -> [JSONValue]? {
    guard let value = object[name] else { return nil }
    guard let list = value.arrayValue, (1...limit).contains(list.count) else {
      throw malformed("a list is of another type or length")
    }
    return list
  }

  func list(_ name: String, limit: Int) throws(UAFVerificationError) -> [JSONValue] {
    guard let list = try optionalList(name, limit: limit) else { throw malformed("a list is missing") }
    return list
  }

  func members(_ name: String) throws(UAFVerificationError) -> UAFMembers { try UAFMembers(object[name], code: code) }

  /// Reads the extensions of a message or an assertion: the ids of those that must be understood.
  func extensionsToUnderstand() throws(UAFVerificationError) -> Set<String> {
    var ids: Set<String> = []
    for element in try optionalList("exts", limit: 64) ?? [] {
      let members = try UAFMembers(element, code: code)
      let id = try members.text("id", 1...32)
      guard members.object["data"]?.stringValue != nil, let mustKnow = members.object["fail_if_unknown"]?.boolValue
      else { throw malformed("an extension has not its members") }
      if mustKnow { ids.insert(id) }
    }
    return ids
  }
}
