import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Synchronization
import Testing

/// A device and the embedded server, with a network between them that loses and doubles messages on order.
struct World {
  let device: TestDevice
  let server: InProcessServer
  let network: Network

  init(
    environment: TestEnvironment = TestEnvironment(),
    configure: (inout TrustedDeviceSettings) -> Void = { _ in }
  ) async throws {
    device = try TestDevice(instance: InProcessServer.address, environment: environment)
    server = try await InProcessServer(
      users: ["mira": "correct horse", "kim": "battery staple"], environment: environment.environment
    ) { configuration in
      configuration.trustedDevices.signUp = true
      configure(&configuration.trustedDevices)
    }
    network = Network(server)
  }

  /// The app, started afresh.
  /// - Parameter transport: its way to the server; nil: the network.
  func client(
    over transport: (any HTTPTransport)? = nil, configure: (inout TrustedDeviceConfiguration) -> Void = { _ in }
  ) throws -> TrustedDeviceClient {
    var configuration = try TrustedDeviceConfiguration(server: InProcessServer.address)
    configuration.retryPolicy = .none
    configure(&configuration)
    return TrustedDeviceClient(
      configuration, transport: transport ?? network, keyStore: device.store, verifier: device.verifier,
      environment: device.context.environment)
  }

  /// The app, started, with settings, and signed in.
  func signedIn(
    _ user: String = "mira", _ password: String = "correct horse"
  ) async throws -> TrustedDeviceClient {
    let client = try client()
    try await client.refresh()
    if try await client.auth.session?.isSignedIn != true {
      try await client.auth.signIn(identifier: user, password: password)
    }
    return client
  }

  func enroll(_ client: TrustedDeviceClient) async throws {
    device.verifier.script([.match()])
    try await client.trustedDevices.enroll(identifierHint: "mira@example.com")
  }

  func records(_ states: Set<KeyRecord.State> = Set(KeyRecord.State.allCases)) async throws -> [KeyRecord] {
    try await device.store.records(matching: .everything).filter { states.contains($0.state) }
  }

  var localIDs: Set<String> {
    get async throws {
      Set(try await records([.active]).compactMap { $0.externalID.map { String(decoding: $0, as: UTF8.self) } })
    }
  }

  var clock: ManualClock { device.environment.clock }
}

/// Carries requests to the server of this process.
final class Network: HTTPTransport {
  /// What happens to one exchange.
  enum Fault: Hashable, Sendable, CaseIterable {
    /// The request never arrives.
    case requestLost
    /// The server acts, and its answer is lost.
    case answerLost
    /// The request arrives twice; the client gets the first answer.
    case doubledFirst
    /// The request arrives twice; the client gets the second answer.
    case doubledSecond
    /// The request seems lost, and arrives after the client's next one.
    case late
  }

  private struct State {
    var count = 0
    var faults: [Int: Fault] = [:]
    var late: [HTTPRequest] = []
    var lines: [String] = []
    var proofs: [String: Int] = [:]
    var isDown: @Sendable () -> Bool = { false }
  }
  private let server: InProcessServer
  private let state = Mutex(State())

  init(_ server: InProcessServer) { self.server = server }

  var count: Int { state.withLock { $0.count } }
  var lines: [String] { state.withLock { $0.lines } }
  /// How often the client has sent an answer to a challenge, by what was signed.
  var proofs: [String: Int] { state.withLock { $0.proofs } }

  /// Faults one exchange, counted from 0 among those to come.
  func order(_ fault: Fault, at place: Int) { state.withLock { $0.faults[$0.count + place] = fault } }

  /// Nothing gets through while the condition holds.
  func setDown(_ isDown: @escaping @Sendable () -> Bool) { state.withLock { $0.isDown = isDown } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let (fault, late, isDown) = state.withLock { state in
      let fault = state.faults[state.count]
      state.count += 1
      state.lines.append(request.line)
      if let data = request.form["client_data"] { state.proofs[data, default: 0] += 1 }
      defer { if fault != .late { state.late = [] } }
      return (fault, fault == .late ? [] : state.late, state.isDown)
    }
    if isDown() { throw Self.lost }
    switch fault {
    case .requestLost: throw Self.lost
    case .answerLost:
      _ = try await server.send(request)
      throw Self.lost
    case .doubledFirst:
      let first = try await server.send(request)
      _ = try await server.send(request)
      return first
    case .doubledSecond:
      _ = try await server.send(request)
      return try await server.send(request)
    case .late:
      state.withLock { $0.late.append(request) }
      throw Self.lost
    case nil:
      let response = try await server.send(request)
      for request in late { _ = try await server.send(request) }
      return response
    }
  }

  private static var lost: AuthenticatorError {
    AuthenticatorError(
      .transportFailed, stage: "http", underlying: TransportFailure(mayHaveArrived: true, detail: "lost on order"))
  }
}
