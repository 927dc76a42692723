import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

/// The platform's passkeys, played.
@Suite struct PasskeyTests {
  /// A kit whose platform has passkeys, and maybe a phone.
  private func kitWithPasskeys(
    phone: Bool = false, origin: (@Sendable (String) -> String)? = nil
  ) throws -> (kit: WebAuthnKit, platform: ScriptedPasskeyProvider) {
    var kit = try WebAuthnKit()
    let environment = kit.device.environment
    let device = try TestDevice(instance: "platform", environment: environment)
    let other = phone ? try TestDevice(instance: "phone", environment: environment) : nil
    let platform =
      origin.map { ScriptedPasskeyProvider(device: device, phone: other, origin: $0) }
      ?? ScriptedPasskeyProvider(device: device, phone: other)
    kit.configuration.passkeyProvider = platform
    return (kit, platform)
  }

  private func register(
    _ kit: WebAuthnKit, _ platform: ScriptedPasskeyProvider, user: String = "mira", displayName: String = "Mira M."
  ) async throws {
    platform.device.verifier.perform(.match())
    let (node, callback) = try await kit.registrationPage {
      ServerData.bend(&$0, user: user, displayName: displayName)
    }
    try await callback.register(kit.configuration, node: node)
    try await kit.accept(node)
  }

  // MARK: Registering

  @Test func aPasskeyIsMadeByThePlatform() async throws {
    let (kit, platform) = try kitWithPasskeys()
    try await register(kit, platform)
    #expect(try ServerSide().register(kit.sentOutcome).credential.backedUp)
    #expect(try await kit.records().isEmpty)
    #expect(try await platform.passkeys(of: WebAuthnKit.party).map(\.userName) == ["mira"])
    #expect(kit.promptKinds.isEmpty)
  }

  @Test func whoDoesNotWantPasskeysGetsACredentialOfOurs() async throws {
    let (kit, platform) = try kitWithPasskeys()
    kit.verifier.script([.match()])
    let (node, callback) = try await kit.registrationPage()
    try await callback.register(kit.configuration, node: node, usePasskeysIfAvailable: false)
    #expect(try await kit.records().count == 1)
    #expect(platform.calls.isEmpty)
  }

  @Test func aPlatformWithoutPasskeysNowIsPassedOver() async throws {
    let (kit, platform) = try kitWithPasskeys()
    platform.setAvailable(false)
    kit.verifier.script([.match()])
    let (node, callback) = try await kit.registrationPage()
    try await callback.register(kit.configuration, node: node, usePasskeysIfAvailable: true)
    #expect(try await kit.records().count == 1)
    #expect(platform.calls.isEmpty)
  }

  @Test func withoutAProviderWantingPasskeysChangesNothing() async throws {
    let kit = try WebAuthnKit(.match(), .match())
    let (node, callback) = try await kit.registrationPage {
      ServerData.bend(&$0, user: "mira", displayName: "Mira M.")
    }
    try await callback.register(kit.configuration, node: node, usePasskeysIfAvailable: true)
    try await kit.accept(node)
    let (next, authentication) = try await kit.authenticationPage()
    try await authentication.authenticate(kit.configuration, node: next, usePasskeysIfAvailable: true)
    #expect(kit.promptKinds == [.biometric, .biometric])
  }

  // MARK: Signing in

  @Test func signsInWithAPasskey() async throws {
    let (kit, platform) = try kitWithPasskeys()
    try await register(kit, platform)
    let credential = try ServerSide().register(kit.sentOutcome).credential
    platform.device.verifier.perform(.match())
    let (node, callback) = try await kit.authenticationPage()
    try await callback.authenticate(kit.configuration, node: node, usePasskeysIfAvailable: true)
    try await kit.accept(node)
    #expect(try ServerSide().authenticate(kit.sentOutcome, with: credential) == "mira")
  }

  @Test func whoDoesNotWantPasskeysSignsInWithACredentialOfOurs() async throws {
    let (kit, platform) = try kitWithPasskeys()
    try await register(kit, platform)
    kit.verifier.script([.approve])
    let (node, callback) = try await kit.authenticationPage()
    let error = await thrown {
      try await callback.authenticate(kit.configuration, node: node, usePasskeysIfAvailable: false)
    }
    #expect(error?.code == .keyNotFound)
    #expect(platform.calls.map(\.kind) == [.create])
  }

  @Test func thePlatformListsAndLetsChoose() async throws {
    let (kit, platform) = try kitWithPasskeys()
    try await register(kit, platform)
    try await register(kit, platform, user: "noor", displayName: "Noor")
    let name = "Noor \(CredentialNames.localTime(kit.clock.now))"
    platform.device.verifier.perform(.choose(name), .match())
    let (node, callback) = try await kit.authenticationPage()
    let delegate = ChoosingDelegate { _ in [nil] }
    callback.delegate = delegate
    let response = try await callback.authenticate(kit.configuration, node: node)
    #expect(response.userHandle == Array(Base64URL.encode(Array("noor".utf8)).utf8))
    #expect(platform.device.verifier.prompts.map(\.kind) == [.biometric, .biometric, .choose, .biometric])
    #expect(delegate.offered.isEmpty)
  }

  @Test func thePlatformWritesItsOwnOrigin() async throws {
    let (kit, platform) = try kitWithPasskeys(origin: { "platform:app:\($0)" })
    try await register(kit, platform)
    let server = ServerSide(origin: "platform:app:am.example.com")
    let credential = try server.register(kit.sentOutcome).credential
    platform.device.verifier.perform(.match())
    let (node, callback) = try await kit.authenticationPage()
    try await callback.authenticate(kit.configuration, node: node)
    #expect(try server.authenticate(node.webAuthnOutcome?.rawValue, with: credential) == "mira")
  }

  @Test func anOriginOfThePlatformThatWouldShiftThePartsIsRefused() async throws {
    let (kit, platform) = try kitWithPasskeys(origin: { "platform::\($0)" })
    platform.device.verifier.perform(.match())
    let (node, callback) = try await kit.registrationPage()
    #expect(await thrown { try await callback.register(kit.configuration, node: node) }?.code == .invalidRequest)
    #expect(node.webAuthnOutcome?.rawValue.hasPrefix("ERROR::DataError:") == true)
  }

  @Test func thePlatformIsToldTheRelyingPartyAndTheWindow() async throws {
    let (kit, platform) = try kitWithPasskeys()
    let window = Window()
    platform.device.verifier.perform(.match())
    let (node, callback) = try await kit.registrationPage { $0["_relyingPartyId"] = "" }
    try await callback.register(kit.configuration, node: node, window: window)
    let call = try #require(platform.calls.first)
    #expect(call.relyingPartyID == WebAuthnKit.party)
    #expect(call.request.window === window)
    #expect(call.request.deadline == kit.clock.uptime + .seconds(60))
  }

  @Test func thePlatformHasNoLongerThanTheApp() async throws {
    var (kit, platform) = try kitWithPasskeys()
    kit.configuration.timeLimit = .seconds(2)
    platform.device.verifier.perform(.match())
    let (node, callback) = try await kit.registrationPage()
    try await callback.register(kit.configuration, node: node)
    #expect(platform.calls.first?.request.deadline == kit.clock.uptime + .seconds(2))
  }

  // MARK: Another device

  /// Puts mira's passkey on the phone.
  private func enroll(_ phone: TestDevice, _ kit: WebAuthnKit) async throws {
    var onPhone = kit.configuration
    onPhone.passkeyProvider = ScriptedPasskeyProvider(device: phone)
    phone.verifier.perform(.match())
    let (node, callback) = try await kit.registrationPage()
    try await callback.register(onPhone, node: node)
    try await kit.accept(node)
  }

  @Test func aPhoneSignsIn() async throws {
    let (kit, platform) = try kitWithPasskeys(phone: true)
    let phone = try #require(platform.phone)
    try await enroll(phone, kit)
    let credential = try ServerSide().register(kit.sentOutcome).credential
    phone.verifier.perform(.match())
    let (node, callback) = try await kit.authenticationPage()
    try await callback.authenticate(
      kit.configuration, node: node, preferImmediatelyAvailableCredentials: false, usePasskeysIfAvailable: true)
    try await kit.accept(node)
    #expect(ServerSide.unwrapped(try #require(kit.sentOutcome)).attachment == "cross-platform")
    #expect(try ServerSide().authenticate(kit.sentOutcome, with: credential) == "mira")
  }

  @Test func insistingOnLocalCredentialsShutsThePhoneOut() async throws {
    let (kit, platform) = try kitWithPasskeys(phone: true)
    let phone = try #require(platform.phone)
    try await enroll(phone, kit)
    phone.verifier.perform(.match())
    let (node, callback) = try await kit.authenticationPage()
    let error = await thrown {
      try await callback.authenticate(
        kit.configuration, node: node, preferImmediatelyAvailableCredentials: true, usePasskeysIfAvailable: true)
    }
    #expect(error?.code == .keyNotFound)
    #expect(node.webAuthnOutcome?.rawValue.hasPrefix("ERROR::NotAllowedError:") == true)
    #expect(phone.verifier.remainingSteps == 1)
    #expect(platform.device.verifier.prompts.isEmpty)
  }

  @Test func aPasskeyHereIsPreferredToThePhone() async throws {
    let (kit, platform) = try kitWithPasskeys(phone: true)
    let phone = try #require(platform.phone)
    try await enroll(phone, kit)
    try await register(kit, platform)
    platform.device.verifier.perform(.match())
    let (node, callback) = try await kit.authenticationPage()
    #expect(try await callback.authenticate(kit.configuration, node: node).authenticatorAttachment == .platform)
  }

  // MARK: Failures of the platform

  @Test func aRefusalOfThePlatformIsTold() async throws {
    let (kit, platform) = try kitWithPasskeys()
    platform.device.verifier.perform(.cancel)
    let (node, callback) = try await kit.registrationPage()
    #expect(await thrown { try await callback.register(kit.configuration, node: node) }?.code == .userCanceled)
    #expect(node.webAuthnOutcome?.rawValue.hasPrefix("ERROR::NotAllowedError:") == true)
  }

  @Test func errorsOfForeignMakeAreUnknown() async throws {
    var kit = try WebAuthnKit()
    kit.configuration.passkeyProvider = BrokenProvider()
    let (node, callback) = try await kit.authenticationPage()
    #expect(await thrown { try await callback.authenticate(kit.configuration, node: node) }?.code == .integrityFailed)
    #expect(node.webAuthnOutcome?.rawValue.hasPrefix("ERROR::UnknownError:") == true)
  }

  @Test @MainActor func theTimeLimitHoldsForAPlatformThatHangs() async throws {
    var kit = try WebAuthnKit()
    let provider = HangingProvider()
    kit.configuration.passkeyProvider = provider
    let configuration = kit.configuration
    let (node, callback) = try await kit.registrationPage()
    let task = Task { await thrown { try await callback.register(configuration, node: node) }?.code }
    await kit.clock.waitForSleepers(1)
    kit.clock.advance(by: .seconds(60))
    #expect(await task.value == .timedOut)
    #expect(node.webAuthnOutcome?.rawValue.hasPrefix("ERROR::TimeoutError:") == true)
    provider.release()
  }
}

private final class Window: PresentationAnchor {}

private struct BrokenProvider: PasskeyProvider {
  struct Trouble: Error {}
  func isAvailable() async -> Bool { true }
  func create(
    _ options: PublicKeyCredentialCreationOptions, _ request: PasskeyRequest
  ) async throws -> RegistrationResponse { throw Trouble() }
  func get(
    _ options: PublicKeyCredentialRequestOptions, _ request: PasskeyRequest
  ) async throws -> AuthenticationResponse { throw Trouble() }
}

/// Ignores its cancellation.
private final class HangingProvider: PasskeyProvider {
  private let (stream, continuation) = AsyncStream<Void>.makeStream()

  func isAvailable() async -> Bool { true }

  func create(
    _ options: PublicKeyCredentialCreationOptions, _ request: PasskeyRequest
  ) async throws -> RegistrationResponse { try await hang() }

  func get(
    _ options: PublicKeyCredentialRequestOptions, _ request: PasskeyRequest
  ) async throws -> AuthenticationResponse { try await hang() }

  func release() { continuation.finish() }

  private func hang<Value>() async throws -> Value {
    let stream = stream
    await Task { for await _ in stream {} }.value
    throw AuthenticatorError(.appCanceled)
  }
}
