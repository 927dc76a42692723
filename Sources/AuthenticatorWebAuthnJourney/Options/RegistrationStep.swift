import AuthenticatorCoding
import AuthenticatorWebAuthn

/// What the server asks for when a credential is to be made.
struct RegistrationStep {
  let options: PublicKeyCredentialCreationOptions
  let userID: String
  let acceptsJSON: Bool

  init(_ form: StepForm, label: String) throws {
    switch form {
    case .metadata(let data): try self.init(metadata: data, label)
    case .script(let source): try self.init(script: source, label)
    }
  }

  /// Members with an underscore are plain JSON and come with 7.1; those without are pieces of the script.
  private init(metadata data: JSONObject, _ label: String) throws {
    let members = StepMembers(label: label) { data[$0] }
    guard try members.text("_type") == StepForm.metadataType else { throw members.malformed("_type") }
    userID = try members.text("userId")
    acceptsJSON = try members.flag("supportsJsonResponse")
    options = PublicKeyCredentialCreationOptions(
      relyingParty: PublicKeyCredentialRpEntity(
        id: try members.relyingPartyID(), name: try members.text("relyingPartyName")),
      user: try members.user(
        id: userID, name: try members.text("userName"), displayName: try members.optionalText("displayName")),
      challenge: try members.challenge(),
      parameters: try members.parameters(try members.list("pubKeyCredParams")), timeout: try members.timeout(),
      excludeCredentials: try members.descriptors(try members.list("excludeCredentials"), "excludeCredentials"),
      authenticatorSelection: try members.selection(try members.object("authenticatorSelection")),
      attestation: try members.optionalText("attestationPreference").map(
        AttestationConveyancePreference.init(rawValue:)),
      extensions: try members.extensions())
  }

  private init(script source: String, _ label: String) throws {
    let script = ScriptReader(source)
    let members = StepMembers(label: label, lookUp: script.value(of:))
    guard let party = members["rp"]?.objectValue else { throw members.missing("rp") }
    guard let account = members["user"]?.objectValue else { throw members.missing("user") }
    let partyMembers = StepMembers(label: label) { party[$0] }
    let accountMembers = StepMembers(label: label) { account[$0] }
    userID = try accountMembers.text("id")
    acceptsJSON = false
    options = PublicKeyCredentialCreationOptions(
      relyingParty: PublicKeyCredentialRpEntity(
        id: try partyMembers.optionalText("id").flatMap { $0.isEmpty ? nil : $0 },
        name: try partyMembers.text("name")),
      user: try accountMembers.user(
        id: userID, name: try accountMembers.text("name"),
        displayName: try accountMembers.optionalText("displayName")),
      challenge: try members.challenge(), parameters: try members.parameters(members["pubKeyCredParams"]?.arrayValue),
      timeout: try members.timeout(),
      excludeCredentials: try members.descriptors(members["excludeCredentials"]?.arrayValue, "excludeCredentials"),
      authenticatorSelection: try members["authenticatorSelection"].map(members.selection)
        ?? AuthenticatorSelectionCriteria(),
      attestation: try members.optionalText("attestation").map(AttestationConveyancePreference.init(rawValue:)),
      extensions: try members.extensions())
  }
}
