import AuthenticatorCore

/// Whether the start screen shows its way to sign in with a trusted device: at once from local state, then as the
/// server says. A value that views follow and tests drive.
///
/// It never signs in by itself: the person presses it.
public struct SignInButton: Hashable, Sendable {
  /// What the start screen is for.
  public enum Purpose: String, Hashable, Sendable, CaseIterable {
    /// Signing in.
    case signIn
    /// Signing up: there is nothing to sign in with.
    case signUp
    /// Either.
    case signInOrUp
  }

  /// Whether to show it.
  public private(set) var isShown: Bool
  private var generation = 0

  /// By local state.
  /// - Parameters:
  ///   - session: the current one; somebody who is signed in needs no button.
  ///   - local: `TrustedDevices.localAvailability()`; nil: it could not be told.
  public init(purpose: Purpose, session: FrontendSession?, local: TrustedDeviceAvailability?) {
    isShown = purpose != .signUp && session?.status != .active && local == .available
  }

  /// Asking the server begins.
  /// - Returns: what to give to `validated` with the answer.
  public mutating func beginValidating() -> Int {
    generation += 1
    return generation
  }

  /// The server has answered. An answer to an older question than the last one changes nothing, and one that cannot be
  /// told keeps the button.
  public mutating func validated(_ result: TrustedDeviceValidation, of question: Int) {
    guard question == generation, case .invalid = result else { return }
    isShown = false
  }
}
