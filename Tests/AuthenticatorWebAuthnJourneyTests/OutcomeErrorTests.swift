import AuthenticatorCore
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

@Suite struct OutcomeErrorTests {
  /// The whole table, written out once more: a new code must be placed here on purpose.
  static let expected: [AuthenticatorError.Code: String] = [
    .userCanceled: "NotAllowedError", .appCanceled: "AbortError", .systemCanceled: "NotAllowedError",
    .fallbackRequested: "NotAllowedError", .userVerificationFailed: "NotAllowedError", .lockedOut: "NotAllowedError",
    .userNotResponsive: "TimeoutError", .biometryNotEnrolled: "ConstraintError", .passcodeNotSet: "ConstraintError",
    .verifierUnavailable: "ConstraintError", .notInteractive: "NotAllowedError",
    .enrollmentStateUnreadable: "UnknownError", .pinRejected: "NotAllowedError",
    .hardwareLockedOut: "NotAllowedError", .hardwareRequired: "ConstraintError", .unsupported: "unsupported",
    .keyNotFound: "NotAllowedError", .keyInvalidated: "NotAllowedError", .deviceNotRegistered: "NotAllowedError",
    .keyExists: "UnknownError", .keyGenerationFailed: "UnknownError", .accessControlFailed: "UnknownError",
    .invalidKeyState: "UnknownError", .verificationSpent: "NotAllowedError",
    .verificationInsufficient: "NotAllowedError", .counterExhausted: "UnknownError",
    .integrityFailed: "UnknownError", .invalidRequest: "DataError", .unsupportedAlgorithm: "unsupported",
    .credentialExcluded: "InvalidStateError", .timedOut: "TimeoutError", .busy: "NotAllowedError",
    .invalidCustomClaims: "UnknownError", .storageFailed: "UnknownError", .outOfMemory: "UnknownError",
    .storeMissing: "UnknownError", .notAStore: "UnknownError", .storeDamaged: "UnknownError",
    .storeNewer: "UnknownError", .transportFailed: "NetworkError", .invalidMessage: "DataError",
  ]

  private func name(_ outcome: WebAuthnOutcome) -> String {
    let text = outcome.rawValue
    guard text.hasPrefix("ERROR::") else { return text }
    return String(text.dropFirst("ERROR::".count).prefix { $0 != ":" })
  }

  @Test(arguments: AuthenticatorError.Code.known)
  func hasNameForCode(_ code: AuthenticatorError.Code) throws {
    #expect(
      name(WebAuthnOutcome(code)) == (try #require(Self.expected[code], "no name is decided for \(code)")))
  }

  @Test func namesTheCodesOfThisProtocol() {
    #expect(name(WebAuthnOutcome(.constraintNotMet)) == "ConstraintError")
    #expect(name(WebAuthnOutcome(.relyingPartyRefused)) == "SecurityError")
    #expect(name(WebAuthnOutcome(.notAllowed)) == "NotAllowedError")
  }

  @Test func namesWhatItDoesNotKnow() {
    struct Odd: Error {}
    #expect(name(WebAuthnOutcome(AuthenticatorError.Code(rawValue: "ours"))) == "UnknownError")
    #expect(name(WebAuthnOutcome(Odd())) == "UnknownError")
    #expect(name(WebAuthnOutcome(CancellationError())) == "AbortError")
  }

  static let clientNames: [(DOMExceptionName, String)] = [
    (.abort, "AbortError"), (.constraint, "ConstraintError"), (.data, "DataError"), (.encoding, "DataError"),
    (.invalidState, "InvalidStateError"), (.notAllowed, "NotAllowedError"), (.notSupported, "unsupported"),
    (.security, "SecurityError"), (.syntax, "DataError"), (.timeout, "TimeoutError"), (.type, "DataError"),
    (.unknown, "NotAllowedError"),
  ]

  @Test(arguments: clientNames)
  func keepsTheNamesOfTheClient(_ clientName: DOMExceptionName, _ expected: String) {
    #expect(name(WebAuthnOutcome(WebAuthnError(clientName))) == expected)
  }

  @Test func prefersTheCauseToTheClientsName() {
    let error = WebAuthnError(.notAllowed, cause: AuthenticatorError(.timedOut))
    #expect(name(WebAuthnOutcome(error)) == "TimeoutError")
  }

  @Test func writesErrorsAsTheServerReadsThem() {
    #expect(WebAuthnOutcome.unsupported.rawValue == "unsupported")
    for code in AuthenticatorError.Code.known {
      let text = WebAuthnOutcome(code).rawValue
      guard text != "unsupported" else { continue }
      let parts = ServerSide.parts(text)
      #expect(parts.count == 2 && parts[0] == "ERROR")
      let halves = parts[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      #expect(halves.count == 2 && halves[1].first.map { $0 != " " } == true)
    }
  }
}
