internal import AuthenticatorCoding

/// Reads the members of an object under a name that errors carry.
struct JSONMembers {
  let object: JSONObject
  private let path: String

  init(_ value: JSONValue, path: String = "") throws(WebAuthnJSONError) {
    guard let object = value.objectValue else { throw WebAuthnJSONError(.notAnObject, path) }
    self.object = object
    self.path = path
  }

  func error(_ kind: WebAuthnJSONError.Kind, _ name: String) -> WebAuthnJSONError {
    WebAuthnJSONError(kind, path.isEmpty ? name : "\(path).\(name)")
  }

  /// A member that is there and not null, as JavaScript's dictionaries see it: null counts as absent.
  private func value(_ name: String) -> JSONValue? {
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  /// Whether a member is not there, or null.
  func isAbsent(_ name: String) -> Bool { value(name) == nil }

  // MARK: - Members that may be absent

  func optionalText(_ name: String) throws(WebAuthnJSONError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.stringValue else { throw error(.wrongType, name) }
    return text
  }

  func optionalBool(_ name: String) throws(WebAuthnJSONError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let flag = value.boolValue else { throw error(.wrongType, name) }
    return flag
  }

  /// Bytes in base64url; padding is tolerated only where asked for.
  func optionalBytes(_ name: String, toleratingPadding: Bool) throws(WebAuthnJSONError) -> [UInt8]? {
    guard let text = try optionalText(name) else { return nil }
    do throws(TextDecodingError) {
      return try Base64URL.decode(text, padding: toleratingPadding ? .tolerated : .forbidden)
    } catch { throw self.error(.encoding, name) }
  }

  /// A whole number, also when it is written as text, as JavaScript would convert it; nil when it is neither.
  func lenientInteger(_ name: String) -> Int? {
    guard let value = value(name) else { return nil }
    if let number = value.wholeNumberValue { return number }
    if let number = value.doubleValue ?? value.stringValue.flatMap(Double.init), number.isFinite {
      return Int(exactly: number.rounded(.towardZero))
    }
    return nil
  }

  func optionalMembers(_ name: String) throws(WebAuthnJSONError) -> JSONMembers? {
    guard let value = value(name) else { return nil }
    guard value.objectValue != nil else { throw error(.wrongType, name) }
    return try JSONMembers(value, path: error(.missing, name).member)
  }

  func optionalObject(_ name: String) throws(WebAuthnJSONError) -> JSONObject? {
    guard let value = value(name) else { return nil }
    guard let object = value.objectValue else { throw error(.wrongType, name) }
    return object
  }

  /// A list of texts; empty when absent.
  func texts(_ name: String) throws(WebAuthnJSONError) -> [String] {
    guard let value = value(name) else { return [] }
    guard let elements = value.arrayValue else { throw error(.wrongType, name) }
    guard elements.count <= WebAuthnLimits.listEntries else { throw error(.outOfRange, name) }
    var texts: [String] = []
    for (index, element) in elements.enumerated() {
      guard let text = element.stringValue else { throw error(.wrongType, "\(name)[\(index)]") }
      texts.append(text)
    }
    return texts
  }

  /// A list of objects; nil when absent.
  func optionalList(_ name: String) throws(WebAuthnJSONError) -> [JSONMembers]? {
    guard let value = value(name) else { return nil }
    guard let elements = value.arrayValue else { throw error(.wrongType, name) }
    guard elements.count <= WebAuthnLimits.listEntries else { throw error(.outOfRange, name) }
    var list: [JSONMembers] = []
    for (index, element) in elements.enumerated() {
      guard element.objectValue != nil else { throw error(.wrongType, "\(name)[\(index)]") }
      list.append(try JSONMembers(element, path: error(.missing, "\(name)[\(index)]").member))
    }
    return list
  }

  // MARK: - Members that must be there

  func text(_ name: String) throws(WebAuthnJSONError) -> String {
    guard let text = try optionalText(name) else { throw error(.missing, name) }
    return text
  }

  func bytes(_ name: String, toleratingPadding: Bool) throws(WebAuthnJSONError) -> [UInt8] {
    guard let bytes = try optionalBytes(name, toleratingPadding: toleratingPadding) else {
      throw error(.missing, name)
    }
    return bytes
  }

  func credentialID(_ name: String, toleratingPadding: Bool) throws(WebAuthnJSONError) -> CredentialID {
    guard let id = CredentialID(try bytes(name, toleratingPadding: toleratingPadding)) else {
      throw error(.outOfRange, name)
    }
    return id
  }

  func members(_ name: String) throws(WebAuthnJSONError) -> JSONMembers {
    guard let members = try optionalMembers(name) else { throw error(.missing, name) }
    return members
  }
}
