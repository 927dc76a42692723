import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// What is sent again, when, and what never is.
@Suite struct RetryTests {
  private static let list = Wire.envelope([])

  private func bench(_ policy: FrontendRetryPolicy = FrontendRetryPolicy()) async throws -> Bench {
    let bench = try Bench(configure: { $0.retryPolicy = policy })
    try await bench.signIn()
    return bench
  }

  /// Runs an operation that pauses once, and tells for how long.
  private func pause<Value: Sendable>(
    _ bench: Bench, _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> (Value, Duration) {
    let clock = bench.device.environment.clock
    let task = Task { try await operation() }
    await clock.waitForSleepers()
    let waited = try #require(clock.advanceToFirstSleeper())
    return (try await task.value, waited)
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504]) func repeatsOnce(_ status: Int) async throws {
    let bench = try await bench()
    bench.transport.add(status, json: Wire.refusal("internal_error"))
    bench.transport.add(json: Self.list)
    let (devices, waited) = try await pause(bench) { try await bench.devices.list() }
    #expect(devices.isEmpty)
    #expect(waited == .milliseconds(500))
    #expect(bench.requests.suffix(2).map(\.line) == Array(repeating: "GET /v1/me/trusted_devices", count: 2))
  }

  @Test func repeatsAfterTheNetworkFailed() async throws {
    let bench = try await bench()
    bench.transport.addFailure(mayHaveArrived: true)
    bench.transport.add(json: Self.list)
    let (devices, _) = try await pause(bench) { try await bench.devices.list() }
    #expect(devices.isEmpty)
  }

  @Test func givesUpAfterTheSecondFailure() async throws {
    let bench = try await bench()
    bench.transport.add(503, json: Wire.refusal("maintenance"))
    bench.transport.add(503, json: Wire.refusal("maintenance"))
    let count = bench.requests.count
    let clock = bench.device.environment.clock
    let task = Task { try await bench.devices.list() }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    #expect(await failure { try await task.value }?.code == .serverFailed)
    #expect(bench.requests.count == count + 2)
  }

  @Test(arguments: [400, 401, 403, 404, 409, 422, 501]) func takesOtherRefusalsForGood(_ status: Int) async throws {
    let bench = try await bench()
    bench.script(status, "something_else")
    #expect(await failure { try await bench.devices.list() } != nil)
    #expect(bench.transport.remaining == 0)
  }

  @Test(
    arguments: [
      (["Retry-After": "2"], Duration.seconds(2)), (["Retry-After": "0"], .milliseconds(100)),
      (["Retry-After": "3600"], .seconds(5)), (["Retry-After": "soon"], .milliseconds(500)),
      (["Retry-After": "-5"], .milliseconds(100)), (["Retry-After": "99999999999999999999"], .milliseconds(500)),
      (["X-RateLimit-Reset": "1700000003"], .seconds(3)), (["X-RateLimit-Reset": "1700000002000"], .seconds(2)),
      (["X-RateLimit-Reset": "1600000000"], .milliseconds(100)),
      (["Retry-After": "1", "X-RateLimit-Reset": "1700000004"], .seconds(1)),
    ] as [([String: String], Duration)])
  func waitsAsAsked(_ fields: [String: String], _ expected: Duration) async throws {
    let bench = try await bench()
    bench.transport.add(429, json: Wire.refusal("rate_limited"), fields: fields.map { HTTPField($0.key, $0.value) })
    bench.transport.add(json: Self.list)
    let (_, waited) = try await pause(bench) { try await bench.devices.list() }
    #expect(waited == expected)
  }

  @Test func neverRepeatsAnAttemptOrAPassword() async throws {
    let bench = try await bench(FrontendRetryPolicy(retries: 3, standardDelay: .zero, minimumDelay: .zero))
    bench.transport.addFailure(mayHaveArrived: false)
    let before = bench.requests.count
    #expect(
      await failure { try await bench.client.auth.signIn(identifier: "m", password: "p") }?.code == .transportFailed)
    bench.script(503, "maintenance")
    #expect(await failure { try await bench.client.auth.signUp(username: "m") }?.code == .serverFailed)
    #expect(bench.requests.count == before + 2)

    bench.script()
    bench.transport.addFailure(mayHaveArrived: false)
    bench.device.verifier.perform(.match())
    #expect(await failure { try await bench.devices.enroll() }?.code == .transportFailed)
    #expect(bench.requests.count == before + 4)
  }

  @Test func stopsWaitingWhenItsTaskIsCancelled() async throws {
    let bench = try await bench()
    bench.script(503, "maintenance")
    let task = Task { try await bench.devices.list() }
    await bench.device.environment.clock.waitForSleepers()
    task.cancel()
    #expect(await failure { try await task.value }?.code == .appCanceled)
  }

  @Test func refusesARedirectAndAnAnswerThatIsNoJSON() async throws {
    let bench = try await bench()
    bench.transport.add(302, text: "", fields: [HTTPField("Location", "https://evil.example.com/")])
    #expect(await failure { try await bench.devices.list() }?.code == .invalidMessage)
    bench.transport.add(text: "<html>")
    #expect(await failure { try await bench.devices.list() }?.code == .invalidMessage)
    bench.transport.add(text: String(repeating: "[", count: 5000))
    #expect(await failure { try await bench.devices.list() }?.code == .invalidMessage)
    bench.transport.add(text: "[" + String(repeating: " ", count: 1 << 20) + "]")
    #expect(await failure { try await bench.devices.list() }?.code == .invalidMessage)
  }

  @Test func tellsHowLongToWaitWhenItGivesUp() async throws {
    let bench = try await bench(.none)
    bench.transport.add(429, json: Wire.refusal("rate_limited"), fields: [HTTPField("Retry-After", "30")])
    let error = await failure { try await bench.devices.list() }
    #expect(error?.code == .rateLimited)
    #expect(error?.retryAfter == .seconds(30))
  }
}
