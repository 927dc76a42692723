import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorWebAuthn

/// `webauthn delete`: destroys a credential on this device.
struct WebAuthnDelete: Verb {
  static let syntax = Syntax(
    "webauthn", "delete", summary: "destroy a WebAuthn credential of this device; the server's record remains",
    operands: ["[ID]"],
    options: [Option("--credential", .value("ID"), "the credential, as the operand does")]
      + DeviceOptions.withoutPrompts,
    notes: [
      """
      Only the local half goes. The server still lists the credential, and signing in with it fails until it is
      registered again. Remove the server's record too.
      """
    ])

  private let options: DeviceOptions
  private let id: CredentialID

  init(_ arguments: Arguments) throws {
    options = try DeviceOptions(arguments)
    id = try CredentialID(operandOf: arguments)
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let holder = try await Device(options, console: console).withKeys()
    guard let holder, let source = try await holder.credentials().first(where: { $0.id == id }) else {
      throw WebAuthnError(
        .notAllowed, "there is no such credential on this device",
        cause: AuthenticatorError(.keyNotFound, stage: "delete"))
    }
    try await CredentialReplacement(holder.store).delete(source.record)
    try console.print(
      [
        "deleted": .string(id.base64URLEncodedString()), "rpId": .string(source.relyingPartyID),
        "serverRecord": "remains",
      ],
      lines: [
        "deleted; the server's record of it remains, and signing in with it fails until it is registered again"
      ])
    return .success
  }
}
