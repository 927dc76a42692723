import AuthenticatorCoding

/// `login`: walks a journey, answers for the device, and prints how it ended.
struct Login: Verb {
  static let syntax = Syntax(
    "login", summary: "sign in: walk a journey, bind this device or sign with it",
    options: LoginOptions.server + LoginOptions.flow + [
      Option("--resume", .value("LINK"), "go on with a suspended journey, by the link that was sent")
    ] + DeviceOptions.options,
    notes: LoginOptions.answerNotes + [
      """
      Codes of failures: loginFailure, timeout, suspendedSession, policyFailure, forbidden, badRequest,
      unexpectedRedirect and serverFault are the server's; transportFailed, timedOut, invalidMessage, answerMissing,
      invalidRequest and storageFailed are this side's. What the device answered stands in 'ceremonies', after wrong
      entries with the tries that are left and the wait in seconds, where they are known.
      """,
      """
      With --json every ending prints one outcome: of a failure it holds 'error', 'message' and 'stage' as for other
      verbs, also when no journey was begun.
      """,
      """
      Exit status: 0 success or suspended, 1 refused or failed, 2 an answer that its callback does not take,
      3 a missing answer, an unreachable server, or an unusable store or file. SIGINT, SIGTERM or SIGHUP break it
      off: what was begun is undone, the outcome (appCanceled) is printed, and it ends by that signal.
      """,
    ])

  private let options: LoginOptions
  private let device: DeviceOptions

  init(_ arguments: Arguments) throws {
    options = try LoginOptions(arguments)
    device = try DeviceOptions(arguments)
  }

  func run(_ console: Console) async throws -> ExitStatus {
    let device = try Device(device, console: console)
    // An unusable store is told before anything is sent.
    _ = try await device.withKeys()
    let session = try LoginSession(options, device, console: console)
    let outcome = try await session.run()
    await session.finishUnbindings(after: outcome)
    try console.print(.object(outcome.json), lines: outcome.lines)
    outcome.explain(on: console, allowsSoftwareKeys: self.device.allowsSoftwareKeys)
    return outcome.exitStatus
  }

  static func ending(by error: any Error) -> Failure { LoginOutcome.failure(error) }
}
