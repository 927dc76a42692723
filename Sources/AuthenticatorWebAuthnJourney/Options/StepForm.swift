import AuthenticatorCoding
import AuthenticatorJourney

/// The two ways in which a server sends the options of a WebAuthn step.
enum StepForm {
  /// The data of a `MetadataCallback`.
  case metadata(JSONObject)
  /// The source text of a script in a `TextOutputCallback`.
  case script(String)

  /// What `_type` says in metadata about WebAuthn.
  static let metadataType = "WebAuthn"
  /// The id of the hidden field that takes the outcome.
  static let outcomeID = "webAuthnOutcome"

  enum Ceremony {
    case registration
    case authentication
  }

  /// Whether a callback is a WebAuthn step, and of what kind. Nil: it is something else.
  static func recognize(_ payload: CallbackPayload) -> (form: StepForm, ceremony: Ceremony)? {
    switch payload.type {
    case "MetadataCallback":
      guard let data = payload.output("data")?.objectValue, let ceremony = ceremony(of: data) else { return nil }
      return (.metadata(data), ceremony)
    case "TextOutputCallback":
      // The second script of such a step only draws.
      guard payload.wholeNumber("messageType") == 4, let source = payload.text("message"),
        source.contains(outcomeID), source.contains("challenge")
      else { return nil }
      return (.script(source), source.contains("pubKeyCredParams") ? .registration : .authentication)
    default: return nil
    }
  }

  private static func ceremony(of data: JSONObject) -> Ceremony? {
    let type = data["_type"].flatMap { $0.isNull ? nil : $0 }
    guard type == nil || type == .string(metadataType) else { return nil }
    if let action = data["_action"], !action.isNull {
      switch action.stringValue {
      case "webauthn_registration": return .registration
      case "webauthn_authentication": return .authentication
      default: return nil
      }
    }
    guard type != nil else { return nil }
    if data["pubKeyCredParams"] != nil || data["_pubKeyCredParams"] != nil { return .registration }
    let lists = ["allowCredentials", "_allowCredentials", "acceptableCredentials", "_acceptableCredentials"]
    return lists.contains { data[$0] != nil } ? .authentication : nil
  }
}

// MARK: - Metadata of both generations

extension StepMembers {
  /// The plain member with an underscore if it is there, or else the piece of script.
  private func plainOrScript(_ name: String) -> (plain: JSONValue?, script: JSONValue?) {
    if let plain = self["_" + name] { return (plain, nil) }
    return (nil, self[name])
  }

  /// Nil when the server leaves it to the client.
  func relyingPartyID() throws -> String? {
    let name = "relyingPartyId"
    let (plain, script) = plainOrScript(name)
    guard let value = plain ?? script else { return nil }
    guard let text = value.stringValue else { throw malformed(name) }
    guard !text.isEmpty else { return nil }
    if plain != nil { return text }
    let reader = ScriptReader(text)
    guard let id = (reader.value(of: "id") ?? reader.value(of: "rpId"))?.stringValue, !id.isEmpty else {
      throw malformed(name)
    }
    return id
  }

  /// A list of objects; nil when it is absent.
  func list(_ name: String) throws -> [JSONValue]? {
    let (plain, script) = plainOrScript(name)
    if let plain {
      guard let list = plain.arrayValue else { throw malformed(name) }
      return list
    }
    guard let script else { return nil }
    if let list = script.arrayValue { return list }
    guard let text = script.stringValue else { throw malformed(name) }
    let reader = ScriptReader(text)
    // `name: [{…}]`, `[{…}]`, or `{…}, {…}`.
    if let list = reader.value(of: name)?.arrayValue { return list }
    guard let values = reader.values() else { throw malformed(name) }
    if values.count == 1, let list = values[0].arrayValue { return list }
    return values
  }

  func object(_ name: String) throws -> JSONValue {
    let (plain, script) = plainOrScript(name)
    guard let value = plain ?? script else { throw missing(name) }
    guard let text = value.stringValue else { return value }
    guard let values = ScriptReader(text).values(), values.count == 1 else { throw malformed(name) }
    return values[0]
  }
}
