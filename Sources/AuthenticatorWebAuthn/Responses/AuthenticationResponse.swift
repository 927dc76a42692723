public import AuthenticatorCoding

/// What a client returns when somebody signs in (WebAuthn Level 3 sections 5.1 and 5.2.2).
public struct AuthenticationResponse: Hashable, Sendable {
  /// The credential's name.
  public var id: CredentialID
  /// Where the authenticator was; nil when the client does not tell.
  public var authenticatorAttachment: AuthenticatorAttachment?
  /// Client extension outputs as they stand in JSON.
  public var clientExtensionResults: JSONObject
  /// The client data, byte for byte as hashed.
  public var clientDataJSON: [UInt8]
  /// The authenticator data, byte for byte as signed.
  public var authenticatorData: [UInt8]
  /// The signature in its form on the wire: DER for ECDSA.
  public var signature: [UInt8]
  /// Nil when the authenticator told none; never empty.
  public var userHandle: [UInt8]?

  /// See the properties.
  public init(
    id: CredentialID, authenticatorAttachment: AuthenticatorAttachment? = nil,
    clientExtensionResults: JSONObject = [:], clientDataJSON: [UInt8], authenticatorData: [UInt8],
    signature: [UInt8], userHandle: [UInt8]? = nil
  ) {
    self.id = id
    self.authenticatorAttachment = authenticatorAttachment
    self.clientExtensionResults = clientExtensionResults
    self.clientDataJSON = clientDataJSON
    self.authenticatorData = authenticatorData
    self.signature = signature
    self.userHandle = userHandle
  }

  // MARK: - JSON

  /// Reads an `AuthenticationResponseJSON`. Base64url must be without padding; `contradiction` when `id` and `rawId`
  /// differ.
  public init(json: JSONValue) throws(WebAuthnJSONError) {
    let members = try JSONMembers(json)
    id = try Self.readID(members)
    authenticatorAttachment = try members.optionalText("authenticatorAttachment").map(
      AuthenticatorAttachment.init(rawValue:))
    clientExtensionResults = try members.optionalObject("clientExtensionResults") ?? [:]
    let response = try members.members("response")
    clientDataJSON = try response.bytes("clientDataJSON", toleratingPadding: false)
    authenticatorData = try response.bytes("authenticatorData", toleratingPadding: false)
    signature = try response.bytes("signature", toleratingPadding: false)
    userHandle = try response.optionalBytes("userHandle", toleratingPadding: false).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The response as an `AuthenticationResponseJSON`.
  public var json: JSONValue {
    var response: JSONObject = [
      "clientDataJSON": .string(Base64URL.encode(clientDataJSON)),
      "authenticatorData": .string(Base64URL.encode(authenticatorData)),
      "signature": .string(Base64URL.encode(signature)),
    ]
    if let userHandle { response["userHandle"] = .string(Base64URL.encode(userHandle)) }
    return Self.outerJSON(
      id: id, response: response, attachment: authenticatorAttachment, extensionResults: clientExtensionResults)
  }

  /// The credential's name, which stands there twice.
  static func readID(_ members: JSONMembers) throws(WebAuthnJSONError) -> CredentialID {
    let type = try members.text("type")
    guard type == PublicKeyCredentialType.publicKey.rawValue else { throw members.error(.contradiction, "type") }
    let id = try members.credentialID("id", toleratingPadding: false)
    let rawID = try members.credentialID("rawId", toleratingPadding: false)
    guard id == rawID else { throw members.error(.contradiction, "rawId") }
    return id
  }

  static func outerJSON(
    id: CredentialID, response: JSONObject, attachment: AuthenticatorAttachment?, extensionResults: JSONObject
  ) -> JSONValue {
    let id = JSONValue.string(id.base64URLEncodedString())
    var object: JSONObject = ["id": id, "rawId": id, "response": .object(response)]
    if let attachment { object["authenticatorAttachment"] = .string(attachment.rawValue) }
    object["clientExtensionResults"] = .object(extensionResults)
    object["type"] = .string(PublicKeyCredentialType.publicKey.rawValue)
    return .object(object)
  }
}
