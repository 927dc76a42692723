import AuthenticatorCoding
import AuthenticatorTrustedDevice

/// `trusted-device sign-up`: makes an account and signs it in.
struct TrustedDeviceSignUp: TrustedDeviceVerb {
  static let syntax = Syntax(
    "trusted-device", "sign-up", summary: "make an account with a password, and sign in",
    options: [
      Option("--username", .value("NAME"), "the account's user name"),
      Option("--email", .value("ADDRESS"), "its email address, where the server wants one"),
      Option("--phone", .value("NUMBER"), "its phone number, where the server wants one"),
    ] + Credentials.password + TrustedDeviceOptions.options,
    notes: [
      """
      Prints {"status", "createdSessionId", "createdUserId", "missingFields", "userId", "next", "tasks"}, as 'login' does.
      """
    ] + TrustedDeviceOptions.notes)

  let options: TrustedDeviceOptions
  let makesStore = true
  private let credentials: Credentials
  private let email: String?
  private let phone: String?
  private let username: String?

  init(_ arguments: Arguments) throws {
    options = try TrustedDeviceOptions(arguments)
    credentials = try Credentials(arguments, name: "--username")
    username = try arguments.text("--username")
    email = try arguments.text("--email")
    phone = try arguments.text("--phone")
  }

  func perform(_ run: TrustedDeviceRun) async throws -> TrustedDeviceReport {
    let name: String? =
      username == nil && (email != nil || phone != nil) ? nil : try await credentials.readName(run.questions)
    let password = try await credentials.readPassword(run.questions)
    let signUp = try await run.client.auth.signUp(
      emailAddress: email, phoneNumber: phone, username: name, password: password)
    let next = signUp.status == .complete ? try await SignedInReport(run, after: .signUp) : nil
    var json = JSONObject([
      ("status", .string(signUp.status.rawValue)), ("createdSessionId", signUp.createdSessionID.json),
      ("createdUserId", signUp.createdUserID.json),
      ("missingFields", .array(signUp.missingFields.map(JSONValue.string))),
    ])
    next?.add(to: &json)
    return TrustedDeviceReport(
      json: .object(json), lines: ["sign-up: \(signUp.status)"] + (next?.lines ?? []))
  }
}
