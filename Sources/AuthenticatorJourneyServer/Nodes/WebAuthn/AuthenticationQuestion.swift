internal import AuthenticatorCoding

/// What an authentication node asks, in both forms.
struct AuthenticationQuestion {
  let node: WebAuthnAuthenticationNode
  let party: RelyingPartyIdentity
  let challenge: (text: String, bytes: [UInt8])
  /// Empty: any credential of the relying party.
  let allowed: [[UInt8]]
  let extensions: JSONObject

  private var milliseconds: Int { node.timeout * 1000 }

  private var allowedText: String {
    allowed.isEmpty ? "" : "allowCredentials: [\(WebAuthnQuestion.scriptList(allowed))]"
  }

  /// The data of the metadata form.
  var data: JSONObject {
    var data: JSONObject = [
      "_action": "webauthn_authentication", "_type": "WebAuthn", "challenge": .string(challenge.text),
      "allowCredentials": .string(allowedText), "_allowCredentials": WebAuthnQuestion.jsonList(allowed),
      "timeout": .string("\(milliseconds)"), "userVerification": .string(node.userVerification.rawValue),
      "relyingPartyId": .string("rpId: \(WebAuthnScript.literal(party.id)),"), "_relyingPartyId": .string(party.id),
      "extensions": .object(extensions), "supportsJsonResponse": true,
    ]
    if node.isConditional { data["mediation"] = "conditional" }
    return data
  }

  /// The script form.
  var script: String {
    var members = [
      "rpId: \(WebAuthnScript.literal(party.id))", "timeout: \(milliseconds)",
      "userVerification: \(WebAuthnScript.literal(node.userVerification.rawValue))",
      "extensions: \(WebAuthnScript.expression(.object(extensions)))",
      "challenge: new Int8Array([\(SignedBytes.encode(challenge.bytes))]).buffer",
    ]
    if !allowed.isEmpty { members.append(allowedText) }
    return WebAuthnScript.get(members: members)
  }
}
