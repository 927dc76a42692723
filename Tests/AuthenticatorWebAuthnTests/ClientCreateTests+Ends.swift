import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import Testing
@testable import AuthenticatorWebAuthn

/// Registering in the background, and how requests end.
extension ClientCreateTests {
  // MARK: In the background

  @Test func conditionalCreateFollowsASignIn() async throws {
    let platform = try Platform(.match(), .match())
    let client = try await platform.client()
    var options = OptionsJSON.creation
    options["authenticatorSelection"] = ["residentKey": "required", "userVerification": "preferred"]
    options["user"] = ["id": "Ym9i", "name": "bob", "displayName": "Bob"]
    let conditional = JSONValue.object(options)
    func create() async -> DOMExceptionName? {
      await name { try await client.create(json: conditional, caller: Self.caller, mediation: .conditional) }
    }
    #expect(await create() == .notAllowed)
    _ = try await client.create(json: .object(OptionsJSON.creation), caller: Self.caller)
    _ = try await client.get(json: .object(OptionsJSON.request), caller: Self.caller)
    let shown = platform.promptKinds.count
    #expect(await create() == nil)
    #expect(platform.promptKinds.count == shown)
    let required = JSONValue.object(OptionsJSON.creation)
    #expect(
      await name { try await client.create(json: required, caller: Self.caller, mediation: .conditional) }
        == .constraint)
    platform.device.environment.clock.advance(by: .seconds(301))
    #expect(await create() == .notAllowed)
  }

  // MARK: Ends

  @Test(arguments: [(1, 5), (60_000, 60), (4_000_000_000, 600), (nil, 300)] as [(Int?, Int)])
  func holdsTheTimeLimitToItsBounds(_ milliseconds: Int?, _ seconds: Int) async throws {
    let platform = try Platform(.noAnswer)
    let clock = platform.device.environment.clock
    var options = OptionsJSON.creation
    options["timeout"] = milliseconds.map { .integer(Int64($0)) }
    let json = JSONValue.object(options)
    let task = Task { await error { try await platform.client().create(json: json, caller: Self.caller) } }
    while platform.promptKinds.isEmpty { await Task.yield() }
    clock.advance(by: .seconds(seconds) - .milliseconds(1))
    #expect(platform.device.verifier.prompts.map(\.result) == [nil])
    clock.advance(by: .milliseconds(1))
    let failure = await task.value
    #expect(failure?.name == .notAllowed)
    #expect(failure?.cause?.code == .timedOut)
    #expect(try await platform.records().isEmpty)
  }

  @Test func aCancelledRequestIsAborted() async throws {
    let platform = try Platform(.noAnswer)
    let task = Task {
      await name { try await platform.client().create(json: .object(OptionsJSON.creation), caller: Self.caller) }
    }
    await platform.device.environment.clock.waitForSleepers()
    task.cancel()
    #expect(await task.value == .abort)
    #expect(try await platform.records().isEmpty)
  }
}
