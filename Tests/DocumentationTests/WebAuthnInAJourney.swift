import AuthenticatorKit
import AuthenticatorTestSupport
import Testing

/// A list of credentials, as an app's screen shows it.
private final class Screen: PlatformAuthenticatorAuthenticationDelegate {
  var wanted = ""
  private(set) var lists = 0

  func selectCredential(keyNames: [String], selectionCallback: @escaping WebAuthnCredentialsSelectionCallback) {
    lists += 1
    selectionCallback(keyNames.first { $0.hasPrefix(wanted) })
  }
}

@Suite("Page: WebAuthn")
struct WebAuthnInAJourney {
  private let device: TestDevice
  private let journey: Journey
  private let webAuthn: WebAuthnJourneyConfiguration

  init() async throws {
    device = try TestDevice(instance: InProcessServer.address)
    let (store, verifier) = (device.store, device.verifier)
    let environment = device.environment.environment
    let server = try await InProcessServer(
      users: ["mira": "correct horse", "noa": "correct horse"], environment: environment)
    journey = try Journey(server: InProcessServer.address, environment: environment, transport: server)
    webAuthn = try WebAuthnJourneyConfiguration(
      for: journey, keyStore: store, verifier: verifier, environment: environment)
  }

  private func run(_ name: String, as user: String = "", on screen: Screen) async throws -> JourneyNode {
    var node = try await journey.start(name, options: JourneyOptions(forceAuth: true))
    while case .continue(let page) = node {
      page.callback(NameCallback.self)?.name = user
      page.callback(PasswordCallback.self)?.password = "correct horse"
      do {
        try await page.callback(WebAuthnRegistrationCallback.self)?.register(webAuthn, node: page)
        if let callback = page.callback(WebAuthnAuthenticationCallback.self) {
          callback.delegate = screen
          try await callback.authenticate(
            webAuthn, node: page, window: nil, preferImmediatelyAvailableCredentials: false,
            usePasskeysIfAvailable: true)
        }
      } catch let error as AuthenticatorError {
        print("the server is told:", page.webAuthnOutcome?.rawValue ?? "-", error.code)
      }
      node = try await page.next()
    }
    return node
  }

  @Test func registersAndChooses() async throws {
    device.verifier.perform(.match(), .match(), .match())
    let screen = Screen()
    for user in ["mira", "noa"] {
      guard case .success = try await run("RegisterWebAuthn", as: user, on: screen) else {
        Issue.record("\(user) is not registered")
        return
      }
    }
    screen.wanted = "noa "
    guard case .success = try await run("LoginUsernameless", on: screen) else {
      Issue.record("noa is not signed in")
      return
    }
    #expect(screen.lists == 1)
    #expect(try await WebAuthnDevices(journey, context: webAuthn.context).user().id == "noa")
  }

  @Test func anAppMayWriteTheOutcome() async throws {
    device.verifier.perform(.match(), .cancel)
    _ = try await run("RegisterWebAuthn", as: "mira", on: Screen())
    let page = try #require(try await journey.start("LoginUsernameless").continueNode)
    let callback = try #require(page.callback(WebAuthnAuthenticationCallback.self))
    var shown: AuthenticatorError.Code?
    do {
      try await callback.authenticate(webAuthn)
    } catch let error as AuthenticatorError {
      shown = error.code
    }
    page.webAuthnOutcome = callback.outcome
    let node = try await page.next()
    #expect(shown == .userCanceled)
    guard case .failure = node else {
      Issue.record("signed in")
      return
    }
  }

  @Test func removesOnBothSides() async throws {
    device.verifier.perform(.match())
    _ = try await run("RegisterWebAuthn", as: "mira", on: Screen())
    let devices = try WebAuthnDevices(journey, context: webAuthn.context)
    for device in try await devices.list() {
      let removal = try await devices.delete(device.credentialID)
      #expect(removal.isComplete)
    }
    #expect(try await devices.list().isEmpty)
  }
}
