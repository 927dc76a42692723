import AuthenticatorCoding

/// What a client sent to register a credential, not verified yet.
public struct ReceivedRegistration: Hashable, Sendable {
  /// The credential's name as the client tells it.
  public var id: [UInt8]
  /// The client data, byte for byte as hashed.
  public var clientDataJSON: [UInt8]
  /// The attestation object in CBOR.
  public var attestationObject: [UInt8]
  /// How the client says the authenticator can be reached.
  public var transports: [String]
  /// Client extension outputs as they stand in JSON.
  public var clientExtensionResults: JSONObject

  /// See the properties.
  public init(
    id: [UInt8], clientDataJSON: [UInt8], attestationObject: [UInt8], transports: [String] = [],
    clientExtensionResults: JSONObject = [:]
  ) {
    self.id = id
    self.clientDataJSON = clientDataJSON
    self.attestationObject = attestationObject
    self.transports = transports
    self.clientExtensionResults = clientExtensionResults
  }

  /// Reads a `RegistrationResponseJSON` (WebAuthn Level 3 section 5.1.3). The copies it carries of what stands in the
  /// attestation object are not looked at.
  ///
  /// Throws `responseMalformed`, `credentialTypeMismatch` or `credentialIDMismatch`.
  public init(json: JSONValue) throws(WebAuthnVerificationError) {
    let members = try ResponseMembers(json)
    id = try members.credentialID()
    let response = try members.members("response")
    clientDataJSON = try response.bytes("clientDataJSON")
    attestationObject = try response.bytes("attestationObject")
    transports = try response.optionalTexts("transports")
    clientExtensionResults = try members.optionalObject("clientExtensionResults")
  }
}
