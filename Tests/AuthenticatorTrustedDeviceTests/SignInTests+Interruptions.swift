import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// What changes during the prompt, and answers that are lost.
extension SignInTests {
  // MARK: Changes during the prompt

  @Test func sendsNoOldChallengeOnceTheSignInChanged() async throws {
    let bench = try await enrolled()
    bench.transport.add(
      json: Wire.envelope(
        Wire.signIn(challenge: Wire.challenge(for: "tdc_1", expires: bench.now.advanced(by: .seconds(300)))),
        client: Wire.client(signIn: "sia_1")))
    bench.transport.add(
      json: Wire.envelope(Wire.signIn(status: "needs_second_factor"), client: Wire.client(signIn: "sia_2")))
    bench.verifier.duringPrompt { try await bench.client.auth.signIn(identifier: "kim", password: "y") }
    bench.device.verifier.perform(.match())
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .sessionChanged)
    #expect(bench.requests.last?.line == "POST /v1/client/sign_ins")
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }

  @Test func sendsNothingOnceSomebodyElseSignedIn() async throws {
    let bench = try await enrolled()
    bench.script(create: "tdc_1")
    bench.script(complete: "sess_B", user: "user_B")
    bench.verifier.duringPrompt { try await bench.client.auth.signIn(identifier: "kim", password: "y") }
    bench.device.verifier.perform(.match())
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .sessionChanged)
    #expect(bench.requests.last?.form["strategy"] == "password")
  }

  @Test func endsWithItsTask() async throws {
    let bench = try await enrolled()
    bench.script(create: "tdc_1")
    bench.device.verifier.perform(.noAnswer)
    let task = Task { try await bench.client.auth.signInWithTrustedDevice() }
    await bench.device.environment.clock.waitForSleepers()
    task.cancel()
    #expect(await failure { try await task.value }?.code == .appCanceled)
    #expect(bench.requests.last?.line == "POST /v1/client/sign_ins")
  }

  @Test func runsOneAtATime() async throws {
    let bench = try await enrolled()
    bench.script(create: "tdc_1")
    bench.device.verifier.perform(.noAnswer)
    let first = Task { try await bench.client.auth.signInWithTrustedDevice() }
    await bench.device.environment.clock.waitForSleepers()
    let second = Task { try await bench.client.auth.signInWithTrustedDevice() }
    // Looking need not wait for a prompt.
    #expect(try await bench.devices.availability() == .available)
    for _ in 0..<100 { await Task.yield() }
    #expect(bench.requests.filter { $0.form["strategy"] == "trusted_device" }.count == 1)
    let third = Task { try await bench.devices.reconcile() }
    third.cancel()
    #expect(await failure { try await third.value }?.code == .appCanceled)
    bench.script(create: "tdc_1")
    bench.script(complete: "sess_B")
    bench.device.verifier.perform(.match())
    first.cancel()
    #expect(await failure { try await first.value }?.code == .appCanceled)
    #expect(try await second.value.status == .complete)
  }

  // MARK: Lost answers

  @Test func findsASessionWhoseAnswerWasLost() async throws {
    let bench = try await enrolled()
    bench.script(create: "tdc_1")
    bench.transport.addFailure(mayHaveArrived: true)
    bench.transport.add(
      json: Wire.envelope(Wire.client(sessions: [Wire.session("sess_B", user: "user_A")], last: "sess_B")))
    bench.device.verifier.perform(.match())
    let signIn = try await bench.client.auth.signInWithTrustedDevice()
    #expect(signIn.status == .complete)
    #expect(signIn.createdSessionID == "sess_B")
    #expect(bench.requests.last?.line == "GET /v1/client")
    #expect(bench.requests.filter { $0.line.hasSuffix("/attempt_first_factor") }.count == 1)
  }

  @Test func throwsWhenTheAttemptDidNotArrive() async throws {
    let bench = try await enrolled()
    bench.script(create: "tdc_1")
    bench.transport.addFailure(mayHaveArrived: true)
    bench.transport.add(json: Wire.envelope(Wire.client()))
    bench.device.verifier.perform(.match())
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .transportFailed)
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }
}
