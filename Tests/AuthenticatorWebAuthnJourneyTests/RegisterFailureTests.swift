import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

@Suite struct RegisterFailureTests {
  struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: [ScriptedStep]
    let code: AuthenticatorError.Code
    let outcome: String
    let bend: @Sendable (inout JSONObject) -> Void
    init(
      _ what: String, _ steps: [ScriptedStep], _ code: AuthenticatorError.Code, _ outcome: String,
      _ bend: @escaping @Sendable (inout JSONObject) -> Void = { _ in }
    ) {
      testDescription = what
      self.steps = steps
      self.code = code
      self.outcome = outcome
      self.bend = bend
    }
  }

  static let refusals: [Refusal] = [
    Refusal("the person cancels", [.cancel], .userCanceled, "ERROR::NotAllowedError:"),
    Refusal("the system cancels", [.systemCancel], .systemCanceled, "ERROR::NotAllowedError:"),
    Refusal(
      "a stranger", [.mismatch, .mismatch, .mismatch], .userVerificationFailed, "ERROR::NotAllowedError:"),
    Refusal("no algorithm we have", [.match()], .unsupportedAlgorithm, "unsupported") {
      $0["_pubKeyCredParams"] = [["type": "public-key", "alg": -65535]]
    },
    Refusal("no credential type we have", [.match()], .unsupported, "unsupported") {
      $0["_pubKeyCredParams"] = [["type": "other", "alg": -7]]
    },
    Refusal("another relying party", [.match()], .relyingPartyRefused, "ERROR::SecurityError:") {
      $0["_relyingPartyId"] = "example.net"
    },
    Refusal("an authenticator apart from the device", [.match()], .notAllowed, "ERROR::NotAllowedError:") {
      $0["_authenticatorSelection"] = ["authenticatorAttachment": "cross-platform"]
    },
    Refusal("extensions that cannot be read", [.match()], .unsupported, "unsupported") {
      $0["extensions"] = ["largeBlob": ["read": true]]
    },
  ]

  @Test(arguments: refusals)
  func tellsAppAndServerWhy(_ refusal: Refusal) async throws {
    let kit = try WebAuthnKit()
    kit.verifier.script(refusal.steps)
    let (node, callback) = try await kit.registrationPage(refusal.bend)
    let error = await thrown { try await callback.register(kit.configuration, node: node) }
    #expect(error?.code == refusal.code)
    #expect(callback.outcome?.rawValue.hasPrefix(refusal.outcome) == true)
    try await kit.refuse(node)
    #expect(kit.sentOutcome == callback.outcome?.rawValue)
    #expect(try await kit.records().isEmpty)
  }

  @Test func aDeviceThatCannotVerifyIsAConstraint() async throws {
    let kit = try WebAuthnKit(
      .approve, type: .biometricOnly, body: ScriptedDevice(sensor: .fingerprint, enrolled: [], passcode: "482913"))
    let (node, callback) = try await kit.registrationPage {
      $0["_authenticatorSelection"] = ["userVerification": "required"]
    }
    let error = await thrown { try await callback.register(kit.configuration, node: node) }
    #expect(error?.code == .biometryNotEnrolled)
    #expect(node.webAuthnOutcome?.rawValue.hasPrefix("ERROR::ConstraintError:") == true)
  }

  @Test func silenceEndsAtTheServersTimeLimit() async throws {
    let kit = try WebAuthnKit(.noAnswer)
    kit.transport.add(
      json: WebAuthnKit.step([
        WebAuthnKit.metadata(ServerData.registration { $0["timeout"] = "30000" }), WebAuthnKit.hidden,
      ]))
    let clock = kit.clock
    let task = Task { () -> (AuthenticatorError.Code?, Duration, String?) in
      let node = try #require(try await kit.journey.start("Journey").continueNode)
      let callback = try #require(node.callback(WebAuthnRegistrationCallback.self))
      let code = await thrown { try await callback.register(kit.configuration, node: node) }?.code
      return (code, clock.uptime, node.webAuthnOutcome?.rawValue)
    }
    await clock.waitForSleepers(1)
    clock.advance(by: .milliseconds(29_999))
    clock.advance(by: .milliseconds(1))
    let (code, uptime, outcome) = try await task.value
    #expect(code == .timedOut)
    #expect(uptime == .seconds(1030))
    #expect(outcome?.hasPrefix("ERROR::TimeoutError:") == true)
  }

  /// The app's own limit ends a ceremony sooner, also below what a server's is held to, and never later.
  @Test(arguments: [(3, 30, 3), (20, 30, 20), (40, 30, 30), (900, 2, 5)])
  func theShorterLimitHolds(own: Int, servers: Int, ends: Int) async throws {
    var kit = try WebAuthnKit(.noAnswer)
    kit.configuration.timeLimit = .seconds(own)
    let configuration = kit.configuration
    kit.transport.add(
      json: WebAuthnKit.step([
        WebAuthnKit.metadata(ServerData.registration { $0["timeout"] = .string("\(servers * 1000)") }),
        WebAuthnKit.hidden,
      ]))
    let (journey, clock) = (kit.journey, kit.clock)
    let begin = clock.uptime
    let task = Task { () -> (AuthenticatorError.Code?, Duration) in
      let node = try #require(try await journey.start("Journey").continueNode)
      let callback = try #require(node.callback(WebAuthnRegistrationCallback.self))
      #expect(callback.timeout == .seconds(max(servers, 5)), "what the server asked for stays to be read")
      let code = await thrown { try await callback.register(configuration, node: node) }?.code
      return (code, clock.uptime)
    }
    while kit.verifier.prompts.isEmpty { await Task.yield() }
    clock.advance(by: .seconds(ends) - .milliseconds(1))
    #expect(kit.verifier.prompts.map(\.result) == [nil])
    clock.advance(by: .milliseconds(1))
    let (code, uptime) = try await task.value
    #expect(code == .timedOut)
    #expect(uptime - begin == .seconds(ends))
  }

  @Test func theClientsOwnLimitsDoNotCount() async throws {
    var kit = try WebAuthnKit(.noAnswer)
    kit.configuration.client.timeouts = .seconds(1) ... .seconds(2)
    let configuration = kit.configuration
    kit.transport.add(
      json: WebAuthnKit.step([
        WebAuthnKit.metadata(ServerData.registration { $0["timeout"] = "30000" }), WebAuthnKit.hidden,
      ]))
    let (journey, clock) = (kit.journey, kit.clock)
    let task = Task { () -> AuthenticatorError.Code? in
      let node = try #require(try await journey.start("Journey").continueNode)
      let callback = try #require(node.callback(WebAuthnRegistrationCallback.self))
      return await thrown { try await callback.register(configuration, node: node) }?.code
    }
    await clock.waitForSleepers(1)
    while kit.verifier.prompts.isEmpty { await Task.yield() }
    clock.advance(by: .seconds(29))
    kit.verifier.perform(.cancel)
    #expect(kit.verifier.prompts.map(\.result) == [nil])
    clock.advance(by: .seconds(1))
    #expect(try await task.value == .timedOut)
  }

  @Test func aCancelledTaskIsAnAbort() async throws {
    let kit = try WebAuthnKit(.noAnswer)
    kit.transport.add(
      json: WebAuthnKit.step([WebAuthnKit.metadata(ServerData.registration()), WebAuthnKit.hidden]))
    let (journey, configuration) = (kit.journey, kit.configuration)
    let task = Task { () -> (AuthenticatorError.Code?, String?) in
      let node = try #require(try await journey.start("Journey").continueNode)
      let callback = try #require(node.callback(WebAuthnRegistrationCallback.self))
      let code = await thrown { try await callback.register(configuration, node: node) }?.code
      return (code, node.webAuthnOutcome?.rawValue)
    }
    await kit.clock.waitForSleepers(1)
    task.cancel()
    let (code, outcome) = try await task.value
    #expect(code == .appCanceled)
    #expect(outcome?.hasPrefix("ERROR::AbortError:") == true)
    #expect(try await kit.records().isEmpty)
  }

  // MARK: An excluded credential

  @Test(arguments: [true, false])
  func tellsAnExcludedCredentialOnlyWhenThePersonAgrees(_ agrees: Bool) async throws {
    let kit = try WebAuthnKit()
    let id = try await kit.register(.match())
    kit.verifier.script(agrees ? [.approve] : [.refuse])
    let (node, callback) = try await kit.registrationPage { $0["_excludeCredentials"] = ServerData.allowed(id.bytes) }
    let error = await thrown { try await callback.register(kit.configuration, node: node) }
    #expect(error?.code == (agrees ? .credentialExcluded : .userCanceled))
    let name = agrees ? "InvalidStateError" : "NotAllowedError"
    #expect(node.webAuthnOutcome?.rawValue.hasPrefix("ERROR::\(name):") == true)
    #expect(try await kit.records().count == 1)
  }
}
