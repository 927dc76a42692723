import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

@Suite struct WebAuthnDeviceStorageTests {
  @Test func storesAPostponedDeviceLater() async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    passkey.counter = 9
    #expect(try await harness.register(&passkey, journey: "RegisterWebAuthnPostponed", name: "Key").token != nil)
    let device = try #require(try await harness.webAuthnDevices().first)
    #expect(device.name == "Key" && device.counter == 9 && device.attributes["rpId"] == "id.example.org")
    passkey.counter = 10
    #expect(try await harness.authenticate(passkey).token != nil)
    // The id is taken by now.
    #expect(try await harness.register(&passkey, journey: "RegisterWebAuthnPostponed").status == 401)
  }

  @Test(arguments: [
    ("nothing", "failure"), ("limit", "exceedDeviceLimit"), ("other", "failure"), ("inactive", "failure"),
    ("nonsense", "failure"), ("whole", "success"),
  ]) func storageEndsWithItsOutcome(what: String, outcome: String) async throws {
    struct Change: TreeNode {
      static let nodeType = "Change"
      let outcomes: [NodeOutcome] = [.outcome]
      let what: String
      func process(_ context: inout NodeContext) async throws -> NodeResult {
        guard context.answers != nil else { return .ask([.textOutput("stop")]) }
        switch what {
        case "nothing": context.state.transient["webauthnDeviceData"] = nil
        case "other": context.state.username = "noor"
        case "nonsense": context.state.transient["webauthnDeviceData"] = ["id": "a"]
        default: break
        }
        return .done(.outcome)
      }
    }
    let register = WebAuthnRegistrationNode {
      $0.postponesStorage = true
      $0.maxSavedDevices = 1
    }
    #expect(register.outcomes == ["success", "failure", "unsupported", "error"])
    let storage = WebAuthnDeviceStorage(maxSavedDevices: 1)
    let tree = try JourneyTree("Postponed") {
      TreeStep("name", UsernameCollector()).next("register")
      TreeStep("register", register).on(.success, to: "change").otherwise(.failure)
      TreeStep("change", Change(what: what)).next("store")
      TreeStep("store", storage).on(.success, to: "success").on(.failure, to: "failure")
        .on(WebAuthnRegistrationNode.exceedDeviceLimit, to: "limit")
      for (name, text) in [("success", "success"), ("failure", "failure"), ("limit", "exceedDeviceLimit")] {
        TreeStep(name, TextOutputNode(text)).next(.failure)
      }
    }
    let harness = try await Harness.webAuthn(journeys: try BuiltInJourneys.all() + [tree])
    if what == "limit" {
      var first = try Passkey()
      try await harness.register(&first)
    }
    let page = try await harness.question("Postponed", user: "mira")
    let stop = try await harness.post(try page.answered(try Passkey().registration(for: page)))
    if what == "inactive" {
      #expect(try await harness.server.setActive(false, userNamed: "mira", in: harness.realm))
    }
    #expect(try await harness.post(stop.body).output(0, "message") == .string(outcome))
    #expect(try await harness.webAuthnDevices().count == (outcome == "failure" ? 0 : 1))
  }
}
