import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer

/// The journey server inside the process, as the transport of a journey client: the real server, without a socket.
///
/// For tests and examples. Its registry is in memory unless another is given, and checking a password costs almost
/// nothing here.
public struct InProcessServer: HTTPTransport {
  /// The address to configure clients with; nothing is ever sent there.
  public static let address = "https://am.example.com/am"

  /// The server itself.
  public let server: JourneyServer

  /// Starts a server with the built-in journeys.
  /// - Parameters:
  ///   - users: passwords by user name, in the root realm.
  ///   - environment: for the server's clock and randomness; share the client's, or their clocks differ. Its
  ///     `appIdentifier` is admitted by the binding and signing nodes.
  ///   - registry: keeps users, devices and sessions.
  ///   - configure: changes the configuration before the server starts.
  /// - Throws: `invalidRequest` for a malformed configuration.
  public init(
    users: [String: String], environment: AuthenticatorEnvironment,
    registry: any JourneyRegistry = InMemoryRegistry(),
    configure: (inout JourneyServerConfiguration) throws -> Void = { _ in }
  ) async throws {
    var configuration = try JourneyServerConfiguration(
      environment: environment,
      applicationIDs: [environment.appIdentifier ?? JourneyServerConfiguration.defaultApplicationID])
    configuration.publicURL = Self.address
    configuration.passwordCost = ScryptParameters(logN: 4, r: 8, p: 1)
    configuration.passwordBounds = ScryptBounds(minimumLogN: 4)
    try configure(&configuration)
    server = try await JourneyServer(configuration: configuration, registry: registry)
    for (name, password) in users.sorted(by: { $0.key < $1.key }) {
      _ = try await server.addUser(named: name, password: password, in: .root)
    }
  }

  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try Task.checkCancellation()
    return await server.handle(request)
  }
}
