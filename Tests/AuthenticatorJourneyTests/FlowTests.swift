import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import Testing

@Suite struct FlowTests {
  private static func registry() -> CallbackRegistry { CallbackRegistry.standard.registering(ProbeCallback.self) }
  private static let probe = Wire.callback("ProbeCallback", inputs: [("IDToken1", "")])

  // MARK: One at a time

  @Test func refusesSecondStartWhileOneRuns() async throws {
    let client = try TestClient()
    let node = try await client.page(Wire.login)
    #expect(await code { try await client.journey.start("Other") } == .busy)
    #expect(await code { try await client.journey.resume("x://y?suspendedId=z") } == .busy)
    #expect(client.transport.requests.count == 1)
    node.close()
    client.transport.add(json: Wire.success)
    #expect(try await client.journey.start("Other").session != nil)
  }

  @Test(arguments: ["success", "failure"])
  func letsNextStartAfterTheEnd(_ end: String) async throws {
    let client = try TestClient()
    let node = try await client.page(Wire.login)
    end == "success" ? client.transport.add(json: Wire.success) : client.transport.add(401, json: Wire.loginFailure)
    _ = try await node.next()
    client.transport.add(json: Wire.login)
    #expect(try await client.journey.start("Login").continueNode != nil)
  }

  @Test func letsNextStartAfterDroppedFlow() async throws {
    let client = try TestClient()
    var node: ContinueNode? = try await client.page(Wire.login)
    #expect(node != nil)
    node = nil
    client.transport.add(json: Wire.success)
    #expect(try await client.journey.start("Login").session != nil)
  }

  @Test func letsNextStartAfterFailedStart() async throws {
    let client = try TestClient()
    client.transport.addFailure(mayHaveArrived: true)
    #expect(await code { try await client.journey.start("Login") } == .transportFailed)
    client.transport.add(json: Wire.success)
    #expect(try await client.journey.start("Login").session != nil)
  }

  @Test func cancelsTheFirstFlowByPolicy() async throws {
    let client = try TestClient { $0.overlap = .cancelFirst }
    let first = try await client.page(Wire.login)
    let second = try await client.page(Wire.login)
    #expect(await code { try await first.next() } == .appCanceled)
    client.transport.add(json: Wire.success)
    #expect(try await second.next().session != nil)
    #expect(client.transport.requests.count == 3)
  }

  // MARK: Once

  @Test func sendsAStepOnce() async throws {
    let client = try TestClient()
    let node = try await client.page(Wire.login)
    client.transport.add(json: Wire.login)
    _ = try await node.next()
    #expect(await code { try await node.next() } == .invalidRequest)
    #expect(client.transport.requests.count == 2)
  }

  @Test @MainActor func refusesSecondSubmissionWhileTheFirstIsOnItsWay() async throws {
    let client = try TestClient()
    let node = try await client.page(Wire.login)
    let (gate, opener) = AsyncStream<Void>.makeStream()
    client.transport.add { _ in
      for await _ in gate { break }
      return HTTPResponse(status: 200, fields: [], body: Wire.success.serialized())
    }
    let first = Task { @MainActor in try await node.next().session?.tokenID }
    while client.transport.requests.count < 2 { await Task.yield() }
    #expect(await code { try await node.next() } == .busy)
    opener.yield()
    #expect(try await first.value == "token-1")
    #expect(client.transport.requests.count == 2)
  }

  @Test func maySendAgainWhatCertainlyNeverLeft() async throws {
    let client = try TestClient(callbacks: Self.registry())
    let node = try await client.page(Wire.step(Self.probe, Wire.password))
    let probe = try #require(node.callback(ProbeCallback.self))
    probe.answer("yes")
    node.callback(PasswordCallback.self)?.password = "s3cret"
    client.transport.addFailure(mayHaveArrived: false)
    #expect(await code { try await node.next() } == .transportFailed)
    #expect(probe.outcomes == [])
    client.transport.add(json: Wire.success)
    #expect(try await node.next().session != nil)
    #expect(client.transport.requests[2].json == client.transport.requests[1].json)
    #expect(client.transport.requests[2].json?["callbacks"]?[1]?["input"]?[0]?["value"] == "s3cret")
    #expect(probe.outcomes == ["accepted"])
  }

  @Test(arguments: [AuthenticatorError.Code.transportFailed, .timedOut, .appCanceled])
  func neverReplaysWhatMayHaveArrived(_ failure: AuthenticatorError.Code) async throws {
    let client = try TestClient(callbacks: Self.registry())
    let node = try await client.page(Wire.step(Self.probe))
    let probe = try #require(node.callback(ProbeCallback.self))
    probe.answer("yes")
    client.transport.addFailure(failure, mayHaveArrived: true)
    #expect(await code { try await node.next() } == failure)
    #expect(probe.outcomes == ["unknown"])
    #expect(await code { try await node.next() } == .invalidRequest)
    #expect(client.transport.requests.count == 2)
  }

  @Test func wrapsForeignTransportErrors() async throws {
    struct Odd: Error {}
    let client = try TestClient()
    client.transport.add { _ in throw Odd() }
    #expect(await code { try await client.journey.start("Login") } == .transportFailed)
    client.transport.add { _ in throw CancellationError() }
    #expect(await code { try await client.journey.start("Login") } == .appCanceled)
  }

  @Test func forgetsPasswordsOnceTheyLeft() async throws {
    for succeeds in [true, false] {
      let client = try TestClient()
      let node = try await client.page(Wire.login)
      let password = try #require(node.callback(PasswordCallback.self))
      password.password = "s3cret"
      if succeeds {
        client.transport.add(json: Wire.success)
        _ = try await node.next()
      } else {
        client.transport.addFailure(mayHaveArrived: true)
        #expect(await code { try await node.next() } == .transportFailed)
      }
      #expect(client.transport.requests[1].json?["callbacks"]?[1]?["input"]?[0]?["value"] == "s3cret")
      #expect(password.password == "")
    }
  }

  // MARK: Budgets

  @Test func endsEndlessJourneys() async throws {
    let client = try TestClient { $0.limits.steps = 5 }
    var node = try await client.page(Wire.login)
    for _ in 0..<4 {
      client.transport.add(json: Wire.login)
      node = try #require(try await node.next().continueNode)
    }
    #expect(await code { try await node.next() } == .invalidMessage)
    #expect(client.transport.requests.count == 5)
    client.transport.add(json: Wire.success)
    #expect(try await client.journey.start("Login").session != nil)
  }

  @Test func endsFlowsThatTakeTooLong() async throws {
    let client = try TestClient { $0.limits.totalTime = .seconds(100) }
    let node = try await client.page(Wire.login)
    client.environment.clock.advance(by: .seconds(100))
    #expect(await code { try await node.next() } == .timedOut)
    #expect(client.transport.requests.count == 1)
  }

  @Test func closedFlowSendsNothing() async throws {
    let client = try TestClient()
    let node = try await client.page(Wire.login)
    node.close()
    #expect(await code { try await node.next() } == .appCanceled)
    #expect(client.transport.requests.count == 1)
  }

  // MARK: Outcomes

  private func outcome(_ arrange: (ScriptedTransport) -> Void, repeats: Bool = false) async throws -> [String] {
    let client = try TestClient(callbacks: Self.registry())
    let node = try await client.page(Wire.step(Self.probe))
    let probe = try #require(node.callback(ProbeCallback.self))
    probe.answer("yes")
    arrange(client.transport)
    do { _ = try await node.next() } catch is AuthenticatorError {}
    return probe.outcomes
  }

  @Test func tellsWhatBecameOfAnAnswer() async throws {
    #expect(try await outcome { $0.add(json: Wire.success) } == ["accepted"])
    #expect(try await outcome { $0.add(json: Wire.login) } == ["accepted"])
    #expect(
      try await outcome { $0.add(json: Wire.step(Wire.callback("SuspendedTextOutputCallback"))) } == ["accepted"])
    #expect(try await outcome { $0.add(json: Wire.step(Self.probe)) } == ["refused"])
    #expect(try await outcome { $0.add(401, json: Wire.loginFailure) } == ["refused"])
    #expect(try await outcome { $0.add(400, text: "<html>") } == ["refused"])
    #expect(try await outcome { $0.add(500, json: ["code": 500]) } == ["unknown"])
    #expect(try await outcome { $0.add(503, text: "busy") } == ["unknown"])
    #expect(try await outcome { $0.add(200, text: "{broken") } == ["unknown"])
    #expect(try await outcome { $0.add(200, text: "") } == ["unknown"])
  }

  @Test func tellsOnlyAnsweredCallbacks() async throws {
    let client = try TestClient(callbacks: Self.registry())
    let node = try await client.page(Wire.step(Self.probe, Wire.callback("ProbeCallback", inputs: [("IDToken2", "")])))
    let probes = node.callbacks(ProbeCallback.self)
    probes[1].answer("yes")
    client.transport.add(json: Wire.success)
    _ = try await node.next()
    #expect(probes[0].outcomes == [])
    #expect(probes[1].outcomes == ["accepted"])
  }

  @Test func throwsWhatSettlingThrewAndLosesNothing() async throws {
    let client = try TestClient(callbacks: Self.registry())
    let node = try await client.page(Wire.step(Self.probe, Wire.callback("ProbeCallback", inputs: [("IDToken2", "")])))
    let probes = node.callbacks(ProbeCallback.self)
    for probe in probes { probe.answer("yes") }
    probes[0].failure = AuthenticatorError(.storageFailed, stage: "commit")
    client.transport.add(json: Wire.success)
    #expect(await code { try await node.next() } == .storageFailed)
    #expect(probes[1].outcomes == ["accepted"])
    #expect(node.following?.session?.tokenID == "token-1")
    #expect(try await client.journey.session?.tokenID == "token-1")
  }

  @Test func tellsTheTransportsErrorRatherThanTheCallbacks() async throws {
    let client = try TestClient(callbacks: Self.registry())
    let node = try await client.page(Wire.step(Self.probe))
    let probe = try #require(node.callback(ProbeCallback.self))
    probe.answer("yes")
    probe.failure = AuthenticatorError(.storageFailed)
    client.transport.addFailure(mayHaveArrived: true)
    #expect(await code { try await node.next() } == .transportFailed)
  }
}

/// Notes what it is told.
private final class ProbeCallback: Callback {
  override class var wireType: String { "ProbeCallback" }
  var outcomes: [String] = []
  var failure: AuthenticatorError?

  override func isAskedAgain(by node: ContinueNode) -> Bool { node.callback(ProbeCallback.self) != nil }

  override func stepEnded(_ outcome: StepOutcome) async throws {
    await Task.yield()
    switch outcome {
    case .accepted: outcomes.append("accepted")
    case .refused: outcomes.append("refused")
    case .unknown: outcomes.append("unknown")
    }
    if let failure { throw failure }
  }
}
