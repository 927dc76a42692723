import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import Testing
import ToolSupport

/// What a test of the tool works on: a folder of its own, a server on a real socket in this process, and a scripted
/// device whose person does what the test says.
final class Bench: Sendable {
  let folder: TemporaryFolder
  let url: String
  let port: Int
  let registry: InMemoryRegistry
  let server: JourneyServer
  private let front: HTTPFront
  static let passwords = ["mira": "correct horse", "noa": "battery staple"]

  /// - Parameter configure: changes what the server does.
  init(configure: (inout JourneyServerConfiguration) throws -> Void = { _ in }) async throws {
    folder = try TemporaryFolder()
    registry = InMemoryRegistry()
    let environment = AuthenticatorEnvironment(
      appIdentifier: JourneyServerConfiguration.defaultApplicationID, deviceName: "server")
    let inside = try await InProcessServer(users: Self.passwords, environment: environment, registry: registry) {
      $0.publicURL = nil
      try configure(&$0)
    }
    server = inside.server
    front = try HTTPFront(server)
    url = front.url
    port = Int(front.port)
  }

  var store: String { folder.file("keys/keys.sqlite") }

  /// What the person does next; the enrolled set and the failures live on from script to script.
  /// - Parameter now: fixes the device's clock.
  func person(_ steps: JSONValue..., now: Int64? = nil) throws { try person(steps, now: now) }

  func person(_ steps: [JSONValue], now: Int64? = nil) throws {
    var device: JSONObject = [
      "version": 1, "sensor": "fingerprint", "enrolled": ["right-index"], "passcode": "482913",
      "state": .string(folder.file("device.state")), "transcript": .string(folder.file("transcript")),
      "steps": .array(steps),
    ]
    if let now { device["now"] = .integer(now) }
    try folder.write("device.json", device.serializedString())
  }

  static let touch: JSONValue = ["do": "match"]
  static let cancel: JSONValue = ["do": "cancel"]
  static func pin(_ text: String) -> JSONValue { ["do": "pin", "value": .string(text)] }

  var deviceOptions: [String] { ["--store", store, "--device", "scripted:" + folder.file("device.json")] }

  /// Arguments of a login by `user`, who knows the password.
  func login(
    _ journey: String, as user: String = "mira", software: Bool = true, at url: String? = nil, _ more: [String] = []
  ) -> [String] {
    let answers = ["--answer", "NameCallback=\(user)", "--answer", "PasswordCallback=\(Self.passwords[user] ?? "")"]
    return ["login", "--server", url ?? self.url, "--journey", journey] + answers + deviceOptions
      + (software ? ["--allow-software-keys"] : []) + more + ["--json"]
  }

  /// Runs the tool and reads what it prints.
  func run(_ arguments: [String], environment: [String: String?] = [:]) async throws -> (Int32, JSONValue) {
    let result = try await Tool.run(arguments, environment: environment)
    return (result.status, try result.json())
  }

  /// The entries of `keys list`.
  func keys() async throws -> [JSONValue] {
    let (_, json) = try await run(["keys", "list", "--json"] + deviceOptions)
    return json.arrayValue ?? []
  }

  /// Binds, expecting it to work.
  func bind(_ journey: String = "BindDevice", as user: String = "mira") async throws {
    let (status, json) = try await run(login(journey, as: user))
    guard status == 0 else { throw Unexpected(json: json) }
  }

  struct Unexpected: Error, CustomStringConvertible {
    let json: JSONValue
    var description: String { json.serializedString() }
  }
}

/// Waits for something that happens in another process.
func waitUntil(_ condition: () -> Bool) async throws {
  let deadline = ContinuousClock.now + .seconds(300)
  while !condition() {
    try #require(ContinuousClock.now < deadline, "what is waited for never came")
    try await Task.sleep(for: .milliseconds(10))
  }
}
