import AuthenticatorCoding
import AuthenticatorWebAuthn

/// `webauthn register`: makes a credential on this device.
struct WebAuthnRegister: Verb {
  static let syntax = Syntax(
    "webauthn", "register", summary: "make a WebAuthn credential on this device",
    options: CeremonyOptions.options + AttestationFiles.options + DeviceOptions.options,
    notes: [
      """
      The options decide about attestation: 'none' leaves it out; 'direct' signs with the credential itself, or with
      the key of --attestation-key.
      """
    ] + CeremonyOptions.notes)

  private let ceremony: CeremonyOptions
  private let attestation: AttestationFiles?
  private let device: DeviceOptions

  init(_ arguments: Arguments) throws {
    device = try DeviceOptions(arguments)
    ceremony = try CeremonyOptions(arguments, device)
    attestation = try AttestationFiles(arguments)
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let options = try ceremony.read { try PublicKeyCredentialCreationOptions(json: $0) }
    let device = try Device(device, console: console)
    let store = try await device.store.opened()
    let client = try await device.webAuthnClient(ceremony, over: store, attestation: attestation)
    let response = try await client.create(options, caller: ceremony.caller).json()
    try console.print(response, lines: [response.serializedString()])
    return .success
  }
}
