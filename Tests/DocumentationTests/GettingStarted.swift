import AuthenticatorJourneyServer
import AuthenticatorKit
import AuthenticatorTestSupport
import Foundation
import Testing

/// What an app keeps: the client of one server, and what binding and signing work with.
struct SignIn {
  let journey: Journey
  let binding: DeviceBindingConfiguration

  init(server: String, keys path: String, verifier: any UserVerifier) async throws {
    let environment = AuthenticatorEnvironment(appIdentifier: "org.example.authenticator", deviceName: "Kiosk 7")
    let store = try await SQLiteKeyStore.open(path: path, environment: environment)
    journey = try Journey(server: server, environment: environment)
    binding = DeviceBindingConfiguration(
      for: journey, keyStore: store, verifier: verifier, environment: environment, allowsSoftwareKeys: true)
  }

  /// Walks a journey to its end, asking the person for what it does not answer itself.
  func run(_ name: String, ask: (String) async -> String) async throws -> JourneyNode {
    var node = try await journey.start(name)
    while case .continue(let page) = node {
      for callback in page.callbacks {
        switch callback {
        case let callback as NameCallback: callback.name = await ask(callback.prompt)
        case let callback as PasswordCallback: callback.password = await ask(callback.prompt)
        case let callback as DeviceBindingCallback: _ = try? await callback.bind(binding)
        case let callback as DeviceSigningVerifierCallback: _ = try? await callback.sign(binding)
        default: break
        }
      }
      node = try await page.next()
    }
    return node
  }
}

@Suite("Article: getting started")
struct GettingStarted {
  @Test func bindsAndSignsInOverASocket() async throws {
    let environment = AuthenticatorEnvironment(appIdentifier: nil, deviceName: "Server")
    let server = try await JourneyServer(
      configuration: JourneyServerConfiguration(environment: environment), registry: InMemoryRegistry())
    try await server.addUser(named: "mira", password: "correct horse", in: .root)
    let front = try HTTPFront(server)
    do {
      try await walk(front.url)
      await front.stop()
    } catch {
      await front.stop()
      throw error
    }
  }

  private func walk(_ url: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("getting-started-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let person = try ScriptedUserVerifier(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], steps: [.match(), .match()]),
      environment: AuthenticatorEnvironment(appIdentifier: nil, deviceName: "Kiosk 7"))
    let signIn = try await SignIn(
      server: url, keys: folder.appendingPathComponent("keys.sqlite").path, verifier: person)

    let bound = try await signIn.run("BindDevice") { $0 == "User Name" ? "mira" : "correct horse" }
    guard case .success(let session) = bound else {
      Issue.record("not bound: \(bound)")
      return
    }
    #expect(session.hasToken)
    try await signIn.journey.logout()

    let signed = try await signIn.run("SignDevice") { _ in "mira" }
    guard case .success(let again) = signed else {
      Issue.record("not signed in: \(signed)")
      return
    }
    #expect(again.hasToken)
    #expect(person.prompts.count == 2)
  }
}
