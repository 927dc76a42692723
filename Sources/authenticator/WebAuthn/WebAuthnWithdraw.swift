import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorWebAuthn

/// `webauthn withdraw`: takes a new credential back that its relying party refused.
struct WebAuthnWithdraw: Verb {
  static let syntax = Syntax(
    "webauthn", "withdraw", summary: "take back a new credential that the relying party refused",
    operands: ["[ID]"],
    options: [Option("--credential", .value("ID"), "the credential, as the operand does")]
      + DeviceOptions.withoutPrompts,
    notes: [
      """
      The credential is destroyed. The oldest that it replaced, if one is still kept, takes its place again. One that was
      replaced itself, or whose registration was cut off, is found too; nothing else changes then.
      """
    ])

  private let settlement: CredentialSettlement

  init(_ arguments: Arguments) throws { settlement = try CredentialSettlement(arguments) }

  func run(_ console: Console) async throws -> ExitStatus {
    let (id, relyingPartyID, former) = try await settlement.run(console, includingWaiting: true) {
      try await $0.withdraw($1)
    }
    try console.print(
      [
        "withdrawn": id, "rpId": relyingPartyID, "restored": former.map(JSONValue.string) ?? .null,
      ], lines: ["withdrawn" + (former.map { "; \($0) is in its place again" } ?? "")])
    return .success
  }
}
