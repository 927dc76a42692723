import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorPublicSuffix
import AuthenticatorTestSupport
import Synchronization
import Testing

@testable import AuthenticatorWebAuthn

/// An authenticator that hears neither its deadline nor its cancellation holds nobody beyond the own time limit.
@Suite("Abandoned requests") @MainActor struct AbandonedRequestTests {
  static let caller = WebAuthnCaller(origin: Platform.origin)
  /// The time limit of requests, and what is given beyond it.
  static let limit = Duration.seconds(60)
  static let patience = CeremonyGate.patience

  let ear = Ear()

  private func client(
    _ platform: Platform, deafIn call: DeafAuthenticator.Call
  ) async throws -> (WebAuthnClient, DeafAuthenticator) {
    let deaf = DeafAuthenticator(try await platform.authenticator().wrapped, in: call, ear)
    let client = WebAuthnClient(
      authenticator: WebAuthnPlatformAuthenticator(wrapping: deaf),
      configuration: WebAuthnClientConfiguration(
        publicSuffixes: try SystemPublicSuffixList(), defaultTimeout: Self.limit))
    return (client, deaf)
  }

  private func create(_ client: WebAuthnClient) -> Task<WebAuthnError?, Never> {
    Task { await error { try await client.create(json: .object(OptionsJSON.creation), caller: Self.caller) } }
  }

  private func get(
    _ client: WebAuthnClient, _ mediation: WebAuthnMediation = .optional
  ) -> Task<WebAuthnError?, Never> {
    Task {
      await error {
        try await client.get(json: .object(OptionsJSON.request), caller: Self.caller, mediation: mediation)
      }
    }
  }

  // MARK: The request itself

  @Test(arguments: DeafAuthenticator.Call.allCases, [false, true])
  func aRegistrationEndsAMomentAfterItsLimitAndLeavesNothing(
    _ call: DeafAuthenticator.Call, _ isCanceled: Bool
  ) async throws {
    let platform = try Platform(.match(), .match())
    let clock = platform.device.environment.clock
    let (client, deaf) = try await client(platform, deafIn: call)
    var options = OptionsJSON.creation
    // A statement of its own opens the key.
    options["attestation"] = "direct"
    let json = JSONValue.object(options)
    let request = Task { await error { try await client.create(json: json, caller: Self.caller) } }
    await ear.waitUntilAsked()
    if isCanceled { request.cancel() } else { clock.advance(by: Self.limit) }
    clock.advance(by: Self.patience)
    let failure = await request.value
    #expect(failure?.name == (isCanceled ? .abort : .notAllowed))
    #expect(failure?.cause?.code == (isCanceled ? .appCanceled : .timedOut))

    // What comes late is taken back, and nothing more is asked of the authenticator.
    ear.open()
    while client.gate.current != nil { await Task.yield() }
    #expect(deaf.calls.last == call)
    #expect(try await platform.records().isEmpty)
  }

  @Test(arguments: [false, true])
  func aSignInEndsAMomentAfterItsLimitAndCountsNothing(_ isCanceled: Bool) async throws {
    let platform = try Platform(.match(), .match())
    let clock = platform.device.environment.clock
    _ = try await platform.client().create(json: .object(OptionsJSON.creation), caller: Self.caller)
    let (client, _) = try await client(platform, deafIn: .authenticate)
    let request = get(client)
    await ear.waitUntilAsked()
    if isCanceled { request.cancel() } else { clock.advance(by: Self.limit) }
    clock.advance(by: Self.patience)
    #expect(await request.value?.cause?.code == (isCanceled ? .appCanceled : .timedOut))
    ear.open()
    while client.gate.current != nil { await Task.yield() }
    #expect(client.signIns.isEmpty)
  }

  // MARK: Later requests

  @Test func laterRequestsWaitInLineNoLongerThanTheirOwnLimit() async throws {
    let platform = try Platform(.match(), .match())
    let clock = platform.device.environment.clock
    let (client, deaf) = try await client(platform, deafIn: .verify)
    let stuck = create(client)
    await ear.waitUntilAsked()
    clock.advance(by: Self.limit + Self.patience)
    #expect(await stuck.value?.cause?.code == .timedOut)

    let second = create(client)
    while client.gate.current == 1 { await Task.yield() }
    clock.advance(by: Self.limit)
    let cause = await second.value?.cause
    #expect(cause?.code == .timedOut)
    #expect(cause?.reason == "an earlier request has not let go of the authenticator")

    let third = create(client)
    while client.gate.current == 2 { await Task.yield() }
    third.cancel()
    #expect(await third.value?.cause?.code == .appCanceled)

    let fourth = create(client)
    while client.gate.current == 3 { await Task.yield() }
    #expect(deaf.calls == [.verify])
    ear.open()
    #expect(await fourth.value == nil)
    #expect(deaf.overlap == 1)
    #expect(try await platform.records().map(\.state) == [.active])
  }

  @Test func aRequestThatIsTakenThePlaceOfEndsAMomentLater() async throws {
    let platform = try Platform(.match(), .match())
    let clock = platform.device.environment.clock
    let (client, deaf) = try await client(platform, deafIn: .verify)
    let stuck = create(client)
    await ear.waitUntilAsked()
    let second = create(client)
    while client.gate.current == 1 { await Task.yield() }
    clock.advance(by: Self.patience)
    #expect(await stuck.value?.cause?.code == .appCanceled)
    ear.open()
    #expect(await second.value == nil)
    #expect(deaf.overlap == 1)
  }

  @Test func aSuggestionWaitsBehindWhatIsAbandonedAndNotBehindWhoWaits() async throws {
    let platform = try Platform(.match())
    let clock = platform.device.environment.clock
    let (client, _) = try await client(platform, deafIn: .verify)
    let stuck = create(client)
    await ear.waitUntilAsked()
    stuck.cancel()
    clock.advance(by: Self.patience)
    #expect(await stuck.value?.name == .abort)

    let suggestion = get(client, .conditional)
    while client.gate.current == 1 { await Task.yield() }
    let button = create(client)
    #expect(await suggestion.value?.cause?.code == .appCanceled)
    #expect(await get(client, .conditional).value?.cause?.code == .busy)
    button.cancel()
    #expect(await button.value?.name == .abort)
    ear.open()
  }

  /// Who has left the line is kept in it, so it has an end. It opens again when the authenticator lets go.
  @Test func theLineHasAnEnd() async throws {
    let platform = try Platform()
    let (clock, environment) = (platform.device.environment.clock, platform.environment)
    let (gate, ear) = (CeremonyGate(), ear)
    let deadline = clock.uptime + Self.limit
    let run = { (body: @escaping @MainActor () async -> Void) in
      await code { try await gate.run(isConditional: false, until: deadline, in: environment) { _ in await body() } }
    }
    let deaf = Task { await run { await ear.listen() } }
    await ear.waitUntilAsked()
    var line: [Task<AuthenticatorError.Code?, Never>] = []
    for number in 2...CeremonyGate.maximumLine {
      line.append(Task { await run {} })
      while gate.current != number { await Task.yield() }
    }
    #expect(await run {} == .busy)
    #expect(gate.current == CeremonyGate.maximumLine)
    ear.open()
    for request in line.dropLast() { #expect(await request.value == .appCanceled) }
    #expect(await line.last?.value == .some(nil))
    _ = await deaf.value
    while gate.current != nil { await Task.yield() }
    #expect(await run {} == nil)
  }

  // MARK: Late results

  @Test func whatComesWhenTheCallerHasLeftIsHandedBack() async throws {
    let platform = try Platform()
    let (clock, environment) = (platform.device.environment.clock, platform.environment)
    let (gate, ear) = (CeremonyGate(), ear)
    var late: [Int] = []
    let request = Task {
      await code {
        try await gate.run(
          isConditional: false, until: clock.uptime + Self.limit, in: environment, late: { late.append($0) },
          { limit in
            // A later limit takes the place of the first.
            limit(clock.uptime + Self.limit * 2)
            await ear.listen()
            return 7
          })
      }
    }
    await ear.waitUntilAsked()
    clock.advance(by: Self.limit * 2)
    #expect(late.isEmpty && gate.current == 1)
    clock.advance(by: Self.patience)
    #expect(await request.value == .timedOut)
    ear.open()
    while gate.current != nil { await Task.yield() }
    #expect(late == [7])
  }

  /// The caller is cancelled while the work begins: that ends it all the same.
  @Test func aCancellationWhileTheWorkBeginsEndsTheWork() async throws {
    let environment = TestEnvironment().environment
    let caller = Mutex<Task<Void, any Error>?>(nil)
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    let task = Task {
      while caller.withLock({ $0 == nil }) { await Task.yield() }
      try await IsolatedRace.run(until: environment.uptime() + .seconds(3600), in: environment, stage: "test") {
        caller.withLock { $0 }?.cancel()
        do { try await Task.sleep(for: .seconds(60)) } catch { end.yield(true) }
        end.finish()
      }
    }
    caller.withLock { $0 = task }
    await #expect(throws: AuthenticatorError(.appCanceled)) { try await task.value }
    var hasEnded = false
    for await end in ends where end { hasEnded = true }
    #expect(hasEnded)
  }
}
