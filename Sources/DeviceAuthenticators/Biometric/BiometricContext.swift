import AuthenticatorCore
import Synchronization

/// A verification that the app made itself, handed over so that the person is not asked twice.
///
/// Good for one operation: a second one finds it used, unless the app makes a new one. The app vouches for it, as it
/// does for its own prompts.
public final class BiometricContext: Sendable {
  /// How the person was verified.
  public let method: VerificationMethod
  /// The uptime at which that happened.
  public let time: Duration
  /// Whether it succeeded.
  public let isAuthenticated: Bool
  /// The enrolled set as that verification saw it, when the app knows; nil: it is read at use.
  public let enrollmentState: EnrollmentState?
  /// The platform's own object (an `LAContext`), handed on to the key's provider.
  public let platformContext: (any Sendable)?

  private enum State { case fresh, used, invalidated }
  private let state = Mutex(State.fresh)

  /// A success by `method` at `time`, unless said otherwise.
  public init(
    method: VerificationMethod, time: Duration, isAuthenticated: Bool = true,
    enrollmentState: EnrollmentState? = nil, platformContext: (any Sendable)? = nil
  ) {
    self.method = method
    self.time = time
    self.isAuthenticated = isAuthenticated
    self.enrollmentState = enrollmentState
    self.platformContext = platformContext
  }

  /// Makes it worthless; a prompt is shown instead.
  public func invalidate() { state.withLock { $0 = .invalidated } }

  /// Takes its one use.
  /// - Returns: false, and nothing changes, unless it is authenticated, fresh, of an admitted method and young enough.
  func use(admitting methods: Set<VerificationMethod>, at uptime: Duration, validity: Duration) -> Bool {
    guard isAuthenticated, methods.contains(method), time <= uptime,
      uptime - time < min(max(validity, .zero), .seconds(300))
    else { return false }
    return state.withLock { state in
      guard state == .fresh else { return false }
      state = .used
      return true
    }
  }
}

/// Hands over verifications that the app made itself.
///
/// Asked once in every operation that needs one. What it hands over is taken when the key's rule admits its method,
/// it is authenticated, not invalidated, young enough and unused; in every other case the normal prompt is shown.
/// It never replaces a consent or the display of a transaction.
///
/// ```swift
/// let handedOver = BiometricContextHolder()
/// var config = BiometricAuthenticatorConfig(contextDelegate: handedOver)
/// handedOver.give(BiometricContext(method: .fingerprint, time: environment.uptime()))
/// // … one operation …
/// handedOver.clear()
/// ```
public protocol BiometricContextDelegate: Sendable {
  /// The verification to use now; nil: show the prompt.
  func biometricContext() async -> BiometricContext?
}

/// Holds one context until it is asked for, and gives it out once.
public final class BiometricContextHolder: BiometricContextDelegate {
  private let context = Mutex<BiometricContext?>(nil)

  /// Holds nothing.
  public init() {}

  /// Puts a context in place of whatever is held.
  public func give(_ context: BiometricContext) { self.context.withLock { $0 = context } }

  /// Forgets what is held: every operation prompts from now on.
  public func clear() { context.withLock { $0 = nil } }

  public func biometricContext() async -> BiometricContext? {
    context.withLock { context in
      defer { context = nil }
      return context
    }
  }
}
