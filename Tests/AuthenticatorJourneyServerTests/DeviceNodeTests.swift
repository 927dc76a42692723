import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

@Suite struct DeviceNodeTests {
  // MARK: Binding

  @Test(arguments: [
    ("BindDevice", "BIOMETRIC_ALLOW_FALLBACK", "Please complete with biometric or device passcode to proceed"),
    ("BindDeviceBiometricOnly", "BIOMETRIC_ONLY", "Please complete with biometric to proceed"),
    ("BindDevicePIN", "APPLICATION_PIN", "Please complete with your PIN to proceed"),
    ("BindDeviceNone", "NONE", "Please proceed to bind this device"),
  ]) func bindingAsksAsTheReferenceSaysInWordsThatFitTheMethod(journey: String, type: String, text: String) async throws
  {
    let harness = try await Harness()
    let page = try await harness.login(journey: journey)
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    let challenge = try #require(page.output(0, "challenge")?.stringValue)
    #expect(try Base64.decode(challenge).count == 32)
    let callback = try #require(page.body["callbacks"]?[0]?.objectValue)
    #expect(callback["type"] == "DeviceBindingCallback")
    #expect(
      callback["output"] == [
        ["name": "userId", "value": .string("id=\(user.id),ou=user,o=alpha,ou=services,ou=am-config")],
        ["name": "username", "value": "mira"], ["name": "authenticationType", "value": .string(type)],
        ["name": "challenge", "value": .string(challenge)],
        ["name": "title", "value": "Authentication required"],
        ["name": "subtitle", "value": "Cryptography device binding"],
        ["name": "description", "value": .string(text)],
        ["name": "timeout", "value": 60], ["name": "attestation", "value": false],
      ])
    #expect(
      callback["input"] == [
        ["name": "IDToken1jws", "value": ""], ["name": "IDToken1deviceName", "value": ""],
        ["name": "IDToken1deviceId", "value": ""], ["name": "IDToken1clientError", "value": ""],
      ])
  }

  @Test func bindsAndThenSignsIn() async throws {
    let harness = try await Harness()
    let device = try Device()
    #expect(try await harness.bind(device).token != nil)
    #expect(try await harness.sign(device).token != nil)
    let stored = try #require(
      try await harness.registry.device("key-1", family: .binding, realm: harness.realm))
    #expect(stored.name == "Test device")
    #expect(stored.deviceID == "device-1")
  }

  @Test func neverTakesAChallengeTwice() async throws {
    let harness = try await Harness()
    let device = try Device()
    _ = try await harness.bind(device)
    let name = try await harness.start("SignDevice")
    let page = try await harness.post(name.filled([0: ["": "mira"]]))
    let proof: JSONValue = .string(try device.proof(for: page, now: harness.clock.now.seconds))
    #expect(try await harness.post(page.filled([0: ["jws": proof]])).token != nil)
    #expect(try await harness.post(page.filled([0: ["jws": proof]])).status == 401)
    // Nor does another run take the proof for its own challenge.
    let second = try await harness.start("SignDevice")
    let question = try await harness.post(second.filled([0: ["": "mira"]]))
    #expect(try await harness.post(question.filled([0: ["jws": proof]])).status == 401)
    #expect(harness.events.all.contains(.proofRefused(journey: "SignDevice", check: "challenge")))
  }

  @Test func bindsTheSameKeyAgainButNoOtherUnderItsName() async throws {
    let harness = try await Harness()
    let device = try Device()
    #expect(try await harness.bind(device).token != nil)
    // The answer was lost, and the device tries again.
    #expect(try await harness.bind(device).token != nil)
    // Another key of the same name, and the same key for somebody else.
    #expect(try await harness.bind(try Device()).status == 401)
    #expect(try await harness.bind(device, user: "noor").status == 401)
    #expect(harness.events.all.contains(.proofRefused(journey: "BindDevice", check: "keyTaken")))
    let noor = try #require(try await harness.registry.user(named: "noor", in: harness.realm))
    let devices = try await harness.registry.devices(ofUser: noor.id, family: .binding, realm: harness.realm)
    #expect(devices.isEmpty)
    #expect(try await harness.sign(device).token != nil)
  }

  @Test func limitsTheDevicesOfAUser() async throws {
    let harness = try await Harness()
    for index in 0..<2 {
      #expect(try await harness.bind(try Device(keyID: "k\(index)"), journey: "BindDeviceLimited").token != nil)
    }
    // The limit is reached before the device is asked.
    #expect(try await harness.login(journey: "BindDeviceLimited").status == 401)
    #expect(try await harness.login("noor", journey: "BindDeviceLimited").types == ["DeviceBindingCallback"])
  }

  @Test func limitsTheDevicesAlsoOfParallelBindings() async throws {
    let harness = try await Harness()
    // All of them are asked before any of them answers.
    var steps: [JSONValue] = []
    for index in 0..<8 {
      let page = try await harness.login(journey: "BindDeviceLimited")
      let answer = try Device(keyID: "k\(index)").bindingAnswer(to: page, now: harness.clock.now.seconds)
      steps.append(page.filled([0: answer]))
    }
    let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
      for step in steps { group.addTask { try await harness.post(step).token != nil } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 2)
  }

  @Test(arguments: ["Unsupported", "Abort", "Timeout"]) func bindingEndsWithTheClientsWord(word: String) async throws {
    let tree = try JourneyTree("Words") {
      TreeStep("name", UsernameCollector()).next("bind")
      TreeStep("bind", DeviceBindingNode()).on(NodeOutcome(rawValue: word), to: "reached").otherwise(.failure)
      TreeStep("reached", TextOutputNode("reached")).next(.failure)
    }
    let harness = try await Harness(journeys: [tree])
    for (answer, isReached) in [(word, true), (word.lowercased(), false), ("Other", false)] {
      let name = try await harness.start("Words")
      let page = try await harness.post(name.filled([0: ["": "mira"]]))
      let end = try await harness.post(page.filled([0: ["clientError": .string(answer)]]))
      #expect((end.output(0, "message") == "reached") == isReached)
    }
  }

  @Test func clientErrorOutcomesCanBeChosen() {
    let node = DeviceBindingNode(maxSavedDevices: 1, clientErrorOutcomes: ["Gone", "Away"])
    #expect(node.outcomes == ["success", "failure", "exceedDeviceLimit", "Gone", "Away"])
    #expect(DeviceBindingNode().outcomes == ["success", "failure", "Unsupported", "Abort", "Timeout"])
    #expect(
      DeviceSigningVerifierNode().outcomes
        == ["success", "failure", "keyNotFound", "Unsupported", "Abort", "Timeout", "ClientNotRegistered"])
  }

  @Test func refusesABindingThatIsIncomplete() async throws {
    let harness = try await Harness()
    let device = try Device()
    for missing in ["jws", "deviceId"] {
      let page = try await harness.login(journey: "BindDevice")
      var answer = try device.bindingAnswer(to: page, now: harness.clock.now.seconds)
      answer[missing] = ""
      #expect(try await harness.post(page.filled([0: answer])).status == 401)
    }
  }

  @Test func refusesForeignApplicationsUnlessTheNodeNamesThem() async throws {
    let tree = try JourneyTree("App") {
      TreeStep("name", UsernameCollector()).next("bind")
      TreeStep("bind", DeviceBindingNode(applicationIDs: ["com.example.app"])).on(.success, to: .success)
        .otherwise(.failure)
    }
    let harness = try await Harness(journeys: try BuiltInJourneys.all() + [tree])
    var device = try Device()
    device.application = "com.example.app"
    #expect(try await harness.bind(device).status == 401)
    let name = try await harness.start("App")
    let page = try await harness.post(name.filled([0: ["": "mira"]]))
    let answer = try device.bindingAnswer(to: page, now: harness.clock.now.seconds)
    #expect(try await harness.post(page.filled([0: answer])).token != nil)
  }

  @Test func shortensAndCleansDeviceNames() async throws {
    let harness = try await Harness()
    var device = try Device()
    device.name = "a\u{202E}b\r\nSet-Cookie: x" + String(repeating: "y", count: 500)
    _ = try await harness.bind(device)
    let stored = try #require(
      try await harness.registry.device("key-1", family: .binding, realm: harness.realm))
    #expect(stored.name.hasPrefix("abSet-Cookie: xy"))
    #expect(stored.name.count == 128)
  }

  @Test func attestationNeedsAJudge() async throws {
    let device = try Device()
    func bind(_ harness: Harness) async throws -> Answer {
      let page = try await harness.login(journey: "BindDeviceAttested")
      #expect(page.output(0, "attestation") == true)
      let proof = try device.proof(for: page, binding: true, now: harness.clock.now.seconds) { header, _ in
        var jwk = header["jwk"]?.objectValue ?? [:]
        jwk["x5c"] = [.string(Base64.encode([1, 2, 3]))]
        header["jwk"] = .object(jwk)
      }
      return try await harness.post(page.filled([0: ["jws": .string(proof), "deviceId": "d"]]))
    }
    #expect(try await bind(try await Harness()).status == 401)
    let asked = Ledger<[[UInt8]]>()
    for verdict in [true, false] {
      let harness = try await Harness { configuration in
        configuration.attestationJudge = { certificates, challenge, _ in
          asked.append(certificates)
          return verdict && !challenge.isEmpty
        }
      }
      #expect((try await bind(harness).token != nil) == verdict)
      #expect(try await harness.bind(try Device(keyID: "bare"), journey: "BindDeviceAttested").status == 401)
    }
    #expect(asked.all == [[[1, 2, 3]], [[1, 2, 3]]])
  }

  @Test func storesAPostponedDeviceLater() async throws {
    let harness = try await Harness()
    let device = try Device()
    #expect(try await harness.bind(device, journey: "BindDevicePostponed").token != nil)
    #expect(try await harness.sign(device).token != nil)
    #expect(try await harness.bind(try Device(), journey: "BindDevicePostponed").status == 401)
    let alone = try await Harness(journeys: [
      try JourneyTree("Alone") {
        TreeStep("store", DeviceBindingStorage()).on(.true, to: .success).on(.false, to: .failure)
      }
    ])
    #expect(try await alone.start("Alone").status == 401)
  }
}
