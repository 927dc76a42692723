import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorDeviceBinding
import AuthenticatorJOSE
import AuthenticatorJourney
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

/// Whose key signs.
@Suite struct KeySelectionTests {
  @Test func usesTheNamedUsersKey() async throws {
    let kit = try BindingKit()
    let mira = try await kit.bind(.match())
    let noor = try await kit.bind(user: BindingKit.noor, .match())
    #expect(try await kit.sign(user: .string(BindingKit.noor), .match()).tag == noor.tag)
    #expect(try await kit.sign(user: .string(BindingKit.mira), .match()).tag == mira.tag)
  }

  @Test(arguments: ["id=somebody", "", BindingKit.mira + " ", BindingKit.mira.uppercased()])
  func neverSignsForAnotherUser(_ user: String) async throws {
    let kit = try BindingKit()
    if !user.isEmpty {
      try await kit.bind(.match())
      try await kit.bind(user: BindingKit.noor, .match())
    }
    let prompts = kit.verifier.prompts.count
    kit.verifier.script([.match()])
    let (_, callback) = try await kit.signPage(user: .string(user))
    #expect(await thrown { try await callback.sign(kit.configuration) }?.code == .keyNotFound)
    #expect(callback.clientError == "ClientNotRegistered")
    #expect(callback.jws == nil)
    #expect(kit.verifier.prompts.count == prompts)
  }

  @Test func usesTheOnlyKeyWhenNobodyIsNamed() async throws {
    let kit = try BindingKit()
    let key = try await kit.bind(.match())
    #expect(try await kit.sign(user: "", .match()).tag == key.tag)
    #expect(try await kit.sign(user: .null, .match()).tag == key.tag)
  }

  @Test func asksAmongSeveral() async throws {
    var kit = try BindingKit()
    try await kit.bind("NONE")
    kit.clock.advance(by: .seconds(90))
    let noor = try await kit.bind("APPLICATION_PIN", user: BindingKit.noor, .pin("1234"))
    kit.configuration.keySelector = PromptingKeySelector(
      kit.verifier, prompt: Prompt(reason: "Who are you?"), environment: kit.device.environment.environment)
    let label = "noor-(APPLICATION_PIN)-(20231114 22:14:50)"
    #expect(try await kit.sign(user: "", .choose(label), .pin("1234")).tag == noor.tag)
    let question = try #require(kit.verifier.prompts.first { $0.kind == .choose })
    #expect(question.options == ["mira-(NONE)-(20231114 22:13:20)", label])
    #expect(question.reason == "Who are you?")
  }

  @Test(arguments: ["nobody to ask", "nil", "cancel", "foreign"])
  func neverGuessesAmongSeveral(_ how: String) async throws {
    var kit = try BindingKit()
    try await kit.bind(.match())
    try await kit.bind(user: BindingKit.noor, .match())
    let prompts = kit.verifier.prompts.count
    let elsewhere = try BindingKit(environment: TestEnvironment(seed: 2))
    let foreign = try await elsewhere.bind(.match())
    switch how {
    case "nobody to ask": break
    case "nil": kit.configuration.keySelector = Selector { _ in nil }
    case "cancel": kit.configuration.keySelector = Selector { _ in throw AuthenticatorError(.userCanceled) }
    default: kit.configuration.keySelector = Selector { _ in foreign }
    }
    kit.verifier.script([.match()])
    let (_, callback) = try await kit.signPage(user: "")
    let error = await thrown { try await callback.sign(kit.configuration) }
    #expect(
      error?.code
        == [
          "nobody to ask": .notInteractive, "nil": .userCanceled, "cancel": .userCanceled, "foreign": .invalidRequest,
        ][how])
    #expect(callback.clientError == "Abort")
    #expect(kit.verifier.prompts.count == prompts)
  }

  @Test func endsChoiceAtTheTimeLimit() async throws {
    var kit = try BindingKit()
    try await kit.bind("NONE")
    try await kit.bind("NONE", user: BindingKit.noor)
    kit.configuration.keySelector = Selector { _ in
      try await Task.sleep(for: .seconds(3600))
      return nil
    }
    let (_, callback) = try await kit.signPage(user: "", timeout: 10)
    let configuration = kit.configuration
    async let error = thrown { try await callback.sign(configuration) }
    await kit.clock.waitForSleepers()
    kit.clock.advance(by: .seconds(10))
    #expect(await error?.code == .timedOut)
    #expect(callback.clientError == "Timeout")
  }

  @Test func sortsByNameThenAge() async throws {
    var kit = try BindingKit()
    let seen = SeenKeys()
    try await kit.bind("NONE", user: BindingKit.noor)
    kit.clock.advance(by: .seconds(1))
    try await kit.bind("NONE", user: BindingKit.mira)
    kit.clock.advance(by: .seconds(1))
    try await kit.bind("NONE", user: "id=third")
    kit.configuration.keySelector = Selector { keys in
      await seen.note(keys)
      return keys.first
    }
    try await kit.sign(user: "")
    #expect(await seen.users == [BindingKit.mira, "id=third", BindingKit.noor])
  }

  @Test(
    arguments: [
      (0, "19700101 00:00:00"), (951_782_399_000, "20000228 23:59:59"), (951_825_600_000, "20000229 12:00:00"),
      (-1000, "19691231 23:59:59"), (4_102_444_800_000, "21000101 00:00:00"),
      (253_402_300_799_000, "99991231 23:59:59"), (.max, "99991231 23:59:59"), (.min, "00000101 00:00:00"),
    ] as [(Int64, String)])
  func writesDatesTheSameEverywhere(_ milliseconds: Int64, _ text: String) async throws {
    let environment = TestEnvironment(clock: ManualClock(now: UnixTime(milliseconds: milliseconds)))
    let kit = try BindingKit(environment: environment)
    kit.verifier.script([])
    let (_, callback) = try await kit.bindPage("NONE")
    #expect(try await callback.bind(kit.configuration).label == "mira-(NONE)-(\(text))")
  }
}

private struct Selector: UserKeySelector {
  let choose: @Sendable ([UserKey]) async throws -> UserKey?
  init(_ choose: @escaping @Sendable ([UserKey]) async throws -> UserKey?) { self.choose = choose }
  func selectKey(among keys: [UserKey]) async throws -> UserKey? { try await choose(keys) }
}

private actor SeenKeys {
  var users: [String] = []
  func note(_ keys: [UserKey]) { users = keys.map(\.userID) }
}
