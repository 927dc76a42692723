import AuthenticatorCore
import AuthenticatorDeviceBinding
import AuthenticatorJourney
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

/// The shapes in which the product's source documents write their code, as far as they concern binding and journeys.
@Suite struct SeedSampleTests {
  /// A subclass of the allow-fallback authenticator with a say in the signing proof.
  private final class AuditedAuthenticator: BiometricDeviceCredentialAuthenticator, JWSSigningAuthenticator {
    var signatures = 0

    override func type() -> DeviceBindingAuthenticationType { .biometricAllowFallback }

    override func isSupported(attestation: Attestation) async -> Bool {
      await super.isSupported(attestation: attestation)
    }

    override func biometricDomainState() async throws -> [UInt8]? { try await super.biometricDomainState() }

    override func deleteKeys() async throws { try await super.deleteKeys() }

    func sign(params: UserKeySigningParameters, journey: JourneyContext?) async throws -> String {
      signatures += 1
      return try await standardProof(params)
    }
  }

  @Test func subclassBindsAndSigns() async throws {
    let kit = try BindingKit(steps: [.match(), .match()])
    let authenticator = AuditedAuthenticator(config: BiometricAuthenticatorConfig(), context: kit.device.context)
    let node = try await kit.page(BindingKit.binding("BIOMETRIC_ALLOW_FALLBACK"))
    for callback in node.callbacks {
      if let callback = callback as? DeviceBindingCallback {
        try await callback.bind(kit.configuration, with: authenticator)
      }
    }
    try await kit.accept(node)
    let (signNode, callback) = try await kit.signPage()
    let key = try await callback.sign(kit.configuration, with: authenticator)
    try await kit.accept(signNode)
    #expect(authenticator.signatures == 1)
    #expect(try await authenticator.biometricDomainState() == key.record.enrollmentState?.digest)

    kit.verifier.script([.match()])
    let opened = try await authenticator.authenticate(keyTag: key.tag, prompt: Prompt(reason: "Again"))
    #expect(try await opened.sign([1, 2, 3]).algorithm == .es256)
    try await authenticator.deleteKeys()
    #expect(try await kit.records().isEmpty)
  }

  @Test func changedFingersAskToBindAgain() async throws {
    let kit = try BindingKit()
    try await kit.bind("BIOMETRIC_ALLOW_FALLBACK", .match())
    try kit.verifier.enroll("left-thumb")
    let (_, callback) = try await kit.signPage()
    do {
      try await callback.sign(kit.configuration)
      Issue.record("signed")
    } catch let error as AuthenticatorError where error.code == .deviceNotRegistered {
      #expect(callback.clientError == "ClientNotRegistered")
    }
    try await kit.bind("BIOMETRIC_ALLOW_FALLBACK", .match())
    try await kit.sign(.match())
  }
}
