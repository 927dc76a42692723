import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import Foundation
import Synchronization
import TestMachine
import Testing

/// The sign-in page in headless Chromium, used by keyboard and looked at through the accessibility tree. Pictures of
/// every view lie in `.build/artefacts/sign-in-page`.
@Suite(
  .enabled(
    if: Skips.unless(Judge.python != nil && Judge.hasBrowser),
    "AUTHENTICATOR_PYTHON names no interpreter with the judges, or there is no Chromium with its driver"),
  .serialized)
struct SignInPageJudgeTests {
  /// Kept after the tests, for people to look at.
  static let artefacts = URL(fileURLWithPath: #filePath).appending(path: "../../../.build/artefacts/sign-in-page")
    .standardized.path

  @Test(arguments: ["password", "refusal", "callbacks", "app", "offline", "control"])
  func thePageHolds(scenario: String) async throws { try await judge(scenario) }

  /// Our relying party verifies what Chromium's virtual authenticator emits.
  @Test(arguments: ["story", "algorithms", "attestation", "security_keys", "scripts", "recovery", "forms"])
  func passkeysHold(scenario: String) async throws {
    let refusals = Refusals()
    try await judge(scenario, by: "passkey_page.py") { configuration in
      configuration.log = { refusals.note($0) }
    }
    let expected: [JourneyServerEvent] =
      scenario == "attestation"
      ? [.proofRefused(journey: "RegisterUnvouched", check: "attestationUntrusted")] : []
    #expect(refusals.all == expected)
  }

  @Test func passkeyErrorsReachTheServer() async throws { try await judge("errors", by: "passkey_page.py") }

  @Test func thePageWaitsAndComesBackByLink() async throws {
    let mailbox = FileManager.default.temporaryDirectory.appending(path: "sign-in-page-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: mailbox) }
    try await judge("waiting", mailbox.path) {
      $0.deliver = { try Data($0.url.utf8).write(to: mailbox, options: .atomic) }
    }
  }

  /// Serves the page on a port of its own, lets the judge use it, and ends both.
  private func judge(
    _ scenario: String, by judge: String = "sign_in_page.py", _ arguments: String...,
    configure: (inout JourneyServerConfiguration) -> Void = { _ in }
  ) async throws {
    let environment = AuthenticatorEnvironment(appIdentifier: "org.example.authenticator", deviceName: "judge")
    let password = "correct horse"
    let origin = PageOrigin()
    let inside = try await InProcessServer(
      users: ["mira": password, PageJourneys.hostile: password], environment: environment
    ) {
      $0.publicURL = nil
      $0.sessionCookie = .browsers
      $0.routes = [SignInPage()]
      $0.journeys += try PageJourneys.all() + PasskeyJourneys.all(origin: origin)
      configure(&$0)
    }
    if let alpha = Realm("/alpha") { try await inside.server.addUser(named: "noor", password: password, in: alpha) }
    let front = try HTTPFront(inside.server)
    origin.set("http://localhost:\(front.port)")
    let words = [scenario, origin.value, Self.artefacts] + arguments
    let verdict: Judge.Verdict
    do { verdict = try await Judge.run(judge, arguments: words) } catch {
      await front.stop()
      throw error
    }
    await front.stop()
    #expect(verdict.status == 0, "\(verdict.complaint)")
    #expect(verdict.output == "\(scenario) holds\n", "\(verdict.output)\(verdict.complaint)")
  }
}

/// The proofs that a server refused.
private final class Refusals: Sendable {
  private let events = Mutex<[JourneyServerEvent]>([])

  var all: [JourneyServerEvent] { events.withLock { $0 } }

  func note(_ event: JourneyServerEvent) {
    if case .proofRefused = event { events.withLock { $0.append(event) } }
  }
}
