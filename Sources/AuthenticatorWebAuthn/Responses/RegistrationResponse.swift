public import AuthenticatorCoding

/// What a client returns when a credential was made (WebAuthn Level 3 sections 5.1 and 5.2.1).
public struct RegistrationResponse: Hashable, Sendable {
  /// The new credential's name.
  public var id: CredentialID
  /// Where the authenticator was; nil when the client does not tell.
  public var authenticatorAttachment: AuthenticatorAttachment?
  /// Client extension outputs as they stand in JSON.
  public var clientExtensionResults: JSONObject
  /// The client data, byte for byte as hashed.
  public var clientDataJSON: [UInt8]
  /// The attestation object as the authenticator made it.
  public var attestationObject: [UInt8]
  /// How the authenticator can be reached.
  public var transports: [AuthenticatorTransport]

  /// See the properties.
  public init(
    id: CredentialID, authenticatorAttachment: AuthenticatorAttachment? = nil,
    clientExtensionResults: JSONObject = [:], clientDataJSON: [UInt8], attestationObject: [UInt8],
    transports: [AuthenticatorTransport] = []
  ) {
    self.id = id
    self.authenticatorAttachment = authenticatorAttachment
    self.clientExtensionResults = clientExtensionResults
    self.clientDataJSON = clientDataJSON
    self.attestationObject = attestationObject
    self.transports = transports
  }

  // MARK: - JSON

  /// Reads a `RegistrationResponseJSON`. Base64url must be without padding.
  ///
  /// `contradiction` when `id` and `rawId` differ, or when the copies of what is in the attestation object
  /// (authenticator data, public key, algorithm) are there and say something else.
  public init(json: JSONValue) throws(WebAuthnJSONError) {
    let members = try JSONMembers(json)
    id = try AuthenticationResponse.readID(members)
    authenticatorAttachment = try members.optionalText("authenticatorAttachment").map(
      AuthenticatorAttachment.init(rawValue:))
    clientExtensionResults = try members.optionalObject("clientExtensionResults") ?? [:]
    let response = try members.members("response")
    clientDataJSON = try response.bytes("clientDataJSON", toleratingPadding: false)
    attestationObject = try response.bytes("attestationObject", toleratingPadding: false)
    transports = try response.texts("transports").map(AuthenticatorTransport.init(rawValue:))
    try checkCopies(response)
  }

  private func checkCopies(_ response: JSONMembers) throws(WebAuthnJSONError) {
    let data = try response.optionalBytes("authenticatorData", toleratingPadding: false)
    let publicKey = try response.optionalBytes("publicKey", toleratingPadding: false)
    let algorithm = response.lenientInteger("publicKeyAlgorithm")
    guard data != nil || publicKey != nil || algorithm != nil,
      let object = try? AttestationObject(rawBytes: attestationObject, keyOrder: .any),
      let credential = object.authenticatorData.attestedCredentialData
    else { return }
    if let data, data != object.authenticatorData.rawBytes {
      throw response.error(.contradiction, "authenticatorData")
    }
    let key = credential.credentialPublicKey
    if let publicKey, publicKey != key.publicKey.subjectPublicKeyInfo {
      throw response.error(.contradiction, "publicKey")
    }
    if let algorithm, algorithm != key.algorithm.rawValue { throw response.error(.contradiction, "publicKeyAlgorithm") }
  }

  /// The response as a `RegistrationResponseJSON`, with the copies that spare a server from reading CBOR.
  ///
  /// Throws `WebAuthnDataError` when the attestation object cannot be read.
  public func json() throws(WebAuthnDataError) -> JSONValue {
    let object = try AttestationObject(rawBytes: attestationObject, keyOrder: .any)
    var response: JSONObject = [
      "clientDataJSON": .string(Base64URL.encode(clientDataJSON)),
      "authenticatorData": .string(Base64URL.encode(object.authenticatorData.rawBytes)),
      "transports": .array(Set(transports.map(\.rawValue)).sorted().map(JSONValue.string)),
    ]
    if let key = object.authenticatorData.attestedCredentialData?.credentialPublicKey {
      response["publicKey"] = .string(Base64URL.encode(key.publicKey.subjectPublicKeyInfo))
      response["publicKeyAlgorithm"] = .integer(Int64(key.algorithm.rawValue))
    }
    response["attestationObject"] = .string(Base64URL.encode(attestationObject))
    return AuthenticationResponse.outerJSON(
      id: id, response: response, attachment: authenticatorAttachment, extensionResults: clientExtensionResults)
  }
}
