import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer

extension FuzzTarget {
  /// The Frontend API in process: any request line and form, with what a client would have for it.
  ///
  /// An input is text: method and target up to the first line break, then the form. Words that begin with `@` stand for
  /// something real, percent-encoded: `@device` a credential, `@signIn`, `@clientData` and `@signature` a sign-in by
  /// it, `@prepared` and `@proof` the two halves of an enrollment with the key `@jwk`, `@session` the session of the
  /// client that sends it.
  static let frontend: FuzzTarget = {
    let bench = FrontendBench()
    return FuzzTarget(name: "frontend", maximumLength: 4096) { bytes in
      let (request, isWhole) = try await bench.request(bytes)
      let response = try await bench.send(request)
      try expect((200..<600).contains(response.status), "an answer has a status")
      try expect(response.status != 500, "no request makes the server fail")
      guard let body = (try? JSONValue.parse(response.body))?.objectValue else {
        throw Broken(promise: "an answer is a JSON object")
      }
      if response.status >= 400, request.path.hasPrefix("/v1/") {
        try expect(body["errors"]?[0]?["code"]?.stringValue != nil, "a refusal says its code")
      }
      let strategy = body["client"]?["last_authentication_strategy"]
      try expect(isWhole || strategy != "trusted_device", "nobody signs in without the whole signature")
    }
  }()
}

/// A server with one user, whose client is signed in, and whose other client has a credential.
private actor FrontendBench {
  private struct Made {
    let server: JourneyServer
    let key: PrivateKey
    let session: String
    let sessionToken: String
    let device: String
  }

  private static let application = JourneyServerConfiguration.defaultApplicationID
  private static let form = HTTPField("Content-Type", "application/x-www-form-urlencoded")
  private var made: Made?

  /// Reads an input. It is whole when the signature it carries is the right one, as it was made.
  func request(_ bytes: [UInt8]) async throws -> (request: ServerRequest, isWhole: Bool) {
    let made = try await start()
    var text = String(decoding: bytes, as: UTF8.self)
    let isWhole = text.contains("@signature")
    let token = text.hasPrefix("!") ? nil : made.sessionToken
    if token == nil { text.removeFirst() }
    let needed = ["@signIn", "@clientData", "@signature"].contains { text.contains($0) }
    let begun = needed ? try await begin(made) : nil
    let prepared = text.contains("@prepared") || text.contains("@proof") ? try await prepare(made) : nil
    let words = [
      ("@device", made.device), ("@session", made.session), ("@jwk", try Self.jwk(made.key)),
      ("@signIn", begun?.id ?? ""), ("@clientData", begun?.clientData ?? ""),
      ("@signature", try Self.sign(begun?.clientData ?? "", made.key)), ("@prepared", prepared ?? ""),
      ("@proof", try Self.sign(prepared ?? "", made.key)),
    ]
    for (word, value) in words {
      while let place = text.firstRange(of: word) { text.replaceSubrange(place, with: Self.encoded(value)) }
    }
    let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = lines[0].split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let target = (parts.last ?? "").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var fields = [Self.form]
    if let token = begun?.token ?? token { fields.append(HTTPField("Authorization", token)) }
    return (
      ServerRequest(
        method: String(parts.first ?? ""), path: String(target.first ?? ""),
        query: target.count > 1 ? String(target[1]) : nil, fields: fields,
        body: lines.count > 1 ? Array(lines[1].utf8) : []), isWhole
    )
  }

  func send(_ request: ServerRequest) async throws -> ServerResponse {
    let made = try await start()
    let response = await made.server.handle(request)
    // The next input finds a client that is signed in and a credential that is active.
    if request.path.contains("sessions") || request.path.contains("trusted_devices"), request.method != "GET",
      response.status == 200
    {
      self.made = nil
    }
    return response
  }

  // MARK: Making things

  private func start() async throws -> Made {
    if let made { return made }
    var configuration = try JourneyServerConfiguration(
      environment: AuthenticatorEnvironment(appIdentifier: nil, deviceName: "Fuzz"))
    configuration.passwordCost = ScryptParameters(logN: 4, r: 8, p: 1)
    configuration.passwordBounds = ScryptBounds(minimumLogN: 4)
    configuration.trustedDevices.signUp = true
    configuration.trustedDevices.pendingTasks = ["setup-mfa"]
    let server = try await JourneyServer(configuration: configuration, registry: InMemoryRegistry())
    try await server.addUser(named: "mira", password: "correct horse", in: .root)
    let key = try PrivateKey.generate(.es256)
    let signIn = try await Self.call(server, "client/sign_ins", "identifier=mira&password=correct+horse")
    guard let token = signIn.token, let session = signIn.body["response"]?["created_session_id"]?.stringValue else {
      throw FuzzTarget.Broken(promise: "a password signs in")
    }
    var form = try Self.enrollment(key)
    let prepared = try await Self.call(server, "me/trusted_devices/prepare", form, token: token)
    let text = prepared.body["response"]?["client_data"]?.stringValue ?? ""
    form += "&client_data=\(Self.encoded(text))&signature=\(try Self.sign(text, key))"
    let enrolled = try await Self.call(server, "me/trusted_devices/attempt", form, token: token)
    guard let device = enrolled.body["response"]?["id"]?.stringValue else {
      throw FuzzTarget.Broken(promise: "a device is enrolled")
    }
    let made = Made(server: server, key: key, session: session, sessionToken: token, device: device)
    self.made = made
    return made
  }

  private func begin(_ made: Made) async throws -> (id: String, clientData: String, token: String) {
    let begun = try await Self.call(
      made.server, "client/sign_ins", "strategy=trusted_device&trusted_device_id=\(made.device)")
    let sign = begun.body["response"]
    let challenge = sign?["first_factor_verification"]?["trusted_device_challenge"]
    guard let id = sign?["id"]?.stringValue, let text = challenge?["client_data"]?.stringValue,
      let token = begun.token
    else { throw FuzzTarget.Broken(promise: "a sign-in begins with a challenge") }
    return (id, text, token)
  }

  private func prepare(_ made: Made) async throws -> String {
    let prepared = try await Self.call(
      made.server, "me/trusted_devices/prepare", try Self.enrollment(made.key), token: made.sessionToken)
    return prepared.body["response"]?["client_data"]?.stringValue ?? ""
  }

  private static func call(
    _ server: JourneyServer, _ path: String, _ body: String, token: String? = nil
  ) async throws -> (body: JSONValue, token: String?) {
    let response = await server.handle(
      ServerRequest(
        method: "POST", path: "/v1/" + path, query: "_is_native=true",
        fields: [form] + (token.map { [HTTPField("Authorization", $0)] } ?? []), body: Array(body.utf8)))
    return (try JSONValue.parse(response.body), response.fields.first { $0.name == "Authorization" }?.value)
  }

  private static func enrollment(_ key: PrivateKey) throws -> String {
    "platform=linux&app_identifier=\(application)&algorithm=ES256&public_key_jwk=\(encoded(try jwk(key)))"
  }

  private static func jwk(_ key: PrivateKey) throws -> String {
    let point = key.publicKey.x963Representation ?? []
    guard point.count == 65 else { throw FuzzTarget.Broken(promise: "a key has a point") }
    return #"{"kty":"EC","crv":"P-256","x":"\#(Base64URL.encode(point[1..<33]))","#
      + #""y":"\#(Base64URL.encode(point[33...]))","alg":"ES256"}"#
  }

  private static func sign(_ text: String, _ key: PrivateKey) throws -> String {
    Base64URL.encode(try key.sign(Array(text.utf8)).rawRepresentation)
  }

  private static func encoded(_ text: String) -> String { text.utf8.map { "%" + Hex.encode([$0]) }.joined() }
}
