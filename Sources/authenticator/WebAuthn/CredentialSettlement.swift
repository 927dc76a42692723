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

  /// - Returns: the credential, and the name of the one that it replaced; nil: there was none.
  func run(
    _ console: Console, _ body: (CredentialReplacement, KeyRecord) async throws -> Void
  ) async throws -> (PublicKeyCredentialSource, former: String?) {
    let holder = try await Device(options, console: console).withKeys()
    guard let holder, let source = try await holder.credentials().first(where: { $0.id == id }) else {
      throw WebAuthnError(
        .notAllowed, "there is no such credential on this device",
        cause: AuthenticatorError(.keyNotFound, stage: "settle"))
    }
    let replacement = CredentialReplacement(holder.store)
    let former = try await replacement.former(of: source.record)
    try await body(replacement, source.record)
    return (source, former?.externalID.flatMap(CredentialID.init)?.base64URLEncodedString())
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
