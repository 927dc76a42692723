import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer

extension FuzzTarget {
  /// The journey server in process: any request line and body, and answers to a real first step.
  ///
  /// An input is text: the path with its query up to the first line break, then the body. A body that contains
  /// `@authId` or `@webAuthn` gets the step token of a fresh journey in its place, one of plain callbacks or one that
  /// asks for a credential, so that mutations reach beyond the token.
  static let server: FuzzTarget = {
    let bench = ServerBench()
    return FuzzTarget(name: "server", maximumLength: 4096) { bytes in
      let server = try await bench.server()
      let end = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
      let target = bytes[..<end].split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
      let path = "/" + String(decoding: target.first ?? [], as: UTF8.self)
      let query = target.dropFirst().first.map { String(decoding: $0, as: UTF8.self) }
      var body = Array(bytes[end...].dropFirst())
      let text = String(decoding: body, as: UTF8.self)
      for (mark, journey) in [("@authId", "Callbacks"), ("@webAuthn", "LoginUsernameless")] {
        guard let place = text.firstRange(of: mark) else { continue }
        body = Array(text.replacingCharacters(in: place, with: try await bench.stepToken(of: journey)).utf8)
      }
      let method = body.isEmpty && query?.hasPrefix("_action") != true ? "GET" : "POST"
      for method in Set([method, "POST"]) {
        let response = await server.handle(
          ServerRequest(
            method: method, path: path, query: query,
            fields: [HTTPField("Content-Type", "application/json"), HTTPField("Accept-API-Version", "resource=2.1")],
            body: body))
        try expect((200..<600).contains(response.status), "an answer has a status")
        try expect(response.status != 500, "no request makes the server fail")
        try expect((try? JSONValue.parse(response.body))?.objectValue != nil, "an answer is a JSON object")
      }
    }
  }()
}

/// A server that is made at the first use and stays.
private actor ServerBench {
  private var made: JourneyServer?

  func server() async throws -> JourneyServer {
    if let made { return made }
    var configuration = try JourneyServerConfiguration(
      environment: AuthenticatorEnvironment(appIdentifier: nil, deviceName: "Fuzz"))
    configuration.deliver = { _ in }
    configuration.publicURL = "https://id.example.org/am"
    let server = try await JourneyServer(configuration: configuration, registry: InMemoryRegistry())
    made = server
    return server
  }

  /// The `authId` of a journey whose first step has no password in it, so that no derivation is paid.
  func stepToken(of journey: String) async throws -> String {
    let response = try await server().handle(
      ServerRequest(
        method: "POST", path: "/am/json/realms/root/authenticate",
        query: "authIndexType=service&authIndexValue=\(journey)"))
    guard let token = try JSONValue.parse(response.body)["authId"]?.stringValue else {
      throw FuzzTarget.Broken(promise: "a journey begins with a step token")
    }
    return token
  }
}
