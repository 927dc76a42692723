import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney

extension FuzzTarget {
  /// The options of a WebAuthn step, as metadata of either server generation and as a script, and outcomes with any
  /// device name or user handle in them.
  static let webAuthnStep = FuzzTarget(name: "webauthn-step", maximumLength: 1 << 16) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    if let data = (try? JSONValue.parse(bytes))?.objectValue {
      try await read(["type": "MetadataCallback", "output": [["name": "data", "value": .object(data)]]])
    }
    try await read([
      "type": "TextOutputCallback",
      "output": [["name": "message", "value": .string(text)], ["name": "messageType", "value": "4"]],
    ])
    try checkOutcomes(bytes, text)
  }

  private static let registry = CallbackRegistry.standard.registeringWebAuthn()

  private static func read(_ json: JSONObject) async throws {
    try await onlyAuthenticatorErrors {
      let callback = try registry.make(
        CallbackPayload(
          json,
          context: CallbackContext(journey: JourneyContext(instance: "https://a.example", realm: "/", journey: "J"))))
      switch callback {
      case let callback as WebAuthnRegistrationCallback:
        let options = callback.options
        try expect(Array(callback.userID.utf8) == options.user.id, "the user handle is the server's text")
        try expect((5...600).contains(callback.timeout.components.seconds), "the time limit is held to its bounds")
        try expect(!options.parameters.isEmpty && !options.challenge.isEmpty, "what is mandatory is there")
        let again = try? PublicKeyCredentialCreationOptions(json: options.json)
        try expect(again?.challenge == options.challenge, "the options have the standard's form")
      case let callback as WebAuthnAuthenticationCallback:
        let options = callback.options
        try expect((5...600).contains(callback.timeout.components.seconds), "the time limit is held to its bounds")
        try expect(
          callback.isUsernameless == options.allowCredentials.isEmpty && !options.challenge.isEmpty,
          "what is mandatory is there")
        let again = try? PublicKeyCredentialRequestOptions(json: options.json)
        try expect(again?.allowCredentials == options.allowCredentials, "the options have the standard's form")
      default: break
      }
    }
  }

  private static func checkOutcomes(_ bytes: [UInt8], _ text: String) throws {
    guard let id = CredentialID([1]) else { return }
    let clientData = Array(#"{"origin":"https://a.example"}"#.utf8)
    let registration = RegistrationResponse(id: id, clientDataJSON: clientData, attestationObject: [128])
    let named = try? WebAuthnOutcome(registration, deviceName: text, asJSON: false)
    let parts = named?.rawValue.split(separator: "::", omittingEmptySubsequences: false).count
    try expect(parts == 3 || parts == 4, "a device name is one part at most")
    guard !bytes.isEmpty else { return }
    let authentication = AuthenticationResponse(
      id: id, clientDataJSON: clientData, authenticatorData: [0], signature: [0], userHandle: bytes)
    let handled = try? WebAuthnOutcome(authentication, asJSON: false)
    try expect(
      handled?.rawValue.split(separator: "::", omittingEmptySubsequences: false).count == 5,
      "a user handle is one part")
    var foreign = registration
    foreign.clientDataJSON = bytes
    if let outcome = try? WebAuthnOutcome(foreign, asJSON: false) {
      try expect(
        outcome.rawValue.split(separator: "::", omittingEmptySubsequences: false).count == 3,
        "client data that falls apart is refused")
    }
  }
}
