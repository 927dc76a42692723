import AuthenticatorCoding
import AuthenticatorJourneyServer
import Testing
import ToolSupport

extension Bench {
  /// The model that the server of `uaf()` admits: biometrics, whose changes the assertions report.
  static let model = "FFFF#0002"
  static let payment = "Pay 42.00 EUR to Noa?"

  /// A server that knows the models of the tool's own device.
  static func uaf() async throws -> Bench {
    let folder = try TemporaryFolder()
    let device = try folder.write(
      "device.json", #"{"version": 1, "sensor": "fingerprint", "enrolled": ["a"], "passcode": "482913"}"#)
    let statements = try await Tool.run(
      ["uaf", "discover", "--metadata", "--json", "--allow-software-keys", "--device", "scripted:" + device]
        + ["--store", folder.file("keys.sqlite")])
    let settings = try UAFSettings(
      json: [
        "version": 1, "metadata": try statements.json(), "transactionText": .string(payment),
        "policy": ["accepted": [[["aaid": [.string(model)]]]]],
      ])
    return try await Bench { $0.uaf = settings }
  }

  /// Registers, expecting it to work.
  func registerUAF(as user: String = "mira", at url: String? = nil) async throws {
    try person(Self.touch)
    let (status, json) = try await run(login("RegisterUAF", as: user, at: url))
    guard status == 0 else { throw Unexpected(json: json) }
  }

  /// The KeyIDs that the server has of a user, as `keys list` shows them.
  func serverKeyIDs(of user: String = "mira") async throws -> Set<String> {
    let id = try #require(try await registry.user(named: user, in: .root)).id
    return Set(
      try await registry.uafKeys(ofUser: id, realm: .root).map { Base64URL.encode($0.registration.keyID) })
  }

  /// Lets the server forget the keys of a user, and the device not.
  func forgetOnServer(_ user: String = "mira") async throws {
    let id = try #require(try await registry.user(named: user, in: .root)).id
    _ = try await registry.removeUAFKeys(nil, ofUser: id, realm: .root)
  }
}
