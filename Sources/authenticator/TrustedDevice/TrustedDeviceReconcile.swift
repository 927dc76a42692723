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
    for failure in report.failures { run.console.say("not settled: \(failure.code)") }
    return TrustedDeviceReport(
      json: .object(report.json()),
      lines: [report.line() + (report.askedServer ? "" : " (nobody is signed in: the server was not asked)")],
      status: report.failures.isEmpty ? .success : .refused)
  }
}

extension TrustedDeviceReconciliation {
  /// - Parameter gone: what was removed besides.
  func json(_ gone: [Removal] = []) -> JSONObject {
    let texts = { (ids: [String]) -> JSONValue in .array(ids.map(JSONValue.string)) }
    let removed = (removed + gone).map { removal -> JSONValue in
      ["id": .string(removal.id), "reason": .string(removal.reason.rawValue)]
    }
    return [
      "askedServer": .bool(askedServer), "enrolled": texts(enrolled), "undone": .integer(Int64(undone)),
      "removed": .array(removed), "revoked": texts(revoked), "unclaimed": texts(unclaimed),
      "pending": .integer(Int64(pending)),
    ]
  }

  func line(_ gone: [Removal] = []) -> String {
    "\(enrolled.count) enrolled, \(undone) undone, \(removed.count + gone.count) removed, "
      + "\(revoked.count) revoked, \(unclaimed.count) unclaimed, \(pending) pending"
  }
}
