import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorHTTP
import AuthenticatorJourney
import AuthenticatorJourneyServer
import AuthenticatorRelyingParty
import AuthenticatorTestSupport
import AuthenticatorUAF
import AuthenticatorUAFJourney
import Synchronization
import Testing

/// A scripted device with its journey client, and the embedded server behind a real socket.
final class SocketKit {
  static let payment = "Pay 10 EUR to Noor?"

  let device: TestDevice
  let client: UAFClient
  let transport: LossyTransport
  let journey: Journey
  let registry = InMemoryRegistry()
  private let refused: Refusals
  private let front: HTTPFront

  /// - Parameter adjust: changes what the server does about UAF.
  init(_ adjust: (inout UAFSettings) -> Void = { _ in }) async throws {
    let environment = TestEnvironment()
    let model = UAFAuthenticatorModel(aaid: try #require(AAID("FFFF#A002")), behavior: .biometricWithState)
    // What a model tells of itself does not depend on the server that it will be used with.
    let vendor = try TestDevice()
    let statements = await (try UAFClient(Self.configuration(vendor, model))).metadataStatements()
    let models = try UAFModels(json: .array(statements))
    let refused = Refusals()
    self.refused = refused
    let inside = try await InProcessServer(
      users: ["mira": "correct horse", "noor": "correct horse"], environment: environment.environment,
      registry: registry
    ) {
      $0.publicURL = nil
      $0.uaf.models = models
      $0.uaf.transactionText = Self.payment
      $0.log = { refused.note($0) }
      adjust(&$0.uaf)
    }
    front = try HTTPFront(inside.server)
    let settings = try JourneyConfiguration(server: front.url)
    device = try TestDevice(instance: settings.instance, environment: environment)
    client = try UAFClient(Self.configuration(device, model))
    transport = LossyTransport(try CurlTransport())
    journey = Journey(
      settings, transport: transport, environment: environment.environment,
      callbacks: CallbackRegistry.standard.registeringUAF(UAFJourneyConfiguration(client: client)))
  }

  private static func configuration(_ device: TestDevice, _ model: UAFAuthenticatorModel) -> UAFClientConfiguration {
    UAFClientConfiguration(context: device.context, authenticators: [model], responder: device.verifier)
  }

  /// How a journey went.
  struct Walk {
    /// What stood in the hidden fields: a message, or the client's words.
    var outcomes: [String] = []
    /// How often the password was asked for after a UAF step.
    var passwordsAfterUAF = 0
    var end: JourneyNode

    var isSignedIn: Bool { if case .success = end { true } else { false } }
    var isRefused: Bool { if case .failure = end { true } else { false } }
  }

  /// Walks a journey to its end; the person does these steps.
  func walk(
    _ name: String, as user: String = "mira", extras: UAFExtras? = nil, _ steps: ScriptedStep...
  ) async throws -> Walk {
    device.verifier.script(steps)
    var walk = Walk(end: try await journey.start(name, options: JourneyOptions(forceAuth: true)))
    for _ in 0..<10 {
      guard case .continue(let page) = walk.end else { return walk }
      page.callback(NameCallback.self)?.name = user
      if let callback = page.callback(PasswordCallback.self) {
        callback.password = "correct horse"
        if !walk.outcomes.isEmpty { walk.passwordsAfterUAF += 1 }
      }
      if let callback = page.callback(UAFCallback.self) {
        // A failure is an answer too, which the hidden field holds.
        do { try await callback.process(node: page, extras: extras) } catch is AuthenticatorError {}
        walk.outcomes.append(try #require(page.uafOutcome))
      }
      walk.end = try await page.next()
    }
    return walk
  }

  /// Registers, expecting it to work.
  func register(as user: String = "mira") async throws {
    try #require(try await walk("RegisterUAF", as: user, .match()).isSignedIn)
  }

  // MARK: Both sides

  /// The states of the keys here.
  func states() async throws -> [KeyRecord.State] {
    try await device.store.records(matching: .everything).map(\.state)
  }

  /// The KeyIDs here.
  func keyIDs() async throws -> Set<[UInt8]> {
    Set(try await device.store.records(matching: .everything).compactMap(\.externalID))
  }

  /// The keys that the server has of a user.
  func serverKeys(_ user: String = "mira") async throws -> [UAFKeyRecord] {
    let id = try #require(try await registry.user(named: user, in: .root)).id
    return try await registry.uafKeys(ofUser: id, realm: .root)
  }

  /// Whom a session is of.
  func signedIn(_ walk: Walk) async throws -> String? {
    guard case .success(let session) = walk.end else { return nil }
    let request = HTTPRequest(
      method: "POST",
      url: try WebURL(journey.configuration.instance + "/json/realms/root/sessions?_action=getSessionInfo"),
      fields: [
        HTTPField("Content-Type", "application/json"), HTTPField("Accept-API-Version", "resource=4.0"),
        HTTPField("iPlanetDirectoryPro", session.tokenID),
      ], body: Array("{}".utf8))
    return try await transport.send(request).json["username"]?.stringValue
  }

  /// The checks by which the server refused.
  var refusals: [String] { refused.all }
}

/// What the server refused.
private final class Refusals: Sendable {
  private let checks = Mutex<[String]>([])
  var all: [String] { checks.withLock { $0 } }

  func note(_ event: JourneyServerEvent) {
    guard case .proofRefused(_, let check) = event else { return }
    checks.withLock { $0.append(check) }
  }
}

/// A real transport that loses the answer to one request, which has arrived.
final class LossyTransport: HTTPTransport {
  private let inner: any HTTPTransport
  private let left = Mutex<Int?>(nil)

  init(_ inner: any HTTPTransport) { self.inner = inner }

  /// Loses the answer to the request after `count` others.
  func loseAnswer(after count: Int) { left.withLock { $0 = count } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let response = try await inner.send(request)
    let isLost = left.withLock { left in
      guard let count = left else { return false }
      left = count == 0 ? nil : count - 1
      return count == 0
    }
    guard !isLost else { throw AuthenticatorError(.transportFailed, stage: "test") }
    return response
  }
}

extension HTTPResponse {
  fileprivate var json: JSONValue {
    get throws { try JSONValue.parse(body) }
  }
}
