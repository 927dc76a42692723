import AuthenticatorCore
import AuthenticatorHTTP
import AuthenticatorSQLite
import AuthenticatorTrustedDevice
import DeviceAuthenticators
import Foundation

/// Whether this installation could sign in, answered from local state: among many users' credentials and among few.
struct AvailabilitySuite: Suite {
  let name = "availability"
  let workspace: Workspace
  private static let (few, many) = (10, 10_000)
  private static let server = "https://clerk.example.com"

  func benchmarks(_ effort: Effort) async throws -> [Benchmark] {
    let (small, large) = (try await makeStore(Self.few), try await makeStore(Self.many))
    return [
      Benchmark(
        id: "trusted-newest", what: "availability, signed out, \(Self.many) credentials; floor: \(Self.few)",
        unit: "µs", ours: .time(try await ask(large)), floor: .time(try await ask(small)), goal: 4, aim: .atMost),
      Benchmark(
        id: "trusted-hint", what: "the same for a user that is named, another each time; floor: \(Self.few)",
        unit: "µs", ours: .time(try await ask(large, naming: Self.many)),
        floor: .time(try await ask(small, naming: Self.few)),
        goal: 4, aim: .atMost),
      Benchmark(
        id: "trusted-first", what: "the first answer of a store that was just opened; floor: \(Self.few)", unit: "µs",
        ours: .reading { try await Self.first(large) }, floor: .reading { try await Self.first(small) }, goal: 4,
        aim: .atMost),
    ]
  }

  /// Asks an open store again and again.
  private func ask(_ path: String, naming users: Int? = nil) async throws -> @Sendable (Int) async throws -> Void {
    let client = try await Self.client(path)
    let position = Position()
    return { count in
      for turn in position.advance(by: count) {
        let hint = users.map { Self.hint(turn * 37 % $0) }
        guard try await client.trustedDevices.availability(identifierHint: hint).isAvailable else {
          throw Floor.Failed(what: "not available")
        }
      }
    }
  }

  private static func first(_ path: String) async throws -> Double {
    let client = try await client(path)
    // Settings are read from the same store, however many credentials there are.
    guard try await client.environment != nil else { throw Floor.Failed(what: "no settings") }
    return 1_000_000
      * (try await ContinuousClock().measure {
        guard try await client.trustedDevices.availability().isAvailable else {
          throw Floor.Failed(what: "not available")
        }
      }).inSeconds
  }

  private static func client(_ path: String) async throws -> TrustedDeviceClient {
    TrustedDeviceClient(
      try TrustedDeviceConfiguration(server: server), transport: SettingsAlone(),
      keyStore: try await SQLiteKeyStore.open(path: path, environment: BenchKeys.environment),
      verifier: PromptlyYes(environment: BenchKeys.environment), environment: BenchKeys.environment)
  }

  private static func hint(_ number: Int) -> String { "user-\(number)@example.com" }

  /// Made in memory, since each key waits several times for the disk, then moved there.
  private func makeStore(_ count: Int) async throws -> String {
    let draft = workspace.memory.appendingPathComponent("trusted-\(count).keys").path
    let path = workspace.disk.appendingPathComponent("trusted-\(count).keys").path
    do {
      try await Self.client(draft).refresh()
      let store = try await SQLiteKeyStore.open(path: draft, environment: BenchKeys.environment)
      let context = AuthenticatorContext(
        instance: Self.server, keyStore: store, verifier: PromptlyYes(environment: BenchKeys.environment),
        environment: BenchKeys.environment)
      let shelf = CredentialShelf(
        context: context, scope: CredentialScope(instance: Self.server, party: "com.example.app"),
        authenticators: TrustedDeviceAuthenticators(), emit: { _ in })
      for number in 0..<count { try await Self.add(number, to: shelf) }
    }
    // The last handle that closes empties the log into the file.
    try await Task.sleep(for: .milliseconds(200))
    try FileManager.default.copyItem(atPath: draft, toPath: path)
    return path
  }

  private static func add(_ number: Int, to shelf: CredentialShelf) async throws {
    let attributes = CredentialAttributes(
      policy: .biometryOrDevicePasscode, hint: hint(number), platform: "ios", name: "Bench")
    let owner = "user_\(number)"
    let record = try await shelf.store.stage(
      KeyRequest(
        owner: shelf.scope.owner(owner), algorithms: [.es256], slot: shelf.scope.slot(owner),
        attributes: attributes.bytes),
      as: .biometricAllowFallback, access: KeyAccess(gate: .verified([.fingerprint, .passcode])),
      enrollmentState: nil, ticket: nil)
    let made = UnixTime(milliseconds: 1_790_000_000_000 + Int64(number) * 1000)
    try await shelf.commit(record, as: "tdc_\(number)", CredentialDetails(createdAt: made, updatedAt: made))
  }
}

/// A network that knows the settings and nothing else: what is measured asks nobody.
private struct SettingsAlone: HTTPTransport {
  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard request.url.path.hasSuffix("/environment") else { throw Floor.Failed(what: "\(request.url.path) was asked") }
    let settings =
      #"{"auth_config":{"native_settings":{"api_enabled":true,"trusted_device_sign_in_enabled":true}}}"#
    return HTTPResponse(status: 200, fields: [], body: Array(settings.utf8))
  }
}
