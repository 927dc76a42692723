import AuthenticatorCoding
import AuthenticatorRelyingParty

/// `webauthn verify-authentication`: the relying party's side of a sign-in.
struct WebAuthnVerifyAuthentication: Verb {
  static let syntax = Syntax(
    "webauthn", "verify-authentication", summary: "verify a sign-in as a relying party",
    options: VerificationFiles.options,
    notes: [
      """
      The expectation: 'challenge', 'origins', 'rpId' and 'credential' (what verify-registration printed), and
      optionally 'userVerification', 'allowCredentials', 'userHandle' (null: the account is not known yet),
      'crossOrigin', 'topOrigins', 'signCountPolicy' (reject, flag, accept), 'backupEligibilityPolicy' (strict,
      allowUpgrade) and 'appid'. 'credential' of what is printed takes the old record's place.
      """
    ] + VerificationFiles.notes)

  private let files: VerificationFiles

  init(_ arguments: Arguments) throws { files = try VerificationFiles(arguments) }

  func run(_ console: Console) async throws -> ExitStatus {
    let (expectation, credential) = try files.expectation(of: VerificationFiles.authentication, console) { json in
      (try AuthenticationExpectation(json: json), try Self.credential(json["credential"]))
    }
    let response = try files.response()
    return try VerificationOutcome {
      let verdict = try expectation.verify(ReceivedAuthentication(json: response), with: credential)
      var json = verdict.json.objectValue ?? [:]
      if verdict.isSignCountMismatched { json["signCountMismatch"] = true }
      return json
    }.print(on: console)
  }

  /// The record, alone or inside the whole of what a verification printed.
  private static func credential(_ json: JSONValue?) throws(ExpectationError) -> WebAuthnCredentialRecord {
    guard let json, !json.isNull else { throw ExpectationError("credential") }
    return try WebAuthnCredentialRecord(json: json["id"] == nil ? json["credential"] ?? json : json)
  }
}
