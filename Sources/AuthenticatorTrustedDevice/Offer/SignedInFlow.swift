import AuthenticatorCore

/// What stands between a sign-in or sign-up and the app's content, step by step: the offer of enrollment, then the
/// session's tasks, then nothing. A value that views follow and tests drive; it shows and sends nothing itself.
///
///     var flow = SignedInFlow(session: session, offersEnrollment: await devices.shouldOfferEnrollment(after: .signIn))
///     switch flow.step {
///     case .enrollmentOffer: …          // flow.offerShown(), then flow.answered(.enrolled), or with .declined
///     case .sessionTasks(let keys): …   // flow.session = the session as it is now
///     case .complete: …
///     case .signedOut: …
///     }
public struct SignedInFlow: Hashable, Sendable {
  /// What is to be done now.
  public enum Step: Hashable, Sendable {
    /// Offer enrollment.
    case enrollmentOffer
    /// Have the person do these tasks, by key.
    case sessionTasks([String])
    /// Show the app's content.
    case complete
    /// The session has ended meanwhile: begin again.
    case signedOut
  }

  /// How the offer ended.
  public enum Answer: Hashable, Sendable {
    /// The device is enrolled.
    case enrolled
    /// The person does not want to.
    case declined
    /// The person went back from the prompt. The offer stays, and nothing is shown about it.
    case canceled
    /// Enrolling failed otherwise. The offer stays, with this to show.
    case failed(AuthenticatorError.Code)

    /// What an error of `enroll` means here.
    public init(_ error: any Error) {
      let code = AuthenticatorError.wrapping(error, as: .requestRefused, stage: "").code
      switch code {
      case .userCanceled, .systemCanceled, .appCanceled: self = .canceled
      default: self = .failed(code)
      }
    }
  }

  /// The session as it is now; set it whenever it changed.
  public var session: FrontendSession? {
    didSet { if session?.id != begunSessionID { isOffering = false } }
  }
  /// What to show beside the offer; nil: nothing.
  public private(set) var problem: AuthenticatorError.Code?
  /// Whether the offer was put on the screen: from then on it counts as made.
  public private(set) var wasShown = false
  private var isOffering: Bool
  private let begunSessionID: String?
  private var wasCompleted = false

  /// Begins with the session that a sign-in or sign-up has made.
  public init(session: FrontendSession?, offersEnrollment: Bool) {
    self.session = session
    begunSessionID = session?.id
    isOffering = offersEnrollment && session?.isSignedIn == true
  }

  /// What is to be done now. The offer goes before the tasks.
  public var step: Step {
    guard let session, session.isSignedIn else { return .signedOut }
    if isOffering { return .enrollmentOffer }
    if session.status == .active { return .complete }
    return .sessionTasks(session.tasks)
  }

  /// Whether the app's content may be shown: somebody is signed in, nothing is left to do, and no offer is open.
  public var isComplete: Bool { step == .complete }

  /// The offer is on the screen.
  /// - Returns: whether this is the first time, so that it is noted once.
  public mutating func offerShown() -> Bool {
    guard isOffering, !wasShown else { return false }
    wasShown = true
    return true
  }

  /// The offer was answered.
  public mutating func answered(_ answer: Answer) {
    guard isOffering else { return }
    problem = nil
    switch answer {
    case .enrolled, .declined: isOffering = false
    case .canceled: break
    case .failed(let code): problem = code
    }
  }

  /// Says that the flow is complete, exactly once.
  /// - Returns: true the first time it is asked after completion; false before and ever after.
  public mutating func takeCompletion() -> Bool {
    guard isComplete, !wasCompleted else { return false }
    wasCompleted = true
    return true
  }
}
