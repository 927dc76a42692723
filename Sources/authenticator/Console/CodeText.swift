import AuthenticatorCore

/// What to tell a person when an error has a code and no words of its own.
enum CodeText {
  static func sentence(for code: AuthenticatorError.Code) -> String {
    sentences[code] ?? "failed with code \(code.rawValue)"
  }

  private static let sentences: [AuthenticatorError.Code: String] = [
    .userCanceled: "canceled by the person",
    .appCanceled: "ended by a signal",
    .systemCanceled: "the system took the prompt away",
    .fallbackRequested: "another way of signing in was asked for",
    .userVerificationFailed: "the person was not recognized",
    .lockedOut: "locked after too many failures",
    .userNotResponsive: "nobody answered in time",
    .biometryNotEnrolled: "no fingerprint or face is enrolled",
    .passcodeNotSet: "there is no device passcode, or nothing that could check one",
    .verifierUnavailable: "the sensor does not answer",
    .notInteractive: "a prompt is needed, and there is no terminal to show it on",
    .enrollmentStateUnreadable: "the enrolled set cannot be read",
    .pinRejected: "the PIN is too short or too long",
    .hardwareLockedOut: "the key hardware is locked",
    .hardwareRequired: "hardware protection is required and there is none",
    .unsupported: "this device cannot do what was asked",
    .keyNotFound: "there is no such key",
    .keyExists: "there is such a key already",
    .keyGenerationFailed: "no key could be made",
    .accessControlFailed: "the key could not be given its protection",
    .invalidKeyState: "the key is not in a state that allows this",
    .verificationSpent: "the verification was used already, or came too late",
    .verificationInsufficient: "the person was not verified as the key demands",
    .counterExhausted: "the key's counter has reached its end; register again",
    .invalidRequest: "the request is malformed or contradicts itself",
    .unsupportedAlgorithm: "none of the algorithms asked for can be made here",
    .credentialExcluded: "a credential of the account is on this device already",
    .invalidCustomClaims: "a claim uses a name that is reserved",
    .storeMissing: "there is no key store",
    .keyInvalidated: "the enrolled set changed; the key cannot be used any more, bind again",
    .deviceNotRegistered: "the enrolled set changed and the key was deleted, bind again",
    .integrityFailed: "the record was altered",
    .timedOut: "the time limit passed",
    .busy: "another process is using it",
    .storageFailed: "the key store cannot be read or written",
    .notAStore: "the file is not a key store",
    .storeDamaged: "the key store is damaged",
    .storeNewer: "the key store was written by a newer version",
    .transportFailed: "the connection failed",
    .invalidMessage: "the server's answer is malformed or too large",
  ]
}
