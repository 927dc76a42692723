import AuthenticatorCoding
import AuthenticatorRelyingParty

/// `webauthn verify-registration`: the relying party's side of a registration.
struct WebAuthnVerifyRegistration: Verb {
  static let syntax = Syntax(
    "webauthn", "verify-registration", summary: "verify a registration as a relying party",
    options: VerificationFiles.options + MetadataFiles.options,
    notes: [
      """
      The expectation: 'challenge', 'origins' and 'rpId', and optionally 'userVerification', 'algorithms',
      'attestation' (none, indirect, direct, enterprise), 'trustAnchors' and 'revocationLists' (PEM texts),
      'enforceRevocationCheck', 'crossOrigin', 'topOrigins', 'mediation', 'userHandle', 'registeredCredentials' and 'androidKeyInHardware'. 'credential' of what is printed is
      the record for verify-authentication.
      """
    ] + VerificationFiles.notes)

  private let files: VerificationFiles
  private let metadata: MetadataFiles?

  init(_ arguments: Arguments) throws {
    files = try VerificationFiles(arguments)
    metadata = try MetadataFiles(arguments)
  }

  func run(_ console: Console) async throws -> ExitStatus {
    var expectation = try files.expectation(of: VerificationFiles.registration, console) {
      try RegistrationExpectation(json: $0)
    }
    expectation.modelPolicy = try metadata?.load(at: ToolEnvironment.seconds)
    let response = try files.response()
    return try VerificationOutcome {
      let verdict = try expectation.verify(ReceivedRegistration(json: response), at: ToolEnvironment.seconds)
      return verdict.json.objectValue ?? [:]
    }.print(on: console)
  }
}
