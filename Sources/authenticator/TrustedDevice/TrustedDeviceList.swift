import AuthenticatorCoding
import AuthenticatorTrustedDevice

/// `trusted-device list`: the signed-in user's devices.
struct TrustedDeviceList: TrustedDeviceVerb {
  static let syntax = Syntax(
    "trusted-device", "list", summary: "list the signed-in user's trusted devices",
    options: TrustedDeviceOptions.options,
    notes: [
      """
      Prints an array of the trusted devices as the server describes them, each with 'current': whether it is this
      installation's.
      """
    ] + TrustedDeviceOptions.notes)

  let options: TrustedDeviceOptions
  let makesStore = false

  init(_ arguments: Arguments) throws { options = try TrustedDeviceOptions(arguments) }

  func perform(_ run: TrustedDeviceRun) async throws -> TrustedDeviceReport {
    let devices = try await run.client.trustedDevices.list()
    let own = try await run.client.localIDs()
    let entries = devices.map { device -> JSONValue in
      var json = device.json
      json["current"] = .bool(own.contains(device.id))
      return .object(json)
    }
    return TrustedDeviceReport(
      json: .array(entries),
      lines: devices.isEmpty
        ? ["no trusted devices"] : devices.map { $0.line + (own.contains($0.id) ? "  (this one)" : "") })
  }
}
