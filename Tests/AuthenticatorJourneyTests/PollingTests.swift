import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import Testing

@Suite struct PollingTests {
  private let exit = Wire.callback("ConfirmationCallback", [("options", ["Leave"])], inputs: [("IDToken2", 100)])

  /// A server that asks for no pause is not asked again and again without one.
  private static let shortest: Duration = .milliseconds(250)

  @Test(
    arguments: [
      ("5000", Duration.milliseconds(5000)), (5000, .milliseconds(5000)), ("x", shortest), (nil, shortest),
      ("-5", shortest),
      (true, shortest), ("0", shortest), (1, shortest), ("250", shortest), ("251", .milliseconds(251)),
      ("99999999999", .seconds(60)),
    ] as [(JSONValue, Duration)])
  func readsWaitTime(_ wait: JSONValue, _ expected: Duration) async throws {
    let client = try TestClient()
    #expect(try await client.page(Wire.poll(wait)).pollingDelay == expected)
  }

  @Test func postsUnchangedAfterTheWait() async throws {
    let client = try TestClient()
    let step = Wire.poll("5000", extra: exit)
    let node = try await client.page(step)
    client.transport.add(json: Wire.success)
    async let end = node.poll().session
    await client.environment.clock.waitForSleepers()
    #expect(client.transport.requests.count == 1)
    client.environment.clock.advance(by: .seconds(5))
    #expect(try await end?.tokenID == "token-1")
    #expect(client.transport.requests[1].json == step)
  }

  @Test func leavesByTheExit() async throws {
    let client = try TestClient()
    let node = try await client.page(Wire.poll("5000", extra: exit))
    try node.callback(ConfirmationCallback.self)?.select("Leave")
    client.transport.add(401, json: Wire.loginFailure)
    #expect(try await node.next().failure != nil)
    #expect(client.transport.requests[1].json?["callbacks"]?[1]?["input"]?[0]?["value"] == 0)
  }

  @Test func neverPostsByItselfWhileSomethingIsUnanswered() async throws {
    for other in [Wire.name, Wire.callback("Future", inputs: [("IDToken2", "")])] {
      let client = try TestClient()
      let node = try await client.page(Wire.poll("0", extra: other))
      #expect(node.pollingDelay == nil)
      #expect(await code { try await node.poll() } == .invalidRequest)
      #expect(client.transport.requests.count == 1)
      node.callbacks[1].answer("given")
      #expect(node.pollingDelay == Self.shortest)
    }
  }

  @Test func doesNotWaitForHiddenFieldsAndTexts() async throws {
    let client = try TestClient()
    let hidden = Wire.callback("HiddenValueCallback", [("id", "pushChallengeNumber")], inputs: [("IDToken2", "x")])
    let node = try await client.page(Wire.poll("1", extra: hidden, Wire.callback("TextOutputCallback")))
    #expect(node.pollingDelay == Self.shortest)
  }

  @Test @MainActor func looksAgainAfterTheWait() async throws {
    let client = try TestClient()
    let node = try await client.page(Wire.poll("5000", extra: Wire.name))
    node.callback(NameCallback.self)?.name = "x"
    let polling = Task { @MainActor in await code { try await node.poll() } }
    await client.environment.clock.waitForSleepers()
    node.callback(NameCallback.self)?.name = nil
    client.environment.clock.advance(by: .seconds(5))
    #expect(await polling.value == .invalidRequest)
    #expect(client.transport.requests.count == 1)
  }

  @Test func doesNotPollWithoutPollingCallback() async throws {
    let client = try TestClient()
    let node = try await client.page(Wire.step(Wire.callback("TextOutputCallback")))
    #expect(node.pollingDelay == nil)
    #expect(await code { try await node.poll() } == .invalidRequest)
  }

  @Test func endsWaitingWhenItsTaskIsCancelled() async throws {
    let client = try TestClient()
    let task = Task {
      let node = try #require(try await client.start(Wire.poll("5000")).continueNode)
      return await code { try await node.poll() }
    }
    await client.environment.clock.waitForSleepers()
    task.cancel()
    #expect(try await task.value == .appCanceled)
    #expect(client.transport.requests.count == 1)
  }
}
