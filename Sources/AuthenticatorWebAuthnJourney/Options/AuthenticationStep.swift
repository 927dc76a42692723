import AuthenticatorCoding
import AuthenticatorWebAuthn

/// What the server asks for when somebody is to sign in.
struct AuthenticationStep {
  let options: PublicKeyCredentialRequestOptions
  /// The mediation that newer servers ask for; nil when they do not.
  let mediation: WebAuthnMediation?
  let acceptsJSON: Bool

  init(_ form: StepForm, label: String) throws {
    switch form {
    case .metadata(let data): try self.init(metadata: data, label)
    case .script(let source): try self.init(script: source, label)
    }
  }

  private init(metadata data: JSONObject, _ label: String) throws {
    let members = StepMembers(label: label) { data[$0] }
    guard try members.text("_type") == StepForm.metadataType else { throw members.malformed("_type") }
    let list = try members.list("allowCredentials") ?? members.list("acceptableCredentials")
    // A word that nobody knows asks for nothing.
    mediation = try members.optionalText("mediation").flatMap(WebAuthnMediation.init(rawValue:))
    acceptsJSON = try members.flag("supportsJsonResponse")
    options = PublicKeyCredentialRequestOptions(
      challenge: try members.challenge(), timeout: try members.timeout(),
      relyingPartyID: try members.relyingPartyID(),
      allowCredentials: try members.descriptors(list, "allowCredentials"),
      userVerification: try members.optionalText("userVerification").map(UserVerificationRequirement.init(rawValue:)),
      extensions: try members.extensions())
  }

  private init(script source: String, _ label: String) throws {
    let script = ScriptReader(source)
    let members = StepMembers(label: label, lookUp: script.value(of:))
    mediation = nil
    acceptsJSON = false
    let list = members["allowCredentials"] ?? members["acceptableCredentials"]
    options = PublicKeyCredentialRequestOptions(
      challenge: try members.challenge(), timeout: try members.timeout(),
      relyingPartyID: try members.optionalText("rpId").flatMap { $0.isEmpty ? nil : $0 },
      allowCredentials: try members.descriptors(list?.arrayValue, "allowCredentials"),
      userVerification: try members.optionalText("userVerification").map(UserVerificationRequirement.init(rawValue:)),
      extensions: try members.extensions())
  }
}
