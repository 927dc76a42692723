import AuthenticatorCore
import AuthenticatorDeviceBinding
import Testing

@Suite struct ClientErrorTests {
  /// The whole table, written out once more: a new code must be placed here on purpose.
  private static let expected: [AuthenticatorError.Code: ClientError] = [
    .userCanceled: .abort, .appCanceled: .abort, .systemCanceled: .abort, .fallbackRequested: .abort,
    .userVerificationFailed: .abort, .lockedOut: .abort, .userNotResponsive: .timeout,
    .biometryNotEnrolled: .unsupported, .passcodeNotSet: .unsupported, .verifierUnavailable: .unsupported,
    .notInteractive: .abort, .enrollmentStateUnreadable: .abort, .pinRejected: .abort, .hardwareLockedOut: .abort,
    .hardwareRequired: .unsupported, .unsupported: .unsupported, .keyNotFound: .clientNotRegistered,
    .keyInvalidated: .clientNotRegistered, .deviceNotRegistered: .clientNotRegistered, .keyExists: .abort,
    .keyGenerationFailed: .unsupported, .accessControlFailed: .unsupported, .invalidKeyState: .abort,
    .verificationSpent: .abort, .verificationInsufficient: .abort, .counterExhausted: .abort,
    .integrityFailed: .abort, .invalidRequest: .abort, .unsupportedAlgorithm: .unsupported,
    .credentialExcluded: .abort, .timedOut: .timeout, .busy: .abort, .invalidCustomClaims: .abort,
    .storageFailed: .abort, .outOfMemory: .abort, .storeMissing: .abort, .notAStore: .abort, .storeDamaged: .abort,
    .storeNewer: .abort,
    .transportFailed: .abort, .invalidMessage: .abort,
  ]

  @Test(arguments: AuthenticatorError.Code.known)
  func hasWordForCode(_ code: AuthenticatorError.Code) throws {
    #expect(ClientError(code) == (try #require(Self.expected[code], "no word is decided for \(code)")))
  }

  @Test func abortsForWhatItDoesNotKnow() {
    struct Odd: Error {}
    #expect(ClientError(AuthenticatorError.Code(rawValue: "ours")) == .abort)
    #expect(ClientError(.clockSkewed) == .abort)
    #expect(ClientError(Odd()) == .abort)
    #expect(ClientError(CancellationError()) == .abort)
    #expect(ClientError(AuthenticatorError(.timedOut)) == .timeout)
  }

  @Test func usesTheServersSpelling() {
    #expect(
      [ClientError.abort, .timeout, .unsupported, .clientNotRegistered].map(\.rawValue) == [
        "Abort", "Timeout", "Unsupported", "ClientNotRegistered",
      ])
  }
}
