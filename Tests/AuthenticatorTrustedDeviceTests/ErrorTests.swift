import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

@Suite struct ErrorTests {
  private func refusal(_ status: Int, _ items: [(String, String?)]) -> FrontendAPIError {
    let errors = items.map { code, parameter -> JSONValue in
      ["code": .string(code), "message": "m", "meta": parameter.map { ["param_name": .string($0)] } ?? [:]]
    }
    return FrontendAPIError(status: status, body: (["errors": .array(errors)] as JSONValue).serialized())
  }

  @Test func mapsEveryWord() {
    let expected: [(Int, String, AuthenticatorError.Code)] = [
      (400, "trusted_device_challenge_not_found", .challengeNotFound),
      (400, "trusted_device_challenge_expired", .challengeExpired),
      (400, "trusted_device_signature_verification_failed", .signatureRefused),
      (422, "trusted_device_invalid_public_key", .credentialRefused),
      (422, "trusted_device_invalid_client_data", .credentialRefused),
      (422, "trusted_device_binding_mismatch", .credentialRefused),
      (400, "trusted_device_credential_quota_exceeded", .quotaExceeded),
      (409, "trusted_device_already_enrolled", .alreadyEnrolled),
      (400, "trusted_device_app_identifier_not_configured", .appIdentifierRefused),
      (400, "native_api_disabled", .nativeAPIDisabled), (403, "feature_not_enabled", .featureDisabled),
      (400, "session_exists", .alreadySignedIn), (400, "identifier_already_signed_in", .alreadySignedIn),
      (403, "session_reverification_required", .reverificationRequired),
      (401, "authentication_invalid", .signedOut), (401, "signed_out", .signedOut),
      (403, "user_locked", .accountLocked), (403, "user_banned", .accountLocked),
      (404, "resource_not_found", .resourceNotFound), (400, "verification_expired", .factorRefused),
      (400, "verification_failed", .factorRefused), (422, "form_password_incorrect", .factorRefused),
      (422, "form_identifier_not_found", .factorRefused), (401, "device_blocked", .deviceRefused),
      (401, "requires_device_attestation", .deviceRefused),
    ]
    for (status, word, code) in expected { #expect(refusal(status, [(word, nil)]).code == code, "\(word)") }
    #expect(Set(expected.map(\.1)) == Set(FrontendAPIError.knownWords))
  }

  @Test func mapsEveryStatusWithoutAWord() {
    #expect(FrontendAPIError(status: 401, body: []).code == .signedOut)
    #expect(FrontendAPIError(status: 404, body: Array("<html>".utf8)).code == .resourceNotFound)
    #expect(FrontendAPIError(status: 429, body: []).code == .rateLimited)
    #expect(FrontendAPIError(status: 503, body: []).code == .serverFailed)
    #expect(FrontendAPIError(status: 418, body: []).code == .requestRefused)
    #expect(refusal(422, [("never_heard_of", nil)]).code == .requestRefused)
  }

  @Test func findsAMissingCredentialInAnyItem() {
    for word in ["trusted_device_not_registered", "form_resource_not_found"] {
      #expect(refusal(422, [(word, "trusted_device_id")]).isCredentialMissing)
      #expect(refusal(422, [("user_locked", nil), (word, "trusted_device_id")]).code == .credentialGone)
      #expect(!refusal(422, [(word, "identifier")]).isCredentialMissing)
      #expect(!refusal(422, [(word, nil)]).isCredentialMissing)
    }
    // Both halves must stand in the same item.
    #expect(
      !refusal(422, [("form_resource_not_found", "identifier"), ("user_locked", "trusted_device_id")])
        .isCredentialMissing)
  }

  @Test func keepsTheServersWordsOutOfDescriptions() throws {
    let body: JSONValue = [
      "errors": [
        ["code": "form_identifier_not_found", "message": "no mira@example.com", "long_message": "mira@example.com?"]
      ], "clerk_trace_id": "trace_1",
    ]
    let refusal = FrontendAPIError(status: 422, body: body.serialized())
    #expect(refusal.errors[0].longMessage == "mira@example.com?")
    #expect(refusal.traceID == "trace_1")
    var dumped = ""
    dump(refusal, to: &dumped)
    #expect(!"\(refusal)\(String(reflecting: refusal))\(dumped)".contains("mira"))
    #expect("\(refusal)" == "HTTP 422: form_identifier_not_found")
  }
}
