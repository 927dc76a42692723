internal import AuthenticatorCoding

/// What a registration node asks, in both forms.
struct RegistrationQuestion {
  let node: WebAuthnRegistrationNode
  let party: RelyingPartyIdentity
  let challenge: (text: String, bytes: [UInt8])
  /// The user handle is the bytes of this text, which looks like base64url and is not decoded.
  let userHandle: String
  let userName: String
  let displayName: String
  let excluded: [[UInt8]]
  let extensions: JSONObject

  private var selection: JSONObject {
    var selection: JSONObject = ["userVerification": .string(node.userVerification.rawValue)]
    if let attachment = node.attachment { selection["authenticatorAttachment"] = .string(attachment.rawValue) }
    if let residentKey = node.residentKey {
      if residentKey == .required { selection["requireResidentKey"] = true }
      selection["residentKey"] = .string(residentKey.rawValue)
    }
    return selection
  }

  private var milliseconds: Int { node.timeout * 1000 }

  /// The parameters as the older SDKs read them: JSON text with spaces.
  private var parameterText: String {
    "[ " + node.algorithms.map { "{ \"type\": \"public-key\", \"alg\": \($0.rawValue) }" }.joined(separator: ", ")
      + " ]"
  }

  /// The data of the metadata form.
  var data: JSONObject {
    [
      "_action": "webauthn_registration", "_type": "WebAuthn", "challenge": .string(challenge.text),
      "attestationPreference": .string(node.attestation.rawValue), "userName": .string(userName),
      "userId": .string(userHandle), "displayName": .string(displayName),
      "relyingPartyName": .string(node.relyingPartyName),
      "relyingPartyId": .string("id: \(WebAuthnScript.literal(party.id)),"), "_relyingPartyId": .string(party.id),
      "authenticatorSelection": .string(JSONValue.object(selection).serializedString()),
      "_authenticatorSelection": .object(selection), "pubKeyCredParams": .string(parameterText),
      "_pubKeyCredParams": .array(
        node.algorithms.map { ["type": "public-key", "alg": .integer(Int64($0.rawValue))] }),
      "timeout": .string("\(milliseconds)"), "excludeCredentials": .string(WebAuthnQuestion.scriptList(excluded)),
      "_excludeCredentials": WebAuthnQuestion.jsonList(excluded), "extensions": .object(extensions),
      "supportsJsonResponse": true,
    ]
  }

  /// The script form.
  var script: String {
    let literal = WebAuthnScript.literal
    var members = [
      "rp: { id: \(literal(party.id)), name: \(literal(node.relyingPartyName)) }",
      "user: { id: Uint8Array.from(\(literal(userHandle)), function (c) { return c.charCodeAt(0); }), "
        + "name: \(literal(userName)), displayName: \(literal(displayName)) }",
      "attestation: \(literal(node.attestation.rawValue))", "timeout: \(milliseconds)",
      "authenticatorSelection: \(WebAuthnScript.expression(.object(selection)))",
      "extensions: \(WebAuthnScript.expression(.object(extensions)))",
      "challenge: new Int8Array([\(SignedBytes.encode(challenge.bytes))]).buffer",
      "pubKeyCredParams: \(parameterText)",
    ]
    if !excluded.isEmpty { members.append("excludeCredentials: [\(WebAuthnQuestion.scriptList(excluded))]") }
    return WebAuthnScript.create(members: members)
  }
}
