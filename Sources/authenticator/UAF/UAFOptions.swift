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
  /// Where the models are from; nil: they are the tool's own.
  private let modelsPath: String?

  static let facet = Option(
    "--facet", .value("ID"), "who calls: https://example.org, or an app's identity such as linux:exe:com.example.app")
  static let certificates = Option(
    "--ca", .value("FILE"), "for lists of trusted facets, trust these certificates (PEM) instead of the system's")

  static let options =
    [
      Option(
        "--authenticators", .value("FILE"), "the models of this device (default: six for development, FFFF#0001 to 6)",
        readsInput: true),
      Option("--server", .value("URL"), "use the keys made in journeys of this server (default: those made here)"),
    ] + device

  /// For verbs that ask nobody anything.
  static let optionsWithoutPrompts = options.filter { !DeviceOptions.prompting.contains($0.name) }

  /// The models choose the authenticators, and UAF tells servers nothing of app and device.
  private static let device = DeviceOptions.withoutKeyMaking

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
    modelsPath = try arguments.text("--authenticators")
    models = try modelsPath.map(AuthenticatorsFile.models) ?? AuthenticatorsFile.standard
    certificateFile = try arguments.text("--ca")
  }

  /// Who calls, in a form that servers take: an https origin, or an app's identity.
  static func caller(_ text: String) throws -> String {
    guard (1...512).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Failure.usage("--facet is 1 to 512 characters of ASCII without spaces")
    }
    let start = text.prefix(8).lowercased()
    guard !start.hasPrefix("http:") else { throw Failure.usage("--facet: plain http is no facet") }
    guard start == "https://" else {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), !start.hasPrefix("https:") else {
        throw Failure.usage("--facet wants https://example.org, or an app's identity: linux:exe:com.example.app")
      }
      return text
    }
    guard let url = try? WebURL(text), url.path == "/", url.query == nil else {
      throw Failure.usage("--facet: an address is an origin, without path and query: https://example.org")
    }
    return text
  }

  /// A client over a store.
  func client(_ device: Device, over store: any KeyStore) throws -> UAFClient {
    try device.uafClient(
      models, of: modelsPath, over: store, instance: instance, certificateFile: certificateFile)
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
    let json = try InputFile.json(bytes, of: path)
    // As the HTTP profile posts responses; for all other forms the library has eyes.
    if json["uafProtocolMessage"] == nil, let response = json["uafResponse"]?.stringValue {
      return UAFMessage(response)
    }
    do { return try UAFMessage(parsing: String(decoding: bytes, as: UTF8.self)) } catch let error as AuthenticatorError
    {
      throw failure(error, in: path)
    }
  }

  /// Runs what a server's message leads to; a failure is printed with UAF's own words beside ours, and with the name of
  /// the file at fault.
  /// - Parameters:
  ///   - message: what is answered; nil: none, or a response.
  ///   - path: where message or response are from.
  func refusing<Value>(
    answering message: UAFMessage? = nil, in path: String? = nil, _ body: () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch let error as AuthenticatorError {
      let failure = Self.failure(error, message, in: path)
      throw failure.status == .unusable ? failure.of(device.storePath) : failure
    }
  }

  /// Stages at which the message itself is looked at.
  private static let reading: Set<String> = ["uaf.message", "uaf.extensions"]

  private static func failure(_ error: AuthenticatorError, _ message: UAFMessage? = nil, in path: String?) -> Failure {
    var failure = Failure(error)
    if let path, reading.contains(error.stage) { failure = failure.of(InputFile.name(path)) }
    let code = message.map { UAFErrorCode(error.code, answering: $0) } ?? UAFErrorCode(error.code)
    failure.details = [
      "uafErrorCode": .integer(Int64(code.rawValue)),
      "result": .string(UAFOutcome(error.code).rawValue),
    ]
    return failure
  }
}
