import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// When enrollment is offered, and when a flow is complete, without any view.
@Suite struct FlowTests {
  private func session(_ status: String = "active", id: String = "sess_A") throws -> FrontendSession {
    try FrontendSession(try #require(Wire.session(id, user: "user_A", status: status).objectValue))
  }

  private func offer(_ change: (inout EnrollmentOffer) throws -> Void = { _ in }) throws -> Bool {
    var offer = EnrollmentOffer(
      occasion: .signIn,
      environment: FrontendEnvironment(
        isNativeAPIEnabled: true, isTrustedDeviceSignInEnabled: true, offersEnrollmentAfterSignIn: true),
      session: try session(), expectedSessionID: "sess_A", support: .available,
      current: .unavailable(.noLocalCredential), wasShown: false)
    try change(&offer)
    return offer.isDue
  }

  @Test func offersWhenEverythingIsRight() throws {
    #expect(try offer())
    #expect(try offer { $0.session = try session("pending") })
    #expect(try !offer { $0.session = try session("expired") })
    #expect(try !offer { $0.session = nil })
    #expect(try !offer { $0.session = try session(id: "sess_B") })
    #expect(try !offer { $0.environment.isNativeAPIEnabled = false })
    #expect(try !offer { $0.environment.isTrustedDeviceSignInEnabled = false })
    #expect(try !offer { $0.environment.offersEnrollmentAfterSignIn = false })
    #expect(try !offer { $0.support = .unavailable(.biometricsNotEnrolled) })
    #expect(try !offer { $0.current = .available })
  }

  @Test func offersOnlyWhatEnrollingWouldRemedy() throws {
    let remedied: Set<TrustedDeviceAvailability.UnavailableReason> = [
      .noLocalCredential, .localKeyMissing, .serverCredentialMissing, .serverCredentialRevoked,
    ]
    for reason in TrustedDeviceAvailability.UnavailableReason.known {
      #expect(try offer { $0.current = .unavailable(reason) } == remedied.contains(reason))
    }
  }

  @Test func offersOnceAfterSignInAndAlwaysAfterSignUp() throws {
    #expect(try !offer { $0.wasShown = true })
    #expect(try !offer { $0.occasion = .signUp })
    #expect(
      try offer {
        $0.occasion = .signUp
        $0.environment.offersEnrollmentAfterSignUp = true
        $0.wasShown = true
      })
  }

  @Test func asksForTheSwitchesFirst() async throws {
    let bench = try Bench()
    try await bench.signIn(settings: Wire.environment())
    bench.transport.add(json: Wire.environment(afterSignIn: true))
    #expect(await bench.devices.shouldOfferEnrollment(after: .signIn))
    #expect(bench.requests.last?.line == "GET /v1/environment")
    bench.transport.add(json: Wire.environment(afterSignIn: true))
    #expect(await !bench.devices.shouldOfferEnrollment(after: .signUp))
    // Shown once, it is not offered again, in no later run either; whatever was answered.
    try await bench.devices.noteOfferShown()
    let later = bench.restarted()
    later.transport.add(json: Wire.environment(afterSignIn: true, afterSignUp: true))
    #expect(await !later.devices.shouldOfferEnrollment(after: .signIn))
    later.transport.add(json: Wire.environment(afterSignIn: true, afterSignUp: true))
    #expect(await later.devices.shouldOfferEnrollment(after: .signUp))
    // It was shown to that user alone.
    try await later.signIn("user_B", session: "sess_B")
    later.transport.add(json: Wire.environment(afterSignIn: true))
    #expect(await later.devices.shouldOfferEnrollment(after: .signIn))
  }

  @Test func offersNothingWhenAnythingGoesWrong() async throws {
    let bench = try Bench()
    #expect(await !bench.devices.shouldOfferEnrollment(after: .signIn))
    #expect(bench.requests.isEmpty)
    try await bench.signIn()
    bench.transport.addFailure(mayHaveArrived: true)
    #expect(await !bench.devices.shouldOfferEnrollment(after: .signIn))
    bench.transport.add(json: Wire.environment(afterSignIn: true))
    bench.device.store.fail(.records)
    #expect(await !bench.devices.shouldOfferEnrollment(after: .signIn))
    bench.device.store.repair()
    // Enrolled already, and the server agrees.
    try await bench.enroll()
    bench.transport.add(json: Wire.environment(afterSignIn: true))
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    #expect(await !bench.devices.shouldOfferEnrollment(after: .signIn))
    // The server has forgotten it: worth offering.
    bench.transport.add(json: Wire.environment(afterSignIn: true))
    bench.transport.add(json: Wire.envelope([]))
    #expect(await bench.devices.shouldOfferEnrollment(after: .signIn))
  }

  // MARK: The flow

  @Test func offersBeforeTasksAndCompletesOnce() throws {
    var flow = SignedInFlow(session: try session("pending"), offersEnrollment: true)
    #expect(flow.step == .enrollmentOffer)
    #expect(!flow.isComplete)
    let answer1 = flow.offerShown()
    #expect(answer1)
    let answer2 = flow.offerShown()
    #expect(!answer2)
    flow.answered(.enrolled)
    #expect(flow.step == .sessionTasks(["choose-organization"]))
    let answer3 = flow.takeCompletion()
    #expect(!answer3)
    flow.session = try session()
    #expect(flow.step == .complete)
    let answer4 = flow.takeCompletion()
    #expect(answer4)
    let answer5 = flow.takeCompletion()
    #expect(!answer5)
    #expect(flow.isComplete)
  }

  @Test func keepsTheOfferAfterACancelAndShowsOtherFailures() throws {
    var flow = SignedInFlow(session: try session(), offersEnrollment: true)
    _ = flow.offerShown()
    flow.answered(.init(AuthenticatorError(.userCanceled)))
    #expect(flow.step == .enrollmentOffer)
    #expect(flow.problem == nil)
    flow.answered(.init(AuthenticatorError(.quotaExceeded)))
    #expect(flow.step == .enrollmentOffer)
    #expect(flow.problem == .quotaExceeded)
    flow.answered(SignedInFlow.Answer(CancellationError()))
    #expect(flow.problem == nil)
    flow.answered(.declined)
    #expect(flow.step == .complete)
  }

  @Test func endsTheOfferWithTheSession() throws {
    var flow = SignedInFlow(session: try session(), offersEnrollment: true)
    flow.session = nil
    #expect(flow.step == .signedOut)
    let answer6 = flow.takeCompletion()
    #expect(!answer6)
    flow.session = try session(id: "sess_B")
    #expect(flow.step == .complete)
    #expect(SignedInFlow(session: nil, offersEnrollment: true).step == .signedOut)
    var plain = SignedInFlow(session: try session(), offersEnrollment: false)
    #expect(plain.step == .complete)
    let answer7 = plain.offerShown()
    #expect(!answer7)
  }

  // MARK: Start screen and security page

  @Test func showsTheButtonFromLocalStateAndCorrectsIt() throws {
    var button = SignInButton(purpose: .signIn, session: nil, local: .available)
    #expect(button.isShown)
    let question = button.beginValidating()
    button.validated(.inconclusive, of: question)
    #expect(button.isShown)
    let newer = button.beginValidating()
    button.validated(.invalid(.serverCredentialMissing), of: question)
    #expect(button.isShown)
    button.validated(.valid, of: newer)
    #expect(button.isShown)
    button.validated(.invalid(.serverCredentialMissing), of: newer)
    #expect(!button.isShown)
    #expect(!SignInButton(purpose: .signUp, session: nil, local: .available).isShown)
    #expect(!SignInButton(purpose: .signIn, session: try session(), local: .available).isShown)
    #expect(!SignInButton(purpose: .signInOrUp, session: nil, local: nil).isShown)
    #expect(!SignInButton(purpose: .signIn, session: nil, local: .unavailable(.localKeyMissing)).isShown)
  }

  @Test func movesTheSwitchAtOnceAndTakesItBack() throws {
    let environment = FrontendEnvironment(isNativeAPIEnabled: true, isTrustedDeviceSignInEnabled: true)
    var toggle = EnrollmentSwitch(support: .available, environment: environment, isEnrolled: false)
    #expect(toggle.isShown)
    let move9 = toggle.toggle()
    let on = try #require(move9)
    #expect(on.work == .enroll)
    #expect(toggle.isOn)
    let answer8 = toggle.toggle()
    #expect(answer8 == nil)
    let before = toggle.observation
    toggle.observed(isEnrolled: false, since: before)
    #expect(toggle.isOn)
    toggle.failed(on.number, AuthenticatorError(.userCanceled))
    #expect(!toggle.isOn)
    #expect(toggle.problem == nil)
    let move10 = toggle.toggle()
    let again = try #require(move10)
    toggle.failed(again.number, AuthenticatorError(.transportFailed))
    #expect(toggle.problem == .transportFailed)
    let move11 = toggle.toggle()
    let third = try #require(move11)
    toggle.succeeded(third.number)
    #expect(toggle.isOn)
    // A look from before the last move comes too late.
    toggle.observed(isEnrolled: false, since: before)
    #expect(toggle.isOn)
    toggle.observed(isEnrolled: false, since: toggle.observation)
    #expect(!toggle.isOn)
    let off = EnrollmentSwitch(
      support: .unavailable(.biometricsNotEnrolled), environment: environment, isEnrolled: false)
    #expect(!off.isShown)
    #expect(!EnrollmentSwitch(support: .available, environment: FrontendEnvironment(), isEnrolled: true).isShown)
  }
}
