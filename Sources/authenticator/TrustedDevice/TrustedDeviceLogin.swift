import AuthenticatorCoding
import AuthenticatorTrustedDevice

/// `trusted-device login`: signs in with a password.
struct TrustedDeviceLogin: TrustedDeviceVerb {
  static let syntax = Syntax(
    "trusted-device", "login", summary: "sign in with a password, so that this device can be enrolled",
    options: [Option("--identifier", .value("NAME"), "who signs in: user name, email address or phone number")]
      + Credentials.password + TrustedDeviceOptions.options,
    notes: [
      """
      Prints {"status", "createdSessionId", "userId", "next", "tasks"}. A status other than complete wants more, and is no
      failure. 'next' is enrollment when the server wants this device to be offered enrollment and it was not before,
      tasks when the session has some left, else complete. 'tasks' are those, whatever comes next.
      """
    ] + TrustedDeviceOptions.notes)

  let options: TrustedDeviceOptions
  let makesStore = true
  private let credentials: Credentials

  init(_ arguments: Arguments) throws {
    options = try TrustedDeviceOptions(arguments)
    credentials = try Credentials(arguments, name: "--identifier")
  }

  func perform(_ run: TrustedDeviceRun) async throws -> TrustedDeviceReport {
    let name = try await credentials.readName(run.questions)
    let password = try await credentials.readPassword(run.questions)
    let signIn = try await run.client.auth.signIn(identifier: name, password: password)
    let next = signIn.status == .complete ? try await SignedInReport(run, after: .signIn) : nil
    var json = JSONObject([
      ("status", .string(signIn.status.rawValue)), ("createdSessionId", signIn.createdSessionID.json),
    ])
    next?.add(to: &json)
    return TrustedDeviceReport(
      json: .object(json), lines: ["sign-in: \(signIn.status)"] + (next?.lines ?? []))
  }
}

/// What comes after a sign-in or sign-up: the flow that an app's views would follow.
struct SignedInReport {
  private let step: SignedInFlow.Step
  private let userID: String?
  /// What is left to do in the session, whatever comes first.
  private let tasks: [String]
  /// The options that lead to the same server.
  private let address: String

  /// Notes that the offer was made, when it is.
  init(_ run: TrustedDeviceRun, after occasion: EnrollmentOffer.Occasion) async throws {
    let session = try await run.client.auth.session
    let offers = await run.client.trustedDevices.shouldOfferEnrollment(after: occasion)
    var flow = SignedInFlow(session: session, offersEnrollment: offers)
    step = flow.step
    address = run.address
    userID = session?.user?.id
    tasks = session?.openTasks ?? []
    if flow.offerShown() { try await run.client.trustedDevices.noteOfferShown() }
  }

  func add(to json: inout JSONObject) {
    json["userId"] = userID.json
    switch step {
    case .enrollmentOffer: json["next"] = "enrollment"
    case .sessionTasks: json["next"] = "tasks"
    case .complete: json["next"] = "complete"
    case .signedOut: json["next"] = "signedOut"
    }
    json["tasks"] = .array(tasks.map(JSONValue.string))
  }

  var lines: [String] {
    let offer =
      step == .enrollmentOffer ? ["this device can be enrolled: authenticator trusted-device enroll \(address)"] : []
    return offer + (tasks.isEmpty ? [] : ["left to do: \(tasks.joined(separator: ", "))"])
  }
}

extension FrontendSession {
  /// What is left to do before the session is active.
  var openTasks: [String] { status == .pending ? tasks : [] }
}
