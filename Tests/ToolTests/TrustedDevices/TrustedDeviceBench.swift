import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import Synchronization
import ToolSupport

/// A server on a real socket in this process that lets anybody sign up, with a clock of its own, and a scripted device.
final class TrustedDeviceBench: Sendable {
  let folder: TemporaryFolder
  let url: String
  let port: Int
  private let front: HTTPFront
  private let time: ServerTime

  init(configure: @escaping @Sendable (inout TrustedDeviceSettings) -> Void = { _ in }) async throws {
    folder = try TemporaryFolder()
    let clock = ServerTime()
    var environment = AuthenticatorEnvironment(
      appIdentifier: JourneyServerConfiguration.defaultApplicationID, deviceName: "server")
    environment.now = { SystemClock.now().advanced(by: clock.ahead) }
    let inside = try await InProcessServer(users: Bench.passwords, environment: environment) {
      $0.publicURL = nil
      $0.trustedDevices.signUp = true
      configure(&$0.trustedDevices)
    }
    front = try HTTPFront(inside.server)
    url = front.url
    port = Int(front.port)
    time = clock
  }

  /// How far the server's clock is ahead.
  private final class ServerTime: Sendable {
    private let offset = Mutex<Duration>(.zero)
    var ahead: Duration { offset.withLock { $0 } }
    func advance(by duration: Duration) { offset.withLock { $0 += duration } }
  }

  /// Lets time pass on the server alone.
  func advance(by duration: Duration) { time.advance(by: duration) }

  var store: String { folder.file("keys/keys.sqlite") }

  /// What the person does next; the enrolled set and the failures live on from script to script.
  func person(_ steps: JSONValue..., passcode: Bool = true) throws {
    let device: JSONObject = [
      "version": 1, "sensor": "fingerprint", "enrolled": ["right-index"], "passcode": passcode ? "482913" : .null,
      "state": .string(folder.file("device.state")), "transcript": .string(folder.file("transcript")),
      "steps": .array(steps),
    ]
    try folder.write("device.json", device.serializedString())
  }

  var deviceOptions: [String] {
    ["--store", store, "--device", "scripted:" + folder.file("device.json"), "--allow-software-keys"]
  }

  /// The arguments of a verb.
  func arguments(_ verb: String, _ more: [String] = [], at url: String? = nil) -> [String] {
    ["trusted-device", verb, "--server", url ?? self.url] + more + deviceOptions + ["--json"]
  }

  /// Runs a verb and reads what it prints.
  func run(_ verb: String, _ more: String..., at url: String? = nil) async throws -> (Int32, JSONValue) {
    let result = try await Tool.run(arguments(verb, more, at: url))
    return (result.status, try result.json())
  }

  /// Signs in as mira.
  func login(at url: String? = nil) async throws -> JSONValue {
    let (status, json) = try await run(
      "login", "--identifier", "mira", "--password", "correct horse", at: url)
    guard status == 0 else { throw Bench.Unexpected(json: json) }
    return json
  }

  /// Signs in as mira and enrolls.
  @discardableResult
  func enroll(_ more: String...) async throws -> JSONValue {
    _ = try await login()
    try person(Bench.touch)
    let result = try await Tool.run(arguments("enroll", more))
    guard result.status == 0 else { throw Bench.Unexpected(json: try result.json()) }
    return try result.json()
  }

  /// The entries of `keys list`.
  func keys() async throws -> [JSONValue] {
    let result = try await Tool.run(["keys", "list", "--json"] + deviceOptions)
    return try result.json().arrayValue ?? []
  }
}
