import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTrustedDevice

/// `trusted-device reconcile`: brings this installation and the server together.
struct TrustedDeviceReconcile: TrustedDeviceVerb {
  static let syntax = Syntax(
    "trusted-device", "reconcile", summary: "settle what differs between this installation and the server",
    options: TrustedDeviceOptions.options,
    notes: [
      """
      Prints {"askedServer", "enrolled", "undone", "removed": [{"id", "reason"}], "revoked", "unclaimed", "pending"}. Exit
      status 1: some of it failed, and is tried again next time. 'unclaimed' are listed devices that an interrupted
      enrollment may have made, or another installation: only you can tell, and revoke them.
      """
    ] + TrustedDeviceOptions.notes)

  let options: TrustedDeviceOptions
  let makesStore = false

  init(_ arguments: Arguments) throws { options = try TrustedDeviceOptions(arguments) }

  func perform(_ run: TrustedDeviceRun) async throws -> TrustedDeviceReport {
    let report = try await run.client.trustedDevices.reconcile()
    let texts = { (ids: [String]) -> JSONValue in .array(ids.map(JSONValue.string)) }
    let removed = report.removed.map { removal -> JSONValue in
      ["id": .string(removal.id), "reason": .string(removal.reason.rawValue)]
    }
    for failure in report.failures { run.console.say("not settled: \(failure.code)") }
    return TrustedDeviceReport(
      json: [
        "askedServer": .bool(report.askedServer), "enrolled": texts(report.enrolled),
        "undone": .integer(Int64(report.undone)), "removed": .array(removed), "revoked": texts(report.revoked),
        "unclaimed": texts(report.unclaimed),
        "pending": .integer(Int64(report.pending)),
      ],
      lines: [
        "\(report.enrolled.count) enrolled, \(report.undone) undone, \(removed.count) removed, "
          + "\(report.revoked.count) revoked, \(report.unclaimed.count) unclaimed, \(report.pending) pending"
          + (report.askedServer ? "" : " (nobody is signed in: the server was not asked)")
      ], status: report.failures.isEmpty ? .success : .refused)
  }
}
