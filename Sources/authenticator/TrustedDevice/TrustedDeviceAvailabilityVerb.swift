import AuthenticatorCoding
import AuthenticatorTrustedDevice

/// `trusted-device availability`: whether this installation could sign in.
struct TrustedDeviceAvailabilityVerb: TrustedDeviceVerb {
  static let syntax = Syntax(
    "trusted-device", "availability", summary: "tell whether this installation could sign in; deletes nothing",
    options: [
      Option("--id", .value("ID"), "only this device"),
      Option("--hint", .value("TEXT"), "only devices enrolled with this hint"),
      Option("--local", .flag, "send nothing: neither settings nor list are asked for"),
    ] + TrustedDeviceOptions.options,
    notes: [
      """
      Prints {"available", "id", "reason"}: 'id' is the device that would sign in, or null; 'reason' says why none would.
      The server is asked for its settings when they were never heard of, and for its list while somebody is signed in.
      Nothing here is changed but what is known of the server.
      """
    ] + TrustedDeviceOptions.notes)

  let options: TrustedDeviceOptions
  let makesStore = false
  private let id: String?
  private let hint: String?
  private let isLocal: Bool

  init(_ arguments: Arguments) throws {
    options = try TrustedDeviceOptions(arguments)
    id = try arguments.text("--id")
    hint = arguments.value("--hint")
    isLocal = arguments.has("--local")
  }

  func perform(_ run: TrustedDeviceRun) async throws -> TrustedDeviceReport {
    if !isLocal { try await run.client.knowEnvironment() }
    let selection = try await run.client.select(id: id, hint: hint, asksServer: !isLocal)
    let reason = selection.availability.unavailableReason?.rawValue
    return TrustedDeviceReport(
      json: [
        "available": .bool(selection.availability.isAvailable), "id": (selection.credential?.id).json,
        "reason": reason.json,
      ], lines: [selection.credential.map { "available: \($0.id)" } ?? "unavailable: \(reason ?? "-")"])
  }
}
