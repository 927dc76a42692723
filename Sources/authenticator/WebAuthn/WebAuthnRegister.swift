import AuthenticatorCoding
import AuthenticatorWebAuthn

/// `webauthn register`: makes a credential on this device.
struct WebAuthnRegister: Verb {
  static let syntax = Syntax(
    "webauthn", "register", summary: "make a WebAuthn credential on this device",
    options: CeremonyOptions.options + AttestationFiles.options + DeviceOptions.options(without: DeviceOptions.told),
    notes: [
      """
      The options decide about attestation: 'none' leaves it out; 'direct' signs with the credential itself, or with
      the key of --attestation-key.
      """,
      """
      A credential of the same relying party and user is replaced, and kept aside: 'webauthn withdraw' brings it back when
      the relying party refuses the new one, 'webauthn confirm' destroys it.
      """,
    ] + CeremonyOptions.notes)

  private let ceremony: CeremonyOptions
  private let attestation: AttestationFiles?
  private let device: DeviceOptions

  init(_ arguments: Arguments) throws {
    device = try DeviceOptions(arguments)
    ceremony = try CeremonyOptions(arguments)
    attestation = try AttestationFiles(arguments)
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let options = try ceremony.read { try PublicKeyCredentialCreationOptions(json: $0) }
    let device = try Device(device, console: console)
    let store = try await device.store.opened()
    let client = try await device.webAuthnClient(ceremony, over: store, attestation: attestation)
    let response = try await device.store.naming { try await client.create(options, caller: ceremony.caller) }
    try await client.authenticator.handingOver(response) {
      let json = try response.json()
      try console.print(json, lines: [json.serializedString()])
    }
    return .success
  }
}
