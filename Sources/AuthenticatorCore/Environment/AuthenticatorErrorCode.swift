extension AuthenticatorError {
  /// An open, string-backed error code. Each protocol maps it to its own wire words in exactly one file, with a
  /// default for codes it does not know; `known` lists ours, and every mapping is tested over that list.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    // MARK: Ended by someone
    /// The person pressed cancel.
    public static let userCanceled = Code(rawValue: "userCanceled")
    /// The app withdrew the operation, or its task was cancelled.
    public static let appCanceled = Code(rawValue: "appCanceled")
    /// The operating system took the prompt away.
    public static let systemCanceled = Code(rawValue: "systemCanceled")
    /// The person pressed the app's own fallback button: neither a cancel nor a failed attempt.
    public static let fallbackRequested = Code(rawValue: "fallbackRequested")

    // MARK: Verifying the person
    /// The person was there and did not match.
    public static let userVerificationFailed = Code(rawValue: "userVerificationFailed")
    /// Too many failures; `retryAfter` says how long, when a wait helps.
    public static let lockedOut = Code(rawValue: "lockedOut")
    /// Nobody answered in the operation's time.
    public static let userNotResponsive = Code(rawValue: "userNotResponsive")
    /// The device has a sensor, and nothing is enrolled.
    public static let biometryNotEnrolled = Code(rawValue: "biometryNotEnrolled")
    /// There is no device passcode, or nothing that could check one.
    public static let passcodeNotSet = Code(rawValue: "passcodeNotSet")
    /// No sensor, or its daemon does not answer.
    public static let verifierUnavailable = Code(rawValue: "verifierUnavailable")
    /// A prompt was needed where none may be shown.
    public static let notInteractive = Code(rawValue: "notInteractive")
    /// The enrolled set cannot be read, so nothing can be concluded from it.
    public static let enrollmentStateUnreadable = Code(rawValue: "enrollmentStateUnreadable")
    /// A PIN that breaks the policy (length); nothing was stored.
    public static let pinRejected = Code(rawValue: "pinRejected")

    // MARK: Hardware
    /// The key hardware is in its own lockout.
    public static let hardwareLockedOut = Code(rawValue: "hardwareLockedOut")
    /// Hardware protection was demanded and is not there.
    public static let hardwareRequired = Code(rawValue: "hardwareRequired")
    /// This device or configuration cannot do what was asked.
    public static let unsupported = Code(rawValue: "unsupported")

    // MARK: Keys
    /// No such key.
    public static let keyNotFound = Code(rawValue: "keyNotFound")
    /// The enrolled set changed and the key's policy is `currentSet`: the key can never be used again.
    public static let keyInvalidated = Code(rawValue: "keyInvalidated")
    /// The enrolled set changed and the key's policy is `compared`: keys were deleted, bind again.
    public static let deviceNotRegistered = Code(rawValue: "deviceNotRegistered")
    /// A key with this slot or name is there already.
    public static let keyExists = Code(rawValue: "keyExists")
    /// The provider could not make the key.
    public static let keyGenerationFailed = Code(rawValue: "keyGenerationFailed")
    /// The access rule of a key could not be made.
    public static let accessControlFailed = Code(rawValue: "accessControlFailed")
    /// The key is not in a state that allows this (for example committing a key twice).
    public static let invalidKeyState = Code(rawValue: "invalidKeyState")
    /// A ticket was used a second time, for another operation, or too late.
    public static let verificationSpent = Code(rawValue: "verificationSpent")
    /// The ticket does not meet the key's gate.
    public static let verificationInsufficient = Code(rawValue: "verificationInsufficient")
    /// A counter has reached its end.
    public static let counterExhausted = Code(rawValue: "counterExhausted")
    /// Stored or received data was altered, or does not fit its key.
    public static let integrityFailed = Code(rawValue: "integrityFailed")

    // MARK: Requests
    /// The caller's request is malformed or contradicts itself.
    public static let invalidRequest = Code(rawValue: "invalidRequest")
    /// None of the algorithms asked for can be made here.
    public static let unsupportedAlgorithm = Code(rawValue: "unsupportedAlgorithm")
    /// A credential of the exclude list is on this device.
    public static let credentialExcluded = Code(rawValue: "credentialExcluded")
    /// The time limit passed.
    public static let timedOut = Code(rawValue: "timedOut")
    /// Another prompt or operation is under way.
    public static let busy = Code(rawValue: "busy")
    /// A custom claim uses a reserved name.
    public static let invalidCustomClaims = Code(rawValue: "invalidCustomClaims")

    // MARK: Outside world
    /// The store could not read or write; nothing may be concluded about its content.
    public static let storageFailed = Code(rawValue: "storageFailed")
    /// Memory ran out. Nothing was changed, and nothing is wrong with what is stored.
    public static let outOfMemory = Code(rawValue: "outOfMemory")
    /// There is no store at the path, and none was to be made.
    public static let storeMissing = Code(rawValue: "storeMissing")
    /// The file is no key store.
    public static let notAStore = Code(rawValue: "notAStore")
    /// The store is damaged; its undamaged records may still be used.
    public static let storeDamaged = Code(rawValue: "storeDamaged")
    /// The store was written by a newer version and was not touched.
    public static let storeNewer = Code(rawValue: "storeNewer")
    /// The network failed before an answer arrived.
    public static let transportFailed = Code(rawValue: "transportFailed")
    /// The peer's message is malformed or exceeds a limit.
    public static let invalidMessage = Code(rawValue: "invalidMessage")

    /// Every code declared here, so that mappings can be tested for all of them.
    public static let known: [Code] = [
      .userCanceled, .appCanceled, .systemCanceled, .fallbackRequested, .userVerificationFailed, .lockedOut,
      .userNotResponsive, .biometryNotEnrolled, .passcodeNotSet, .verifierUnavailable, .notInteractive,
      .enrollmentStateUnreadable, .pinRejected, .hardwareLockedOut, .hardwareRequired, .unsupported, .keyNotFound,
      .keyInvalidated, .deviceNotRegistered, .keyExists, .keyGenerationFailed, .accessControlFailed,
      .invalidKeyState, .verificationSpent, .verificationInsufficient, .counterExhausted, .integrityFailed,
      .invalidRequest, .unsupportedAlgorithm, .credentialExcluded, .timedOut, .busy, .invalidCustomClaims,
      .storageFailed, .outOfMemory, .storeMissing, .notAStore, .storeDamaged, .storeNewer, .transportFailed,
      .invalidMessage,
    ]
  }
}
