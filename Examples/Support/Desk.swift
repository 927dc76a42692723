import AuthenticatorKit
import AuthenticatorTestSupport

/// What the trusted-device examples share: a scripted device with one enrolled finger, the real server in the same
/// process, and a client of its Frontend API.
public struct Desk {
  public let device: TestDevice
  public let server: InProcessServer
  public let client: TrustedDeviceClient

  public init() async throws {
    device = try TestDevice(instance: InProcessServer.address)
    let environment = device.environment.environment
    server = try await InProcessServer(users: ["mira": "correct horse"], environment: environment)
    client = try TrustedDeviceClient(
      server: InProcessServer.address, keyStore: device.store, verifier: device.verifier, environment: environment,
      transport: server)
    try await client.refresh()
  }

  /// Another device of the same user, signed in.
  public func anotherDevice() async throws -> TrustedDeviceClient {
    let other = try TestDevice(
      instance: InProcessServer.address, environment: TestEnvironment(seed: 2, deviceName: "Another device"))
    let client = try TrustedDeviceClient(
      server: InProcessServer.address, keyStore: other.store, verifier: other.verifier,
      environment: other.environment.environment, transport: server)
    try await client.auth.signIn(identifier: "mira", password: "correct horse")
    other.verifier.perform(.match())
    return client
  }

  /// What an error says to the person.
  public static func code(_ error: any Error) -> String {
    (error as? AuthenticatorError).map { "\($0.code)" } ?? "\(type(of: error))"
  }
}
