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
    let serial = signIns(clients: 1, effort)
    return [
      Benchmark(
        id: "P12", what: "usernameless WebAuthn login over HTTP, serial, client included; floor: SQLite commits",
        unit: "1/s", ours: serial, floor: Self.reading(commits, effort), goal: 0.45),
      Benchmark(
        id: "P13", what: "the same by 16 clients at once, each its own user; floor: P12", unit: "1/s",
        ours: signIns(clients: Self.people, effort), floor: serial, goal: 4),
    ]
  }

  /// Sign-ins a second at a server of their own.
  private func signIns(clients: Int, _ effort: Effort) -> Benchmark.Quantity {
    .reading { [workspace] in
      let name = "login-\(try BenchKeys.environment.random(4).map { String($0, radix: 16) }.joined()).sqlite"
      let server = try ServerProcess(
        "serve-people", workspace.disk.appendingPathComponent(name).path, "\(clients)")
      defer { server.stop() }
      let address = server.url.replacingOccurrences(of: "127.0.0.1", with: "localhost")
      var people: [PasskeyClient] = []
      for number in 0..<clients {
        people.append(try await PasskeyClient(server: address, user: Self.user(number), password: Self.password))
      }
      return try await Self.rate(of: people, effort) { try await $0.signIn() }
    }
  }

  /// How often a second the clients do something, all at once.
  static func rate<Client: Sendable>(
    of clients: [Client], _ effort: Effort, _ perform: @escaping @Sendable (Client) async throws -> Void
  ) async throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    let end = start.advanced(by: effort.isQuick ? .seconds(1) : .seconds(3))
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for client in clients {
        group.addTask {
          var count = 0
          while clock.now < end {
            try await perform(client)
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    return Double(count) / start.duration(to: clock.now).inSeconds
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
