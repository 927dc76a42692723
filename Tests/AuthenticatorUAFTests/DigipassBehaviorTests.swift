import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorUAF
import DeviceAuthenticators
import Synchronization
import Testing

/// The behaviors of the Digipass document, one row each.
struct DigipassBehaviorTests {
  static let title = "Use alternate authentication – andere Wege 🔑"
  static let fallback = UAFExtras([.fallback(title: title)])
  static let face = ScriptedDevice(sensor: .face, enrolled: ["mira"], passcode: UAFKit.passcode)

  func registered(_ model: UAFKit.Model, _ body: ScriptedDevice? = nil) async throws -> UAFKit {
    let kit = try body.map { try UAFKit($0) } ?? UAFKit()
    try await kit.register(model, steps: model == .passcode ? .passcode(UAFKit.passcode) : .match())
    return kit
  }

  @Test func d1PromptOffersAButtonWithExactlyTheTitle() async throws {
    let kit = try await registered(.state)
    let result = await kit.authenticate(UAFKit.authentication(.state), extras: Self.fallback, steps: .match())
    #expect(result.outcome == .success)
    #expect(kit.prompts.last?.fallbackTitle == Self.title)
    let empty = await kit.authenticate(
      UAFKit.authentication(.state), extras: UAFExtras([.fallback(title: "")]), steps: .match())
    #expect(empty.error == AuthenticatorError(.invalidRequest))
  }

  @Test func d2TappingItReturnsFallbackAndChangesNothing() async throws {
    let kit = try await registered(.state)
    let before = try UAFKit.signed(
      await kit.authenticate(UAFKit.authentication(.state), steps: .match()).message
    ).signCounter
    let result = await kit.authenticate(
      UAFKit.authentication(.state), extras: Self.fallback, steps: .mismatch, .fallback)
    #expect(result.outcome == .fallback)
    #expect(result.outcome.rawValue == "FALLBACK")
    #expect(result.errorCode == .userCancelled)
    #expect(result.message == nil)
    // The miss before it counts, the button does not.
    #expect(kit.device.verifier.failedAttempts == 1)
    let after = try UAFKit.signed(
      await kit.authenticate(UAFKit.authentication(.state), steps: .match()).message
    ).signCounter
    #expect(after == before + 1)
  }

  @Test func d3WithoutTheExtensionThereIsNoButton() async throws {
    let kit = try UAFKit { $0.devices.biometric.fallbackTitle = "From elsewhere" }
    try await kit.register(.state, steps: .match())
    let result = await kit.authenticate(UAFKit.authentication(.state), steps: .fallback, .cancel)
    #expect(result.outcome == .canceled)
    #expect(kit.prompts.last?.fallbackTitle == nil)
  }

  @Test func d4RegistrationsShowNoButton() async throws {
    let kit = try UAFKit()
    kit.device.verifier.script([.fallback, .match()])
    let result = await kit.client.register(
      UAFKit.registration(.state), facetID: UAFKit.facet, extras: Self.fallback)
    #expect(result.outcome == .success)
    #expect(kit.prompts.map(\.fallbackTitle) == [nil])
  }

  @Test func d5PasscodeOrBiometricTakesThePasscodeItself() async throws {
    let kit = try await registered(.either)
    let result = await kit.authenticate(
      UAFKit.authentication(.either), extras: Self.fallback, steps: .fallback, .passcode(UAFKit.passcode))
    #expect(result.outcome == .success)
    #expect(kit.prompts.last?.fallbackTitle == nil)
  }

  @Test func d6AnAuthenticatedContextReplacesThePrompt() async throws {
    let kit = try UAFKit()
    kit.device.verifier.handOver(ScriptedDevice.Context())
    try await kit.register(.state)
    kit.device.verifier.handOver(ScriptedDevice.Context())
    #expect(await kit.authenticate(UAFKit.authentication(.state)).outcome == .success)
    #expect(kit.prompts.isEmpty)
  }

  @Test func d7AContextDoesNotReplaceTheTransactionsDisplay() async throws {
    let kit = try await registered(.state)
    let shown = kit.prompts.count
    let message = UAFKit.authentication(.state, transaction: UAFKit.transaction("Pay 42.00 EUR"))
    kit.device.verifier.handOver(ScriptedDevice.Context())
    let result = await kit.authenticate(message, steps: .approve)
    #expect(try UAFKit.signed(result.message).info.mode == .transactionConfirmed)
    #expect(kit.prompts.dropFirst(shown).map(\.kind) == [.transaction])
    kit.device.verifier.handOver(ScriptedDevice.Context())
    #expect(await kit.authenticate(message, steps: .refuse).outcome == .canceled)
  }

  @Test(arguments: [
    nil, ScriptedDevice.Context(isAuthenticated: false), ScriptedDevice.Context(isInvalidated: true),
    ScriptedDevice.Context(age: .seconds(600)), ScriptedDevice.Context(isBiometric: false),
  ])
  func d8AnUnusableContextLeadsToThePrompt(_ context: ScriptedDevice.Context?) async throws {
    let kit = try await registered(.state)
    let shown = kit.prompts.count
    kit.device.verifier.handOver(context)
    #expect(await kit.authenticate(UAFKit.authentication(.state), steps: .cancel).outcome == .canceled)
    #expect(kit.prompts.count == shown + 1)
  }

  @Test func d9AContextServesOneOperation() async throws {
    let holder = BiometricContextHolder()
    let kit = try UAFKit { $0.devices.biometric.contextDelegate = holder }
    try await kit.register(.state, steps: .match())
    let shown = kit.prompts.count
    let context = BiometricContext(method: .fingerprint, time: kit.device.environment.clock.uptime)
    holder.give(context)
    #expect(await kit.authenticate(UAFKit.authentication(.state)).outcome == .success)
    #expect(kit.prompts.count == shown)
    #expect(await kit.authenticate(UAFKit.authentication(.state), steps: .match()).outcome == .success)
    #expect(kit.prompts.count == shown + 1)
    // The same context again, and one that was taken back.
    holder.give(context)
    #expect(await kit.authenticate(UAFKit.authentication(.state), steps: .match()).outcome == .success)
    holder.give(BiometricContext(method: .fingerprint, time: kit.device.environment.clock.uptime))
    holder.clear()
    #expect(await kit.authenticate(UAFKit.authentication(.state), steps: .match()).outcome == .success)
    #expect(kit.prompts.count == shown + 3)
  }

  @Test func d10ThreeWrongFingersEndAsFailed() async throws {
    let kit = try await registered(.state)
    let result = await kit.authenticate(UAFKit.authentication(.state), steps: .mismatch, .mismatch, .mismatch)
    #expect(result.outcome == .failed)
    #expect(result.errorCode == .authenticatorAccessDenied)
    #expect(FidoStatusCompatibility.outcome(fidoStatus: 1) == result.outcome)
  }

  @Test func d11TheNextOperationOffersAnotherRegisteredAuthenticator() async throws {
    let kit = try await registered(.state)
    try await kit.register(.passcode, steps: .passcode(UAFKit.passcode))
    let message = UAFKit.authentication(.state, .passcode, .either)
    _ = await kit.authenticate(message, steps: .mismatch, .mismatch, .mismatch)
    let shown = kit.prompts.count
    // In another run of the app as well.
    let next = await (try kit.restarted()).authenticate(
      message, steps: .choose("Passcode"), .passcode(UAFKit.passcode))
    #expect(try UAFKit.signed(next.message).aaid == UAFKit.Model.passcode.aaid)
    let offer = try #require(kit.prompts.dropFirst(shown).first)
    #expect(offer.kind == .alternative)
    // Not the one without a key.
    #expect(offer.options == ["Fingerprint or face", "Passcode"])
  }

  @Test func d11NothingIsOfferedAfterASuccess() async throws {
    let kit = try await registered(.state)
    try await kit.register(.passcode, steps: .passcode(UAFKit.passcode))
    let message = UAFKit.authentication(.state, .passcode)
    _ = await kit.authenticate(message, steps: .mismatch, .mismatch, .mismatch)
    #expect(await kit.authenticate(message, steps: .choose("Fingerprint or face"), .match()).outcome == .success)
    #expect(await kit.authenticate(message, steps: .match()).outcome == .success)
    #expect(kit.prompts.filter { $0.kind == .alternative }.count == 1)
  }

  @Test func d11TheOfferIsMadeOnceAndToItsCallerOnly() async throws {
    let kit = try await registered(.state)
    try await kit.register(.passcode, steps: .passcode(UAFKit.passcode))
    let message = UAFKit.authentication(.state, .passcode)
    let offers = { kit.prompts.filter { $0.kind == .alternative }.count }
    _ = await kit.authenticate(message, steps: .mismatch, .mismatch, .mismatch)
    // Another app with keys of the same models is not asked.
    let other = "ios:bundle-id:com.example.other"
    for (model, step) in [(UAFKit.Model.state, ScriptedStep.match()), (.passcode, .passcode(UAFKit.passcode))] {
      kit.device.verifier.script([step])
      let response = try await kit.client.process(UAFKit.registration(model), facetID: other)
      try await kit.client.notify(status: .ok, of: response, facetID: other)
    }
    kit.device.verifier.script([.match()])
    #expect(await kit.client.authenticate(message, facetID: other).outcome == .success)
    // Nor is anybody at a registration.
    kit.device.verifier.script([.match()])
    let again = await kit.client.register(UAFKit.registration(.state, .passcode), facetID: UAFKit.facet)
    #expect(again.outcome == .success)
    #expect(offers() == 0)
    #expect(await kit.authenticate(message, steps: .cancel).outcome == .canceled)
    #expect(offers() == 1)
    #expect(await kit.authenticate(message, steps: .match()).outcome == .success)
    #expect(offers() == 1)
  }

  @Test func d11ASuccessWithAnotherAuthenticatorEndsTheOffer() async throws {
    let kit = try await registered(.state)
    try await kit.register(.passcode, steps: .passcode(UAFKit.passcode))
    _ = await kit.authenticate(UAFKit.authentication(.state), steps: .mismatch, .mismatch, .mismatch)
    let other = await kit.authenticate(UAFKit.authentication(.passcode), steps: .passcode(UAFKit.passcode))
    #expect(other.outcome == .success)
    #expect(await kit.authenticate(UAFKit.authentication(.state, .passcode), steps: .match()).outcome == .success)
    #expect(!kit.prompts.contains { $0.kind == .alternative })
  }

  /// Who has nothing registered any more has left nothing of it behind.
  @Test(arguments: ["everything", "model", "key", "unknown"]) func d11ARemovalEndsTheOffer(_ scope: String) async throws
  {
    let kit = try UAFKit()
    let keyID = try await kit.register(.state, steps: .match()).keyID
    let response = await kit.authenticate(UAFKit.authentication(.state), steps: .match()).message
    _ = await kit.authenticate(UAFKit.authentication(.state), steps: .mismatch, .mismatch, .mismatch)
    let aaid = UAFKit.Model.state.rawValue
    switch scope {
    case "everything": _ = try await kit.client.process(UAFKit.deregistration("", ""), facetID: UAFKit.facet)
    case "model": _ = try await kit.client.process(UAFKit.deregistration(aaid, ""), facetID: UAFKit.facet)
    case "key":
      _ = try await kit.client.process(UAFKit.deregistration(aaid, keyID.description), facetID: UAFKit.facet)
    default:
      try await kit.client.notify(status: .unknownKeyID, of: try #require(response), facetID: UAFKit.facet)
    }
    try await kit.register(.state, username: "bob", steps: .match())
    try await kit.register(.passcode, username: "bob", steps: .passcode(UAFKit.passcode))
    #expect(await kit.authenticate(UAFKit.authentication(.state, .passcode), steps: .match()).outcome == .success)
    #expect(!kit.prompts.contains { $0.kind == .alternative })
  }

  /// In whatever way the keys went: here a changed set has ended them.
  @Test func d11AnEndedKeyEndsTheOffer() async throws {
    let kit = try UAFKit()
    try await kit.register(.deletion, steps: .match())
    _ = await kit.authenticate(UAFKit.authentication(.deletion), steps: .mismatch, .mismatch, .mismatch)
    try kit.device.verifier.enroll("left-thumb")
    #expect(await kit.authenticate(UAFKit.authentication(.deletion)).outcome != .success)
    try await kit.register(.deletion, steps: .match())
    try await kit.register(.passcode, steps: .passcode(UAFKit.passcode))
    #expect(await kit.authenticate(UAFKit.authentication(.deletion, .passcode), steps: .match()).outcome == .success)
    #expect(!kit.prompts.contains { $0.kind == .alternative })
  }

  @Test func thePersonChoosesWhereTheAppWantsIt() async throws {
    let kit = try UAFKit { $0.asksForAuthenticator = true }
    kit.device.verifier.script([.choose("Passcode"), .passcode(UAFKit.passcode)])
    let response = try await kit.client.process(UAFKit.registration(.state, .passcode), facetID: UAFKit.facet)
    #expect(try UAFKit.registered(response).aaid == UAFKit.Model.passcode.aaid)
    #expect(kit.prompts.first?.kind == .choose)
    #expect(kit.prompts.first?.options == ["Fingerprint or face", "Passcode"])
    // Where there is one way there is nothing to choose.
    kit.device.verifier.script([.match()])
    #expect(await kit.client.register(UAFKit.registration(.state), facetID: UAFKit.facet).outcome == .success)
  }

  @Test func whatTheAppPassesAlongReachesItsOwnParts() async throws {
    final class Listener: UserVerifier {
      let base: any UserVerifier
      let heard = Mutex<[[String: String]]>([])
      init(_ base: any UserVerifier) { self.base = base }
      func methods() async -> [VerificationMethod: MethodState] { await base.methods() }
      func enrollmentState() async throws -> EnrollmentState? { try await base.enrollmentState() }
      func verify(_ request: VerificationRequest, by access: KeyAccess) async throws -> VerificationTicket {
        heard.withLock { $0.append(request.prompt.extensions) }
        return try await base.verify(request, by: access)
      }
    }
    let kit = try UAFKit()
    let listener = Listener(kit.device.verifier)
    var configuration = kit.configuration
    configuration.context.verifier = listener
    let client = try UAFClient(configuration)
    let extras = UAFExtras([
      .custom(id: "com.example.color", data: "green"), .fallback(title: "Other"),
      .custom(id: "com.example.color", data: "red"),
    ])
    kit.device.verifier.script([.match()])
    let made = try await client.process(UAFKit.registration(.state), facetID: UAFKit.facet, extras: extras)
    try await client.notify(status: .ok, of: made, facetID: UAFKit.facet)
    kit.device.verifier.script([.match()])
    let signed = await client.authenticate(UAFKit.authentication(.state), facetID: UAFKit.facet, extras: extras)
    #expect(signed.outcome == .success)
    #expect(listener.heard.withLock { $0 } == [["com.example.color": "green"], ["com.example.color": "green"]])
    #expect(extras.data(for: "com.example.color") == "green")
    // None of it goes to the server.
    for message in [made, try #require(signed.message)] {
      #expect(!message.uafProtocolMessage.contains("example.color"))
      #expect(try UAFResponse(message.uafProtocolMessage).header.exts.isEmpty)
    }
  }
}
