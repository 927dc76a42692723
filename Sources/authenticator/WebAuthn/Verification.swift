import AuthenticatorCoding
import AuthenticatorRelyingParty

/// The files of a verification: what came, and what was expected.
struct VerificationFiles: Sendable {
  private let responsePath: String
  private let expectationPath: String

  static let options = [
    Option("--response", .value("FILE"), "the response, Level 3 JSON; - is standard input", readsInput: true),
    Option("--expect", .value("FILE"), "what is expected of it", readsInput: true),
  ]

  static let notes = [
    """
    Exit status: 0 verified, 1 not verified ('error' and 'step' tell the first step that failed), 2 usage,
    3 a file that cannot be read, is not JSON, or says nothing that could be expected.
    """
  ]

  init(_ arguments: Arguments) throws {
    responsePath = try arguments.required("--response")
    expectationPath = try arguments.required("--expect")
  }

  func response() throws -> JSONValue { try InputFile.json(responsePath) }

  /// What an expectation of either ceremony may hold.
  private static let ceremony: Set<String> = [
    "challenge", "origins", "rpId", "userVerification", "crossOrigin", "topOrigins", "mediation", "userHandle",
  ]
  /// What an expectation of a registration may hold.
  static let registration = ceremony.union([
    "algorithms", "attestation", "trustAnchors", "revocationLists", "enforceRevocationCheck", "androidKeyInHardware",
    "registeredCredentials",
  ])
  /// What an expectation of a sign-in may hold.
  static let authentication = ceremony.union([
    "credential", "allowCredentials", "signCountPolicy", "backupEligibilityPolicy", "appid",
  ])

  /// Hands the expectation to `body`; what is wrong with it becomes one line about the file. A member that this verb
  /// does not look at is told: it may be one that was meant to be looked at.
  func expectation<Value>(
    of members: Set<String>, _ console: Console, _ body: (JSONValue) throws -> Value
  ) throws -> Value {
    let json = try InputFile.json(expectationPath)
    for name in json.objectValue?.names ?? [] where !members.contains(name) {
      console.say("\(InputFile.name(expectationPath)): nothing is expected by the member '\(name)'")
    }
    do { return try body(json) } catch let error as ExpectationError {
      throw Failure.unusable("inputUnusable", "\(InputFile.name(expectationPath)): \(error)", stage: "expect")
    }
  }
}

/// What a verification came to, printed in its one form.
enum VerificationOutcome {
  case verified(JSONObject)
  case refused(WebAuthnVerificationError)

  /// Runs a verification; a response that cannot be read is a refused one.
  init(_ body: () throws -> JSONObject) throws {
    do { self = .verified(try body()) } catch let error as WebAuthnVerificationError { self = .refused(error) }
  }

  func print(on console: Console) throws -> ExitStatus {
    switch self {
    case .verified(let json):
      try console.print(.object(json), lines: ["verified"])
      return .success
    case .refused(let error):
      try console.print(error.json, lines: [])
      if !console.isJSON {
        console.say("authenticator: not verified, at \(error.step): \(error.reason) (\(error.code.rawValue))")
      }
      return .refused
    }
  }
}
