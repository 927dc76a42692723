import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorWebAuthn

/// What `webauthn withdraw` and `confirm` share: one credential of this device, and what waits behind it.
struct CredentialSettlement: Sendable {
  private let options: DeviceOptions
  private let id: CredentialID

  init(_ arguments: Arguments) throws {
    options = try DeviceOptions(arguments)
    id = try CredentialID(operandOf: arguments)
  }

  /// - Parameter includingWaiting: whether one may be meant that does not hold its place: staged by a registration that
  ///   runs or was cut off, or replaced and kept.
  /// - Returns: what is printed of it: its name, its relying party, and the name of the one that it replaced.
  func run(
    _ console: Console, includingWaiting: Bool = false,
    _ body: (CredentialReplacement, KeyRecord) async throws -> Void
  ) async throws -> (id: JSONValue, relyingPartyID: JSONValue, former: String?) {
    let holder = try await Device(options, console: console).withKeys()
    guard let holder, let record = try await holder.credential(id, includingWaiting: includingWaiting) else {
      throw WebAuthnError(
        .notAllowed, "there is no such credential on this device",
        cause: AuthenticatorError(.keyNotFound, stage: "settle"))
    }
    let replacement = CredentialReplacement(holder.store)
    let former = try await replacement.former(of: record)
    try await body(replacement, record)
    return (
      .string(id.base64URLEncodedString()), .string(record.owner.party),
      former?.externalID.flatMap(CredentialID.init)?.base64URLEncodedString()
    )
  }
}

extension CredentialID {
  /// The credential that an operand or `--credential` names.
  init(operandOf arguments: Arguments) throws {
    let (operand, option) = (arguments.operands.first, try arguments.text("--credential"))
    guard operand == nil || option == nil else { throw Failure.usage("the credential is given twice") }
    guard let text = option ?? operand else { throw Failure.usage("ID is missing") }
    try self.init(argument: text, option: option == nil ? "ID" : "--credential")
  }
}
