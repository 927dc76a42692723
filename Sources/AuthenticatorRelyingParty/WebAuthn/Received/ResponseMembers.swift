import AuthenticatorCoding

/// Reads the members of a response in JSON; every failure is `responseMalformed`.
struct ResponseMembers {
  private let object: JSONObject

  init(_ value: JSONValue?) throws(WebAuthnVerificationError) {
    guard case .object(let object)? = value else { throw Self.malformed }
    self.object = object
  }

  private static let malformed = WebAuthnVerificationError(
    .responseMalformed, "a member of the response is missing or malformed")

  func members(_ name: String) throws(WebAuthnVerificationError) -> ResponseMembers {
    try ResponseMembers(object[name])
  }

  func bytes(_ name: String) throws(WebAuthnVerificationError) -> [UInt8] {
    guard case .string(let text)? = object[name], let bytes = try? Base64URL.decode(text) else { throw Self.malformed }
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
    default: throw Self.malformed
    }
  }

  func optionalTexts(_ name: String) throws(WebAuthnVerificationError) -> [String] {
    guard let value = object[name], !value.isNull else { return [] }
    guard let elements = value.arrayValue, elements.count <= 64 else { throw Self.malformed }
    var texts: [String] = []
    for element in elements {
      guard let text = element.stringValue else { throw Self.malformed }
      texts.append(text)
    }
    return texts
  }

  /// The credential's name, after `type`, `id` and `rawId` were compared.
  func credentialID() throws(WebAuthnVerificationError) -> [UInt8] {
    guard case .string(let type)? = object["type"] else { throw Self.malformed }
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
