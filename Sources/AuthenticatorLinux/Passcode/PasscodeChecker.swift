import AuthenticatorCore
import AuthenticatorCrypto

/// Checks the passcode of the device's user, whatever the operating system makes of one.
///
/// Conform to it where PAM is not what knows the passcode. Owed: `check` compares; nothing is ever right unchecked.
public protocol PasscodeChecker: Sendable {
  /// Whether a passcode could be checked now: `ready`, or `notSet` when there is none or nothing that checks it.
  /// Silent.
  func state() async -> MethodState

  /// Whether this is the passcode.
  /// - Throws: `passcodeNotSet`; `lockedOut`; `verifierUnavailable` when it could not be compared.
  func check(_ passcode: SecretBytes) async throws -> Bool
}
