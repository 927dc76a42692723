/// A device that checks the person itself (sensor, operating-system passcode). It never sees a key.
///
/// Conform to it to bring a new sensor or prompt. Owed: `methods()` and `enrollmentState()` show nothing and change
/// nothing; `verify` shows exactly one prompt, ends it when its task is cancelled or its deadline passes, and
/// answers once. Errors: the codes under "Ended by someone" and "Verifying the person". The conformance checks of
/// `AuthenticatorTestSupport` test a conformer.
public protocol UserVerifier: Sendable {
  /// What could be used now. Silent.
  func methods() async -> [VerificationMethod: MethodState]

  /// The enrolled set. Silent. Nil: nothing is enrolled.
  /// - Throws: `lockedOut` when a locked sensor hides it until the passcode was given; `enrollmentStateUnreadable`
  ///   when it cannot tell for any other reason. Never nil in these cases.
  func enrollmentState() async throws -> EnrollmentState?

  /// One prompt, offering the methods of `access.gate` (`.open` asks for presence).
  ///
  /// Three misses end the prompt as `userVerificationFailed`; a locked sensor answers `lockedOut` at once, unless
  /// the gate also admits the passcode. A right passcode unlocks the sensor and resets its failures.
  /// - Throws: `busy` when a prompt is already shown.
  func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket
}
