import AuthenticatorCoding
import AuthenticatorTrustedDevice

/// `trusted-device sign-in`: signs in with this installation's key.
struct TrustedDeviceSignIn: TrustedDeviceVerb {
  static let syntax = Syntax(
    "trusted-device", "sign-in", summary: "sign in with this installation's key",
    options: [
      Option("--id", .value("ID"), "only with this device"),
      Option("--hint", .value("TEXT"), "only with devices enrolled with this hint"),
      Option("--reason", .value("TEXT"), "what the person reads"),
    ] + TrustedDeviceOptions.options,
    notes: [
      #"Prints {"status", "createdSessionId"}. A status other than complete wants more, and is no failure."#
    ] + TrustedDeviceOptions.notes)

  let options: TrustedDeviceOptions
  let makesStore = false
  private let id: String?
  private let hint: String?
  private let reason: String?

  init(_ arguments: Arguments) throws {
    options = try TrustedDeviceOptions(arguments)
    id = try arguments.text("--id")
    hint = arguments.value("--hint")
    reason = try arguments.text("--reason")
  }

  func perform(_ run: TrustedDeviceRun) async throws -> TrustedDeviceReport {
    let signIn = try await run.client.auth.signInWithTrustedDevice(id: id, identifierHint: hint, reason: reason)
    return TrustedDeviceReport(
      json: ["status": .string(signIn.status.rawValue), "createdSessionId": signIn.createdSessionID.json],
      lines: ["sign-in: \(signIn.status)"])
  }
}
