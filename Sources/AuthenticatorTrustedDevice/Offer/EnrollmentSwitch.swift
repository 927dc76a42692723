import AuthenticatorCore

/// The switch on a security page that turns signing in with this device on and off. It moves at once, is taken back
/// when the work fails, and an answer that comes late never overrides a newer move. A value that views follow and tests
/// drive.
public struct EnrollmentSwitch: Hashable, Sendable {
  /// What to do after a move.
  public enum Work: Hashable, Sendable {
    /// Call `TrustedDevices.enroll`.
    case enroll
    /// Call `TrustedDevices.revokeCurrentDeviceCredential`.
    case revoke
  }

  /// Whether to show it at all.
  public private(set) var isShown: Bool
  /// Where it stands.
  public private(set) var isOn: Bool
  /// What to show beside it; nil: nothing.
  public private(set) var problem: AuthenticatorError.Code?
  private var move = 0
  private var isWorking = false
  private var settled: Bool

  /// - Parameters:
  ///   - support: `TrustedDevices.enrollmentAvailability()`.
  ///   - environment: the server's switches.
  ///   - isEnrolled: whether this installation is enrolled for the signed-in user.
  public init(support: TrustedDeviceAvailability, environment: FrontendEnvironment, isEnrolled: Bool) {
    isShown = environment.closedReason == nil && (support.isAvailable || isEnrolled)
    isOn = isEnrolled
    settled = isEnrolled
  }

  /// The person moved it.
  /// - Returns: what to do, and the number to report its end with; nil while earlier work is under way.
  public mutating func toggle() -> (work: Work, number: Int)? {
    guard !isWorking else { return nil }
    move += 1
    isWorking = true
    isOn.toggle()
    problem = nil
    return (isOn ? .enroll : .revoke, move)
  }

  /// The work is done.
  public mutating func succeeded(_ number: Int) {
    guard number == move else { return }
    isWorking = false
    settled = isOn
  }

  /// The work failed; a cancel is no problem to show.
  public mutating func failed(_ number: Int, _ error: any Error) {
    guard number == move else { return }
    isWorking = false
    isOn = settled
    if case .failed(let code) = SignedInFlow.Answer(error) { problem = code }
  }

  /// A look at the present state began; pass the number on with what it found.
  public var observation: Int { move }

  /// What a look found. One that began before the last move, or while work is under way, changes nothing.
  public mutating func observed(isEnrolled: Bool, since observation: Int) {
    guard observation == move, !isWorking else { return }
    isOn = isEnrolled
    settled = isEnrolled
  }
}
