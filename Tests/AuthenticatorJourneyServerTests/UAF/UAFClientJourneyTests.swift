import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import AuthenticatorRelyingParty
import AuthenticatorTestSupport
import AuthenticatorUAF
import DeviceAuthenticators
import Testing

/// The package's own UAF client and the embedded server, from end to end.
@Suite struct UAFClientJourneyTests {
  private static let facet = "linux:exe:org.example.authenticator"

  private let device: TestDevice
  private let client: UAFClient
  private let kit: UAFKit

  init() async throws {
    let body = ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913")
    device = try TestDevice(
      body, instance: "https://rp.example", providers: [EmulatedHardware(algorithms: [.es256])])
    let model = UAFAuthenticatorModel(aaid: try #require(AAID("FFFF#A002")), behavior: .biometricWithState)
    client = try UAFClient(
      UAFClientConfiguration(context: device.context, authenticators: [model], responder: device.verifier))
    let statement: JSONValue = [
      "aaid": "FFFF#A002", "authenticatorVersion": .integer(Int64(model.authenticatorVersion)),
      "upv": [["major": 1, "minor": 1]], "assertionScheme": "UAFV1TLV",
      "authenticationAlgorithm": .integer(Int64(model.authenticationAlgorithm.rawValue)),
      "publicKeyAlgAndEncoding": .integer(Int64(model.publicKeyFormat.rawValue)), "attestationTypes": [15880],
      "userVerificationDetails": [[["userVerification": 2]]], "keyProtection": 6, "matcherProtection": 1,
      "attachmentHint": 1, "isSecondFactorOnly": false, "tcDisplay": 3, "attestationRootCertificates": [],
    ]
    let models = try UAFModels(json: [statement])
    kit = try await UAFKit {
      $0.models = models
      $0.transactionText = "Pay 10 EUR to Noor?"
    }
  }

  /// Has the client answer a step, and tells it what the server made of it.
  private func answer(_ page: Answer, steps: ScriptedStep...) async throws -> Answer {
    device.verifier.script(steps)
    let message = UAFMessage(try UAFKit.request(page).serializedString())
    let response = try await client.process(message, facetID: Self.facet)
    let next = try await kit.answer(page, response.uafProtocolMessage)
    try await client.notify(status: next.token != nil ? .ok : .accepted, of: response, facetID: Self.facet)
    return next
  }

  private func register() async throws {
    #expect(try await answer(try await kit.registrationStep(), steps: .match()).token != nil)
  }

  @Test func registersSignsInConfirmsAndDeregisters() async throws {
    try await register()
    #expect(try await answer(try await kit.authenticationStep(), steps: .match()).token != nil)
    #expect(
      try await answer(try await kit.authenticationStep(nil, journey: "LoginUAFUsernameless"), steps: .match()).token
        != nil)
    let payment = try await answer(
      try await kit.authenticationStep(journey: "ConfirmPayment"), steps: .approve, .match())
    #expect(payment.token != nil)
    #expect(device.verifier.prompts.contains { $0.content == "Pay 10 EUR to Noor?" })
    #expect(try await kit.keys().first?.registration.signCounter ?? 0 >= 3)
    #expect(kit.refusals.isEmpty)

    let removal = try await kit.harness.login(journey: "DeregisterUAF")
    #expect(try await answer(removal).token != nil)
    #expect(try await kit.keys().isEmpty)
    #expect(try await client.registrations(facetID: Self.facet).isEmpty)
  }

  @Test func aChangedSetOfFingersStepsUp() async throws {
    try await register()
    try device.verifier.enroll("left-thumb")
    let page = try await answer(try await kit.authenticationStep(), steps: .match())
    #expect(page.token == nil && page.types == ["NameCallback", "PasswordCallback"])
    #expect(try await kit.harness.post(kit.harness.credentials(page)).token != nil)
    #expect(try await answer(try await kit.authenticationStep(), steps: .match()).token != nil)
  }

  @Test func theFallbackButtonLeadsToThePassword() async throws {
    try await register()
    let page = try await kit.authenticationStep()
    device.verifier.script([.fallback])
    let result = await client.authenticate(
      UAFMessage(try UAFKit.request(page).serializedString()), facetID: Self.facet,
      extras: UAFExtras([.fallback(title: "Use password")]))
    #expect(result.outcome == .fallback)
    let next = try await kit.answer(page, "ERROR::\(result.errorCode.rawValue)::\(result.outcome.rawValue)")
    #expect(next.types == ["NameCallback", "PasswordCallback"])
    #expect(try await kit.harness.post(kit.harness.credentials(next)).token != nil)
  }

  @Test func aSecondRegistrationOnTheSameDeviceIsNotOffered() async throws {
    try await register()
    let page = try await kit.registrationStep()
    device.verifier.script([.match()])
    let result = await client.register(
      UAFMessage(try UAFKit.request(page).serializedString()), facetID: Self.facet)
    #expect(result.outcome == .noMatch)
  }
}
