import AuthenticatorCoding
import AuthenticatorTrustedDevice

/// `trusted-device enroll`: makes this installation a trusted device of the signed-in user.
struct TrustedDeviceEnroll: TrustedDeviceVerb {
  static let syntax = Syntax(
    "trusted-device", "enroll", summary: "make this installation a trusted device of the signed-in user",
    options: [
      Option("--device-name", .value("NAME"), "what the server lists it as (default the host name)"),
      Option("--hint", .value("TEXT"), "tells users' devices apart when signing in; kept here, never sent"),
      Option("--reason", .value("TEXT"), "what the person reads"),
      TrustedDeviceOptions.policy,
      Option(
        "--replace-scope", .value("SCOPE"), "whose devices it replaces here: user (default) or installation"),
      Option("--platform", .value("WORD"), "what the server lists it as a device of (default ios)"),
    ] + TrustedDeviceOptions.options,
    notes: ["Prints the trusted device as the server describes it."] + TrustedDeviceOptions.notes)

  let options: TrustedDeviceOptions
  let makesStore = true
  private let hint: String?
  private let reason: String?

  init(_ arguments: Arguments) throws {
    options = try TrustedDeviceOptions(arguments)
    hint = arguments.value("--hint")
    reason = try arguments.text("--reason")
  }

  func perform(_ run: TrustedDeviceRun) async throws -> TrustedDeviceReport {
    let device = try await run.client.trustedDevices.enroll(
      deviceName: options.device.deviceName, identifierHint: hint, reason: reason)
    return TrustedDeviceReport(json: .object(device.json), lines: [device.line])
  }
}
