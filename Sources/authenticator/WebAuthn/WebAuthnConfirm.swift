import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorWebAuthn

/// `webauthn confirm`: destroys what a credential replaced, once its relying party has accepted it.
struct WebAuthnConfirm: Verb {
  static let syntax = Syntax(
    "webauthn", "confirm", summary: "destroy what a credential replaced, now that it has signed in",
    operands: ["[ID]"],
    options: [Option("--credential", .value("ID"), "the credential, as the operand does")]
      + DeviceOptions.withoutPrompts,
    notes: ["Journeys do this by themselves when they end with a session. Without it, a few are kept."]
  )

  private let settlement: CredentialSettlement

  init(_ arguments: Arguments) throws { settlement = try CredentialSettlement(arguments) }

  func run(_ console: Console) async throws -> ExitStatus {
    let (id, relyingPartyID, former) = try await settlement.run(console) { try await $0.confirm($1) }
    try console.print(
      [
        "confirmed": id, "rpId": relyingPartyID, "removed": former.map(JSONValue.string) ?? .null,
      ], lines: ["confirmed" + (former.map { "; \($0), which it replaced, is destroyed" } ?? "")])
    return .success
  }
}
