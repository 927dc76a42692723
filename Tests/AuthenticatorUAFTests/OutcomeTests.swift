import AuthenticatorCore
import AuthenticatorUAF
import Testing

struct OutcomeTests {
  @Test func mapsEveryCodeOnEveryLayer() {
    for code in AuthenticatorError.Code.known + AuthenticatorError.Code.uaf {
      let error = UAFErrorCode(code)
      #expect(error != .noError && error != .waitUserAction, "\(code)")
      #expect(UAFCommandStatus(code) != .ok, "\(code)")
      #expect(UAFOutcome(code) != .success, "\(code)")
      #expect(UAFOutcome.known.contains(UAFOutcome(code)), "\(code)")
    }
    #expect(UAFErrorCode(AuthenticatorError.Code(rawValue: "an app's own")) == .unknown)
    #expect(UAFOutcome(AuthenticatorError.Code(rawValue: "an app's own")) == .failure)
  }

  @Test func tellsTheEndsOfAPromptApart() {
    let codes: [AuthenticatorError.Code] = [
      .userCanceled, .systemCanceled, .fallbackRequested, .userVerificationFailed, .lockedOut, .biometryNotEnrolled,
      .verifierUnavailable, .userNotResponsive, .keyInvalidated,
    ]
    #expect(Set(codes.map { UAFOutcome($0) }).count == codes.count)
  }

  @Test func layersAgreeThroughTheirTables() {
    let expected: [UAFCommandStatus: UAFErrorCode] = [
      .ok: .noError, .unknownError: .unknown, .accessDenied: .authenticatorAccessDenied,
      .userNotEnrolled: .userNotEnrolled, .cannotRenderTransactionContent: .invalidTransactionContent,
      .userCancelled: .userCancelled, .commandNotSupported: .unknown, .attestationNotSupported: .unknown,
      .parametersInvalid: .unknown, .keyDisappearedPermanently: .keyDisappearedPermanently, .timeout: .unknown,
      .userNotResponsive: .userNotResponsive, .insufficientResources: .insufficientAuthenticatorResources,
      .userLockout: .userLockout,
    ]
    for status in UAFCommandStatus.allCases {
      #expect(UAFErrorCode(UAFModuleStatus(status, isRegistration: true)) == expected[status], "\(status)")
    }
    #expect(UAFModuleStatus(.userNotEnrolled, isRegistration: false) == .accessDenied)
    #expect(UAFModuleStatus(.commandNotSupported, isRegistration: false, doesItself: true) == .ok)
    #expect(UAFErrorCode(UAFModuleStatus.authenticatorDisconnected) == .noSuitableAuthenticator)
  }

  @Test func numbersAreThoseOfTheSpecification() {
    #expect(
      [
        UAFErrorCode.userCancelled, .noSuitableAuthenticator, .keyDisappearedPermanently, .authenticatorAccessDenied,
        .userLockout, .userNotEnrolled, .unknown,
      ].map(\.rawValue) == [0x03, 0x05, 0x09, 0x0C, 0x10, 0x11, 0xFF])
    #expect(UAFCommandStatus.userCancelled.rawValue == 5 && UAFModuleStatus.userCancelled.rawValue == 3)
    #expect(UAFCommandStatus.userNotEnrolled.rawValue == 3 && UAFModuleStatus.userNotEnrolled.rawValue == 0x11)
    #expect(UAFErrorCode.userLockout.inVersion(.v10) == .unknown)
    #expect(UAFErrorCode.userCancelled.inVersion(.v10) == .userCancelled)
  }
}
