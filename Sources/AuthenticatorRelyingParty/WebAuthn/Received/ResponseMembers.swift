import AuthenticatorCoding

/// Reads the members of a response in JSON; every failure is `responseMalformed`.
struct ResponseMembers {
  private let object: JSONObject
  private let path: String

  init(_ value: JSONValue?) throws(WebAuthnVerificationError) { try self.init(value, path: "") }

  private init(_ value: JSONValue?, path: String) throws(WebAuthnVerificationError) {
    guard case .object(let object)? = value else {
      throw WebAuthnVerificationError(
        malformed: path.isEmpty ? "the response is no object" : "\(path) is missing or no object")
    }
    self.object = object
    self.path = path
  }

  private func name(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  private func malformed(_ name: String, _ what: String) -> WebAuthnVerificationError {
    let what = object[name] == nil ? "missing" : what
    return WebAuthnVerificationError(malformed: "\(self.name(name)) is \(what)")
  }

  func members(_ name: String) throws(WebAuthnVerificationError) -> ResponseMembers {
    try ResponseMembers(object[name], path: self.name(name))
  }

  func bytes(_ name: String) throws(WebAuthnVerificationError) -> [UInt8] {
    guard case .string(let text)? = object[name], let bytes = try? Base64URL.decode(text) else {
      throw malformed(name, "not base64url without padding")
    }
    return bytes
  }

  /// Nil when the member is absent, null or empty.
  func optionalBytes(_ name: String) throws(WebAuthnVerificationError) -> [UInt8]? {
    guard let value = object[name], !value.isNull else { return nil }
    let bytes = try bytes(name)
    return bytes.isEmpty ? nil : bytes
  }

  func optionalObject(_ name: String) throws(WebAuthnVerificationError) -> JSONObject {
    switch object[name] {
    case nil, .null?: return [:]
    case .object(let object)?: return object
    default: throw malformed(name, "no object")
    }
  }

  func optionalTexts(_ name: String) throws(WebAuthnVerificationError) -> [String] {
    guard let value = object[name], !value.isNull else { return [] }
    guard let elements = value.arrayValue, elements.count <= 64 else {
      throw malformed(name, "no list, or a list of more than 64")
    }
    var texts: [String] = []
    for element in elements {
      guard let text = element.stringValue else { throw malformed(name, "no list of texts") }
      texts.append(text)
    }
    return texts
  }

  /// The credential's name, after `type`, `id` and `rawId` were compared.
  func credentialID() throws(WebAuthnVerificationError) -> [UInt8] {
    guard case .string(let type)? = object["type"] else { throw malformed("type", "no text") }
    guard type == "public-key" else {
      throw WebAuthnVerificationError(.credentialTypeMismatch, "the credential is not a public key")
    }
    let rawID = try bytes("rawId")
    guard try bytes("id") == rawID else {
      throw WebAuthnVerificationError(.credentialIDMismatch, "id and rawId differ")
    }
    return rawID
  }
}
