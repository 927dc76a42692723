import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorDeviceBinding
import AuthenticatorJourney
import Testing

@Suite struct CallbackReadingTests {
  private func read<Class: Callback>(_ type: Class.Type, _ json: JSONValue) throws -> Class {
    try type.init(
      CallbackPayload(
        try #require(json.objectValue),
        context: CallbackContext(
          journey: JourneyContext(instance: BindingKit.instance, realm: "/alpha", journey: "J"))))
  }

  @Test func readsBindingCallback() throws {
    let callback = try read(DeviceBindingCallback.self, BindingKit.binding("APPLICATION_PIN", attestation: true))
    #expect(callback.userID == BindingKit.mira)
    #expect(callback.userName == "mira")
    #expect(callback.authenticationType == .applicationPIN)
    #expect(callback.challenge == "q3PzJ0mYtS2m0Q+/=")
    #expect(callback.title == "Server title")
    #expect(callback.subtitle == "Server subtitle")
    #expect(callback.promptDescription == "Server reason")
    #expect(callback.timeout == .seconds(60))
    #expect(callback.wantsAttestation)
  }

  @Test func readsSigningCallback() throws {
    let callback = try read(DeviceSigningVerifierCallback.self, BindingKit.signing())
    #expect(callback.userID == BindingKit.mira)
    #expect(callback.challenge == "8Z1nC5aLh7Rw4U+/=")
    #expect(callback.title == "Confirm")
    #expect(callback.timeout == .seconds(60))
  }

  @Test(arguments: ["" as JSONValue, .null])
  func readsUsernamelessSigning(_ user: JSONValue) throws {
    #expect(try read(DeviceSigningVerifierCallback.self, BindingKit.signing(user: user)).userID == nil)
    #expect(try read(DeviceSigningVerifierCallback.self, BindingKit.signing(leavingOut: "userId")).userID == nil)
  }

  @Test(arguments: ["userId", "username", "authenticationType", "challenge", "title", "subtitle", "description"])
  func namesMissingBindingOutput(_ name: String) throws {
    expectMissing("Missing output \(name) in DeviceBindingCallback") {
      try read(DeviceBindingCallback.self, BindingKit.binding(leavingOut: name))
    }
  }

  @Test(arguments: ["jws", "deviceName", "deviceId", "clientError"])
  func namesMissingBindingInput(_ name: String) throws {
    expectMissing("Missing input IDToken…\(name) in DeviceBindingCallback") {
      try read(DeviceBindingCallback.self, BindingKit.binding(leavingOut: name))
    }
  }

  @Test(arguments: ["challenge", "title", "subtitle", "description"])
  func namesMissingSigningOutput(_ name: String) throws {
    expectMissing("Missing output \(name) in DeviceSigningVerifierCallback") {
      try read(DeviceSigningVerifierCallback.self, BindingKit.signing(leavingOut: name))
    }
  }

  @Test(arguments: ["jws", "clientError"])
  func namesMissingSigningInput(_ name: String) throws {
    expectMissing("Missing input IDToken…\(name) in DeviceSigningVerifierCallback") {
      try read(DeviceSigningVerifierCallback.self, BindingKit.signing(leavingOut: name))
    }
  }

  private func expectMissing(_ reason: String, _ body: () throws -> some Any) {
    do {
      _ = try body()
      Issue.record("accepted")
    } catch {
      #expect((error as? AuthenticatorError)?.code == .invalidMessage)
      #expect((error as? AuthenticatorError)?.reason == reason)
    }
  }

  @Test func missingFieldEndsTheStartTyped() async throws {
    let kit = try BindingKit()
    let error = await thrown { try await kit.page(BindingKit.binding(leavingOut: "challenge")) }
    #expect(error?.code == .invalidMessage)
  }

  @Test(
    arguments: [
      (nil, .seconds(60)), (30, .seconds(30)), ("30", .seconds(30)), (0, .zero), (-4, .zero),
      (1_000_000_000_000, .seconds(3600)), (.null, .seconds(60)),
    ] as [(JSONValue?, Duration)])
  func readsTimeout(_ value: JSONValue?, _ expected: Duration) throws {
    let omitted = value == nil ? "timeout" : nil
    let binding = BindingKit.binding(timeout: value ?? 0, leavingOut: omitted)
    let signing = BindingKit.signing(timeout: value ?? 0, leavingOut: omitted)
    #expect(try read(DeviceBindingCallback.self, binding).timeout == expected)
    #expect(try read(DeviceSigningVerifierCallback.self, signing).timeout == expected)
  }

  @Test(arguments: ["soon", true, [], 1.5] as [JSONValue])
  func refusesTimeoutThatIsNoNumber(_ value: JSONValue) {
    #expect(throws: AuthenticatorError(.invalidMessage)) {
      try read(DeviceBindingCallback.self, BindingKit.binding(timeout: value))
    }
  }

  @Test func readsAttestation() throws {
    #expect(try !read(DeviceBindingCallback.self, BindingKit.binding(leavingOut: "attestation")).wantsAttestation)
    #expect(try read(DeviceBindingCallback.self, BindingKit.binding(attestation: "true")).wantsAttestation)
    #expect(throws: AuthenticatorError(.invalidMessage)) {
      try read(DeviceBindingCallback.self, BindingKit.binding(attestation: "REQUIRED"))
    }
  }

  @Test func knowsTheServersWords() {
    #expect(
      [
        WireAuthenticationType.biometricOnly, .biometricAllowFallback, .applicationPIN, WireAuthenticationType.none,
      ].map(\.rawValue) == ["BIOMETRIC_ONLY", "BIOMETRIC_ALLOW_FALLBACK", "APPLICATION_PIN", "NONE"])
    var table = WireAuthenticationTable.standard
    #expect(table[.biometricOnly] == .biometricOnly)
    #expect(table[.biometricAllowFallback] == .biometricAllowFallback)
    #expect(table[.applicationPIN] == .applicationPIN)
    #expect(table[WireAuthenticationType.none] == AuthenticatorType.none)
    #expect(table[WireAuthenticationType(rawValue: "biometric_only")] == nil)
    table[.biometricAllowFallback] = .devicePasscode
    #expect(table[.biometricAllowFallback] == .devicePasscode)
    table[.biometricAllowFallback] = nil
    #expect(table[.biometricAllowFallback] == nil)
  }
}
