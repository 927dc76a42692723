import AuthenticatorCoding
import AuthenticatorTrustedDevice

/// `trusted-device sign-out`: ends the session; the credential stays.
struct TrustedDeviceSignOut: TrustedDeviceVerb {
  static let syntax = Syntax(
    "trusted-device", "sign-out", summary: "end the session; this device stays enrolled",
    options: [Option("--everywhere", .flag, "end all sessions of this client")] + TrustedDeviceOptions.options,
    notes: [
      """
      Prints {"signedOut"}: the session that ended, or null when nobody was signed in. The server is asked when this
      installation does not know: a session whose answer was lost ends as well.
      """
    ]
      + TrustedDeviceOptions.notes)

  let options: TrustedDeviceOptions
  let makesStore = false
  private let isEverywhere: Bool

  init(_ arguments: Arguments) throws {
    options = try TrustedDeviceOptions(arguments)
    isEverywhere = arguments.has("--everywhere")
  }

  func perform(_ run: TrustedDeviceRun) async throws -> TrustedDeviceReport {
    let session = try await run.client.endSession(everywhere: isEverywhere)
    return TrustedDeviceReport(
      json: ["signedOut": (session?.id).json], lines: [session == nil ? "nobody was signed in" : "signed out"])
  }
}
