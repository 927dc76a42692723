import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorWebAuthn

/// `webauthn list`: the credentials of this device.
struct WebAuthnList: Verb {
  static let syntax = Syntax(
    "webauthn", "list", summary: "list the WebAuthn credentials of this device",
    options: [Option("--rp-id", .value("ID"), "of this relying party only")] + DeviceOptions.withoutPrompts,
    notes: ["Hidden: the server said that it does not know the credential; it is not offered any more."])

  private let options: DeviceOptions
  private let relyingPartyID: String?

  init(_ arguments: Arguments) throws {
    options = try DeviceOptions(arguments)
    relyingPartyID = try arguments.text("--rp-id")
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let holder = try await Device(options, console: console).withKeys()
    let entries = CredentialEntry.entries(try await holder?.credentials(of: relyingPartyID) ?? [])
    try console.print(
      .array(entries.map(\.json)), lines: entries.isEmpty ? ["no credentials"] : entries.map(\.line))
    let damaged = try await holder?.store.damagedTags().count ?? 0
    if damaged > 0 {
      console.say(
        "records of the store that cannot be read: \(damaged); see 'authenticator keys list'")
    }
    return .success
  }
}
