import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorKeyStore
import AuthenticatorWebAuthn

/// `webauthn authenticate`: signs in with a credential of this device.
struct WebAuthnAuthenticate: Verb {
  static let syntax = Syntax(
    "webauthn", "authenticate", summary: "sign in with a WebAuthn credential of this device",
    options: CeremonyOptions.options + [
      Option("--credential", .value("ID"), "use this credential; otherwise, among several, the person chooses")
    ] + DeviceOptions.options(without: DeviceOptions.told), notes: CeremonyOptions.notes)

  private let ceremony: CeremonyOptions
  private let credential: CredentialID?
  private let device: DeviceOptions

  init(_ arguments: Arguments) throws {
    device = try DeviceOptions(arguments)
    ceremony = try CeremonyOptions(arguments)
    credential = try arguments.text("--credential").map { try CredentialID(argument: $0, option: "--credential") }
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let options = try ceremony.read { try PublicKeyCredentialRequestOptions(json: $0) }
    let device = try Device(device, console: console)
    // Without a store there is no credential, and the person is told so like anywhere else.
    let store: any KeyStore =
      try await device.store.existing() ?? InMemoryKeyStore(environment: device.person.environment)
    let client = try await device.webAuthnClient(ceremony, over: store)
    let response = try await device.store.naming {
      try await client.get(options, caller: ceremony.caller, credential: credential).json
    }
    try console.print(response, lines: [response.serializedString()])
    return .success
  }
}
