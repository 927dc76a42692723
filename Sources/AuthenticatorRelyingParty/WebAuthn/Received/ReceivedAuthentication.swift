import AuthenticatorCoding

/// What a client sent to sign in, not verified yet.
public struct ReceivedAuthentication: Hashable, Sendable {
  /// The credential's name as the client tells it.
  public var id: [UInt8]
  /// The client data, byte for byte as hashed.
  public var clientDataJSON: [UInt8]
  /// The authenticator data, byte for byte as signed.
  public var authenticatorData: [UInt8]
  /// The signature in its form on the wire: DER for ECDSA.
  public var signature: [UInt8]
  /// Nil when the client sent none.
  public var userHandle: [UInt8]?
  /// Client extension outputs as they stand in JSON.
  public var clientExtensionResults: JSONObject

  /// See the properties.
  public init(
    id: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8], userHandle: [UInt8]? = nil,
    clientExtensionResults: JSONObject = [:]
  ) {
    self.id = id
    self.clientDataJSON = clientDataJSON
    self.authenticatorData = authenticatorData
    self.signature = signature
    self.userHandle = userHandle
    self.clientExtensionResults = clientExtensionResults
  }

  /// Reads an `AuthenticationResponseJSON` (WebAuthn Level 3 section 5.1.4).
  ///
  /// Throws `responseMalformed`, `credentialTypeMismatch` or `credentialIDMismatch`.
  public init(json: JSONValue) throws(WebAuthnVerificationError) {
    let members = try ResponseMembers(json)
    id = try members.credentialID()
    let response = try members.members("response")
    clientDataJSON = try response.bytes("clientDataJSON")
    authenticatorData = try response.bytes("authenticatorData")
    signature = try response.bytes("signature")
    userHandle = try response.optionalBytes("userHandle")
    clientExtensionResults = try members.optionalObject("clientExtensionResults")
  }
}
