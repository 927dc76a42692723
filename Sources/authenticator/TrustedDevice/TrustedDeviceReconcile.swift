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
      Prints {"askedServer", "enrolled", "undone", "removed": [{"id", "reason"}], "revoked", "unclaimed", "pending",
      "tasks"}. Exit status 1: some of it failed, and is tried again next time. 'unclaimed' are listed devices that an
      interrupted enrollment may have made, or another installation: only you can tell, and revoke them. 'tasks' are
      what is left to do in the session; until then only what earlier runs have left is settled.
      """
    ] + TrustedDeviceOptions.notes)

  let options: TrustedDeviceOptions
  let makesStore = false

  init(_ arguments: Arguments) throws { options = try TrustedDeviceOptions(arguments) }

  func perform(_ run: TrustedDeviceRun) async throws -> TrustedDeviceReport {
    let report = try await run.client.trustedDevices.reconcile()
    for failure in report.failures { run.console.say("not settled: \(failure.code)") }
    let session = try await run.client.auth.session
    var json = report.json()
    json["tasks"] = .array((session?.openTasks ?? []).map(JSONValue.string))
    return TrustedDeviceReport(
      json: .object(json), lines: [report.line() + Self.note(report, session)],
      status: report.failures.isEmpty ? .success : .refused)
  }

  /// Why the server was not asked, or not for all.
  private static func note(_ report: TrustedDeviceReconciliation, _ session: FrontendSession?) -> String {
    guard let session, session.isSignedIn else { return " (nobody is signed in: the server was not asked)" }
    guard session.status == .pending else { return "" }
    let tasks = session.openTasks.joined(separator: ", ")
    let rest = report.askedServer ? "only what earlier runs have left was settled" : "the server was not asked"
    return " (left to do in the session: \(tasks); \(rest))"
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
