import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import AuthenticatorWebAuthnJourney
import Testing

/// The shapes in which the product's source documents write their code, as far as they concern WebAuthn in a journey.
@Suite struct SeedSampleTests {
  /// A screen that lets the person choose, as an app's view controller does.
  @MainActor private final class SignInScreen: @MainActor PlatformAuthenticatorAuthenticationDelegate {
    private(set) var sheet: [(title: String, action: @Sendable () -> Void)] = []
    private var waiting: CheckedContinuation<Void, Never>?

    func selectCredential(keyNames: [String], selectionCallback: @escaping WebAuthnCredentialsSelectionCallback) {
      for keyName in keyNames {
        sheet.append((keyName.uppercased(), { selectionCallback(keyName) }))
      }
      sheet.append(("Cancel", { selectionCallback(nil) }))
      waiting?.resume()
    }

    func present() async {
      if sheet.isEmpty { await withCheckedContinuation { waiting = $0 } }
    }

    func authenticate(_ node: Node, window: (any PresentationAnchor)?) async throws {
      for callback in node.callbacks {
        if let authenticationCallback = callback as? WebAuthnAuthenticationCallback {
          authenticationCallback.delegate = self
          try await authenticationCallback.authenticate(
            node: node,
            window: window,
            preferImmediatelyAvailableCredentials: false,
            usePasskeysIfAvailable: true
          )
        }
      }
    }
  }

  /// A journey whose registry has been given the configuration once.
  private func journey(_ kit: WebAuthnKit) throws -> Journey {
    Journey(
      try JourneyConfiguration(server: WebAuthnKit.instance, realm: "/alpha"), transport: kit.transport,
      environment: kit.device.environment.environment,
      callbacks: .standard.registeringWebAuthn(kit.configuration))
  }

  @Test @MainActor func aScreenChoosesAndSignsIn() async throws {
    let kit = try WebAuthnKit()
    try await kit.register(.match())
    let noor = try await kit.register(.match(), user: "noor", displayName: "Noor")
    kit.verifier.script([.match()])
    kit.transport.add(
      json: WebAuthnKit.step([WebAuthnKit.metadata(ServerData.authentication()), WebAuthnKit.hidden]))
    let node = try #require(try await journey(kit).start("Login").continueNode)
    let screen = SignInScreen()
    let task = Task { try await screen.authenticate(node, window: nil) }
    await screen.present()
    let action = try #require(screen.sheet.first { $0.title.hasPrefix("NOOR ") })
    action.action()
    try await task.value
    try await kit.accept(node)
    #expect(kit.sentOutcome?.contains(noor.base64URLEncodedString()) == true)
  }

  @Test @MainActor func aScreenCancels() async throws {
    let kit = try WebAuthnKit()
    try await kit.register(.match())
    try await kit.register(.match(), user: "noor", displayName: "Noor")
    kit.transport.add(
      json: WebAuthnKit.step([WebAuthnKit.metadata(ServerData.authentication()), WebAuthnKit.hidden]))
    let node = try #require(try await journey(kit).start("Login").continueNode)
    let screen = SignInScreen()
    let task = Task { await thrown { try await screen.authenticate(node, window: nil) }?.code }
    await screen.present()
    screen.sheet.last?.action()
    #expect(await task.value == .userCanceled)
    try await kit.refuse(node)
    #expect(kit.sentOutcome?.hasPrefix("ERROR::NotAllowedError:") == true)
  }
}
