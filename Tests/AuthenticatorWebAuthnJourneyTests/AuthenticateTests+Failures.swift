import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorRelyingParty
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

/// Failures, and asking for credentials of this device only.
extension AuthenticateTests {
  // MARK: Failures

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
    Refusal("a stranger", [.mismatch, .mismatch, .mismatch], .userVerificationFailed, "ERROR::NotAllowedError:"),
    Refusal("another relying party", [.match()], .relyingPartyRefused, "ERROR::SecurityError:") {
      $0["_relyingPartyId"] = "example.net"
    },
    Refusal("a credential that is not here", [.approve], .keyNotFound, "ERROR::NotAllowedError:") {
      $0["_allowCredentials"] = ServerData.allowed([1, 2, 3])
    },
    Refusal("credentials of other types only", [.match()], .notAllowed, "ERROR::NotAllowedError:") {
      $0["_allowCredentials"] = [["type": "other", "id": [1]]]
    },
    Refusal("an extension that needs a list", [.match()], .unsupported, "unsupported") {
      $0["extensions"] = ["prf": ["evalByCredential": ["AA": ["first": "AA"]]]]
    },
  ]

  @Test(arguments: refusals)
  func tellsAppAndServerWhy(_ refusal: Refusal) async throws {
    let kit = try WebAuthnKit()
    try await kit.register(.match())
    kit.verifier.script(refusal.steps)
    let (node, callback) = try await kit.authenticationPage(refusal.bend)
    let error = await thrown { try await callback.authenticate(kit.configuration, node: node) }
    #expect(error?.code == refusal.code)
    #expect(callback.outcome?.rawValue.hasPrefix(refusal.outcome) == true)
    try await kit.refuse(node)
    #expect(kit.sentOutcome == callback.outcome?.rawValue)
  }

  @Test func theServerLearnsNoMoreThanTheName() async throws {
    let kit = try WebAuthnKit(.approve)
    let (node, callback) = try await kit.authenticationPage()
    #expect(await thrown { try await callback.authenticate(kit.configuration, node: node) }?.code == .keyNotFound)
    #expect(node.webAuthnOutcome == WebAuthnOutcome(AuthenticatorError.Code.userCanceled))
  }

  @Test @MainActor func silenceEndsAtTheServersTimeLimit() async throws {
    let kit = try WebAuthnKit()
    try await kit.register(.match())
    kit.verifier.script([.noAnswer])
    let (node, callback) = try await kit.authenticationPage { $0["timeout"] = "1" }
    let task = Task { await thrown { try await callback.authenticate(kit.configuration, node: node) }?.code }
    await kit.clock.waitForSleepers(1)
    kit.clock.advance(by: .seconds(5))
    #expect(await task.value == .timedOut)
    #expect(node.webAuthnOutcome?.rawValue.hasPrefix("ERROR::TimeoutError:") == true)
  }

  // MARK: Local credentials only

  @Test func insistingOnLocalCredentialsEndsAtOnceWithoutOne() async throws {
    let kit = try WebAuthnKit(.approve)
    let (node, callback) = try await kit.authenticationPage()
    let error = await thrown {
      try await callback.authenticate(kit.configuration, node: node, preferImmediatelyAvailableCredentials: true)
    }
    #expect(error?.code == .keyNotFound)
    #expect(node.webAuthnOutcome?.rawValue.hasPrefix("ERROR::NotAllowedError:") == true)
    #expect(kit.promptKinds.isEmpty)
  }

  @Test func withoutInsistingAbsenceIsToldAfterAPrompt() async throws {
    let kit = try WebAuthnKit(.approve)
    let (node, callback) = try await kit.authenticationPage()
    let error = await thrown {
      try await callback.authenticate(kit.configuration, node: node, preferImmediatelyAvailableCredentials: false)
    }
    #expect(error?.code == .keyNotFound)
    #expect(kit.promptKinds == [.presence])
  }

  @Test func insistingOnLocalCredentialsSignsInWithOne() async throws {
    let kit = try WebAuthnKit()
    let credential = try await registered(kit)
    kit.verifier.script([.match()])
    let (node, callback) = try await kit.authenticationPage()
    try await callback.authenticate(kit.configuration, node: node, preferImmediatelyAvailableCredentials: true)
    #expect(try ServerSide().authenticate(node.webAuthnOutcome?.rawValue, with: credential) == "mira")
  }
}
