import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorKeyStore
import AuthenticatorUAF

/// What the command line says about the UAF authenticators of this device, and who calls.
struct UAFOptions: Sendable {
  let models: [UAFAuthenticatorModel]
  /// Whose keys: those made in a journey belong to its server.
  let instance: String
  let device: DeviceOptions
  /// PEM certificates to trust for facet lists instead of the system's.
  let certificateFile: String?

  static let facet = Option(
    "--facet", .value("ID"), "who calls: https://example.org, or an app's identity such as linux:exe:com.example.app")
  static let certificates = Option(
    "--ca", .value("FILE"), "for lists of trusted facets, trust these certificates (PEM) instead of the system's")

  static let options =
    [
      Option(
        "--authenticators", .value("FILE"), "the models of this device (default: six for development, FFFF#0001 to 6)"),
      Option("--server", .value("URL"), "use the keys made in journeys of this server (default: those made here)"),
    ] + DeviceOptions.options.filter { !unused.contains($0.name) }

  /// The models choose the authenticators, and UAF tells servers nothing of app and device.
  private static let unused: Set<String> = ["--authenticator", "--app-id", "--device-name"]

  static let notes = [
    """
    The file of --authenticators: {"version": 1, "authenticators": [{"aaid", "behaviour": "passcode|uvs|delete|\
    bio-or-passcode|presence|silent|pin", and optionally members of a metadata statement, "attestationKey" and \
    "attestationChain" (PEM files)}]}.
    """
  ]

  init(_ arguments: Arguments) throws {
    device = try DeviceOptions(arguments)
    instance = try arguments.value("--server") == nil ? "" : LoginOptions.configuration(arguments).instance
    models = try arguments.text("--authenticators").map(AuthenticatorsFile.models) ?? AuthenticatorsFile.standard
    certificateFile = try arguments.text("--ca")
  }

  /// Who calls, in a form that could be anybody: an https origin, or an app's identity.
  static func caller(_ text: String) throws -> String {
    let isPrintable = text.unicodeScalars.allSatisfy {
      !$0.properties.isWhitespace && $0.value > 0x20 && $0.value != 0x7F
    }
    guard isPrintable, (1...512).contains(text.unicodeScalars.count) else {
      throw Failure.usage("--facet is 1 to 512 characters without spaces")
    }
    let start = text.prefix(8).lowercased()
    guard !start.hasPrefix("http:") else { throw Failure.usage("--facet: plain http is no facet") }
    guard start == "https://" else { return text }
    guard let url = try? WebURL(text), url.path == "/", url.query == nil else {
      throw Failure.usage("--facet: an address is an origin, without path and query: https://example.org")
    }
    return text
  }

  /// A client over a store.
  func client(_ device: Device, over store: any KeyStore) throws -> UAFClient {
    try device.uafClient(models, over: store, instance: instance, certificateFile: certificateFile)
  }

  /// A client that makes no store: what is not there stays not there.
  func existingClient(_ console: Console) async throws -> UAFClient {
    let device = try Device(device, console: console)
    let store: any KeyStore =
      try await device.store.existing() ?? InMemoryKeyStore(environment: device.person.environment)
    return try client(device, over: store)
  }

  /// A message from a file, wrapped or not.
  static func message(_ path: String) throws -> UAFMessage {
    let bytes = try InputFile.bytes(path)
    // What is no JSON is an unusable file; what is no message is refused by protocol.
    _ = try InputFile.json(bytes, of: path)
    do { return try UAFMessage(parsing: String(decoding: bytes, as: UTF8.self)) } catch let error as AuthenticatorError
    {
      throw failure(error)
    }
  }

  /// Runs what a server's message leads to; a failure is printed with UAF's own words beside ours.
  /// - Parameter message: what is answered; nil: none, or a response.
  static func refusing<Value>(
    answering message: UAFMessage? = nil, _ body: () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch let error as AuthenticatorError { throw failure(error, message) }
  }

  private static func failure(_ error: AuthenticatorError, _ message: UAFMessage? = nil) -> Failure {
    var failure = Failure(error)
    let code = message.map { UAFErrorCode(error.code, answering: $0) } ?? UAFErrorCode(error.code)
    failure.details = [
      "uafErrorCode": .integer(Int64(code.rawValue)),
      "result": .string(UAFOutcome(error.code).rawValue),
    ]
    return failure
  }
}
