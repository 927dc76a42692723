import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import AuthenticatorKit
import Foundation

/// Whole sign-ins with WebAuthn over HTTP, against what the disk can commit (P12, P13).
///
/// The client is this package's too: journey, ceremony and signature are part of each figure, on the same two cores.
struct LoginSuite: Suite {
  let name = "login"
  let workspace: Workspace
  private static let people = 16
  static let password = "correct horse"

  func benchmarks(_ effort: Effort) async throws -> [Benchmark] {
    let commits = try Floor.commits(at: workspace.disk.appendingPathComponent("login-floor.sqlite").path)
    let serial = try await signIns(clients: 1, effort)
    let many = try await signIns(clients: Self.people, effort)
    let isDiskSlow = try await Self.isDiskSlow(commits)
    return [
      Benchmark(
        id: "P12", what: "usernameless WebAuthn login over HTTP, serial, client included; floor: SQLite commits",
        unit: "1/s", ours: serial.rate, floor: Self.reading(commits, effort), goal: isDiskSlow ? 0.45 : nil),
      Benchmark(
        id: "P12-cpu", what: "processor time of the server for one of them", unit: "ms", ours: serial.processorTime,
        goal: Self.processorTimeGoal, aim: .atMost),
      Benchmark(
        id: "P13", what: "the same by 16 clients at once, each its own user; floor: P12", unit: "1/s",
        ours: many.rate, floor: serial.rate, goal: isDiskSlow ? 4 : nil),
    ]
  }

  /// Milliseconds; servers of this kind in C take 5 to 6.
  static let processorTimeGoal = 5.0

  /// Whether the disk is what bounds a server. The goals that compare with it are about disks below 1,500 commits a
  /// second; on a faster one the processor's time for a sign-in tells more.
  static func isDiskSlow(_ commits: Benchmark.Quantity) async throws -> Bool {
    guard case .reading(let read) = reading(commits, .quick) else { return true }
    return try await read() < 1500
  }

  private func signIns(clients: Int, _ effort: Effort) async throws -> SignInBench<PasskeyClient> {
    try await SignInBench("login", clients: clients, workspace: workspace, effort) { url, number in
      // Numeric addresses have no relying party ID.
      let address = url.replacingOccurrences(of: "127.0.0.1", with: "localhost")
      return try await PasskeyClient(server: address, user: Self.user(number), password: Self.password)
    } signIn: {
      try await $0.signIn()
    }
  }

  /// A rate as a reading, so that both halves of a ratio are of one kind.
  static func reading(_ rate: Benchmark.Quantity, _ effort: Effort) -> Benchmark.Quantity {
    .reading {
      guard case .rate(let perform) = rate else { throw Floor.Failed(what: "no rate") }
      let count = effort.isQuick ? 100 : 400
      return Double(count) / (try await ContinuousClock().measure { try await perform(count) }).inSeconds
    }
  }

  static func user(_ number: Int) -> String { "user-\(number)" }

  /// In a process of its own: serves people with passwords until its input ends.
  static func serve(registry path: String, people: Int) async throws {
    let environment = AuthenticatorEnvironment(appIdentifier: nil, deviceName: "Bench")
    let server = try await JourneyServer(
      configuration: JourneyServerConfiguration(environment: environment), registry: SQLiteRegistry(path: path))
    for number in 0..<people { try await server.addUser(named: user(number), password: password, in: .root) }
    try await ServerSuite.serve(server)
  }
}

/// One person with one device.
private struct PasskeyClient: Sendable {
  private let journey: Journey

  /// Registers.
  init(server: String, user: String, password: String) async throws {
    let environment = BenchKeys.environment
    let plain = try Journey(server: server, environment: environment)
    let passkeys = try WebAuthnJourneyConfiguration(
      for: plain, keyStore: try InMemoryKeyStore(environment: environment),
      verifier: PromptlyYes(environment: environment), environment: environment, authenticatorType: .biometricOnly,
      allowsSoftwareKeys: true)
    journey = Journey(
      plain.configuration, transport: try CurlTransport(), environment: environment,
      callbacks: .complete(webAuthn: passkeys))
    var node = try await journey.start("RegisterWebAuthn")
    while case .continue(let page) = node {
      page.callback(NameCallback.self)?.name = user
      page.callback(PasswordCallback.self)?.password = password
      _ = try await page.callback(WebAuthnRegistrationCallback.self)?.register(node: page)
      node = try await page.next()
    }
    guard case .success = node else { throw Floor.Failed(what: "registration ended as \(node)") }
    try await journey.logout()
  }

  /// Signs in and leaves the session to the server.
  func signIn() async throws {
    var node = try await journey.start("LoginUsernameless", options: JourneyOptions(forceAuth: true))
    while case .continue(let page) = node {
      _ = try await page.callback(WebAuthnAuthenticationCallback.self)?.authenticate(node: page)
      node = try await page.next()
    }
    guard case .success = node else { throw Floor.Failed(what: "sign-in ended as \(node)") }
  }
}
