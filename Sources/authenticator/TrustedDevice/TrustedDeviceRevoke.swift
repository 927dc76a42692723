import AuthenticatorCoding
import AuthenticatorTrustedDevice

/// `trusted-device revoke`: revokes a device, on the server and here.
struct TrustedDeviceRevoke: TrustedDeviceVerb {
  static let syntax = Syntax(
    "trusted-device", "revoke", summary: "revoke a trusted device, on the server and, if it is this one, here",
    operands: ["[ID]"],
    options: [
      Option("--id", .value("ID"), "the device, when it is not given as an operand"),
      Option("--current", .flag, "this installation's own"),
    ] + TrustedDeviceOptions.options,
    notes: ["Prints the trusted device, or null when --current finds none."] + TrustedDeviceOptions.notes)

  let options: TrustedDeviceOptions
  let makesStore = false
  let removesKeys = true
  private let id: String?

  init(_ arguments: Arguments) throws {
    options = try TrustedDeviceOptions(arguments)
    let given = [arguments.operands.first, try arguments.text("--id")].compactMap { $0 }
    guard given.count + (arguments.has("--current") ? 1 : 0) == 1 else {
      throw Failure.usage("give one of ID and --current", verb: Self.syntax)
    }
    id = given.first
  }

  func perform(_ run: TrustedDeviceRun) async throws -> TrustedDeviceReport {
    let devices = run.client.trustedDevices
    let device =
      if let id { try await devices.revoke(id: id) } else { try await devices.revokeCurrentDeviceCredential() }
    guard let device else {
      return TrustedDeviceReport(json: .null, lines: ["this installation is not enrolled for the signed-in user"])
    }
    return TrustedDeviceReport(json: .object(device.json), lines: [device.line])
  }
}
