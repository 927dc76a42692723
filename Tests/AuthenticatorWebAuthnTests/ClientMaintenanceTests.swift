import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import Synchronization
import Testing

@testable import AuthenticatorWebAuthn

@Suite("Signals and credential management") struct ClientMaintenanceTests {
  static let caller = WebAuthnCaller(origin: Platform.origin)

  @Test func anUnknownCredentialIsHiddenUntilItsServerNamesIt() async throws {
    let platform = try Platform(.match(), .match(), .approve)
    let client = try await platform.client()
    let authenticator = client.authenticator
    let made = try await authenticator.makeCredential(try platform.creation())
    let id = made.credential.id
    try await client.signalUnknownCredential(
      relyingPartyID: "example.org", credentialID: id.base64URLEncodedString(), caller: Self.caller)
    #expect(try await authenticator.credentials(of: "example.org").map(\.isHidden) == [true])
    #expect(try await authenticator.getAssertion(platform.assertion(id)).credentialID == id)
    #expect(await code { try await authenticator.getAssertion(platform.assertion()) } == .keyNotFound)
  }

  @Test func onlyAcceptedCredentialsAreOffered() async throws {
    let platform = try Platform(.match(), .match())
    let client = try await platform.client()
    let alice = try await client.authenticator.makeCredential(try platform.creation())
    _ = try await client.authenticator.makeCredential(try platform.creation(user: "bob"))
    func signal(_ ids: [String]) async throws -> [Bool] {
      try await client.signalAllAcceptedCredentials(
        relyingPartyID: "example.org", userID: "YWxpY2U", allAcceptedCredentialIDs: ids, caller: Self.caller)
      return try await client.authenticator.credentials(of: "example.org").map(\.isHidden)
    }
    #expect(try await signal(["AAAA"]) == [true, false])
    #expect(try await signal([alice.credential.id.base64URLEncodedString()]) == [false, false])
    #expect(try await signal([]) == [true, false])
  }

  @Test func namesFollowTheServer() async throws {
    let platform = try Platform(.match())
    let client = try await platform.client()
    _ = try await client.authenticator.makeCredential(try platform.creation())
    try await client.signalCurrentUserDetails(
      relyingPartyID: "example.org", userID: "YWxpY2U", name: "alice@new.example",
      displayName: String(repeating: "A", count: 100), caller: Self.caller)
    let credential = try #require(try await client.authenticator.credentials(of: "example.org").first)
    #expect(credential.userName == "alice@new.example" && credential.userDisplayName.count == 64)
    #expect(credential.relyingPartyName == "Example" && !credential.isHidden)
  }

  @Test func signalsTellNothingBack() async throws {
    let platform = try Platform(.match())
    let client = try await platform.client()
    let made = try await client.authenticator.makeCredential(try platform.creation())
    try await client.signalUnknownCredential(
      relyingPartyID: "example.org", credentialID: "AAAA", caller: Self.caller)
    platform.device.store.fail(.update)
    try await client.signalUnknownCredential(
      relyingPartyID: "example.org", credentialID: made.credential.id.base64URLEncodedString(), caller: Self.caller)
    platform.device.store.repair()
    #expect(try await client.authenticator.credentials(of: "example.org").map(\.isHidden) == [false])
  }

  @Test func malformedSignalsAreRefused() async throws {
    let client = try await Platform().client()
    #expect(
      await name {
        try await client.signalUnknownCredential(
          relyingPartyID: "example.org", credentialID: "a+b", caller: Self.caller)
      } == .type)
    #expect(
      await name {
        try await client.signalAllAcceptedCredentials(
          relyingPartyID: "example.org", userID: "YQ==", allAcceptedCredentialIDs: [], caller: Self.caller)
      } == .type)
    #expect(
      await name {
        try await client.signalCurrentUserDetails(
          relyingPartyID: "example.net", userID: "YQ", name: "", displayName: "", caller: Self.caller)
      } == .security)
  }

  @Test func capabilitiesAreNamedInOrder() async throws {
    let client = try await Platform().client()
    let capabilities = await client.clientCapabilities()
    #expect(capabilities.map(\.name) == capabilities.map(\.name).sorted())
    let byName = Dictionary(uniqueKeysWithValues: capabilities.map { ($0.name, $0.isSupported) })
    #expect(byName["conditionalCreate"] == true && byName["conditionalGet"] == true)
    #expect(byName["hybridTransport"] == false && byName["relatedOrigins"] == false)
    #expect(byName["userVerifyingPlatformAuthenticator"] == true && byName["extension:prf"] == true)
    let none = Dictionary(
      uniqueKeysWithValues: await (try await Platform().client(.none)).clientCapabilities()
        .map { ($0.name, $0.isSupported) })
    #expect(none["userVerifyingPlatformAuthenticator"] == false)
  }

  @Test func credentialsAreDeletedByName() async throws {
    let platform = try Platform(.match(), .match())
    let authenticator = try await platform.authenticator()
    let made = try await authenticator.makeCredential(try platform.creation())
    let unnamed = try await authenticator.makeCredential(try platform.creation(discoverable: false))
    #expect(try await authenticator.credentials(of: "example.org").map(\.id) == [made.credential.id])
    try await authenticator.deleteCredential(made.credential.id, of: "example.org")
    #expect(
      await code { try await authenticator.deleteCredential(made.credential.id, of: "example.org") } == .keyNotFound)
    #expect(
      await code { try await authenticator.deleteCredential(unnamed.credential.id, of: "example.net") }
        == .keyNotFound)
    try await authenticator.deleteCredentials(of: "example.org")
    #expect(try await platform.records().isEmpty)
  }
}

@Suite("RelatedOrigins") struct RelatedOriginTests {
  /// Answers by URL, and keeps what was asked.
  private final class Web: HTTPTransport {
    private let answers: [String: HTTPResponse]
    let asked = Mutex<[HTTPRequest]>([])

    init(_ answers: [String: HTTPResponse]) { self.answers = answers }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
      asked.withLock { $0.append(request) }
      guard let answer = answers[request.url.description] else { throw AuthenticatorError(.transportFailed) }
      return answer
    }
  }

  private static let path = "https://example.net/.well-known/webauthn"

  private static func answer(
    _ body: String, status: Int = 200, type: String = "application/json; charset=utf-8"
  ) -> HTTPResponse {
    HTTPResponse(status: status, fields: [HTTPField("content-type", type)], body: Array(body.utf8))
  }

  private func outcome(_ answers: [String: HTTPResponse], origin: String = Platform.origin) async throws
    -> (name: DOMExceptionName?, web: Web)
  {
    let platform = try Platform(.match())
    let client = try await platform.client()
    let web = Web(answers)
    client.configuration.transport = web
    var options = OptionsJSON.creation
    options["rp"] = ["id": "example.net", "name": "Example"]
    let json = JSONValue.object(options)
    let caller = WebAuthnCaller(origin: origin)
    return (await name { try await client.create(json: json, caller: caller) }, web)
  }

  @Test func aNamedOriginMayUseTheRelyingPartyID() async throws {
    let (name, web) = try await outcome([
      Self.path: Self.answer(#"{"origins": ["https://example.de", "https://example.org"]}"#)
    ])
    #expect(name == nil)
    let request = try #require(web.asked.withLock { $0.first })
    #expect(request.method == "GET" && request.fields.map(\.name) == ["Accept"])
  }

  @Test(arguments: [
    answer(#"{"origins": ["https://example.de"]}"#), answer(#"{"origins": []}"#), answer(#"{"origins": {}}"#),
    answer(#"["https://example.org"]"#), answer(#"{"origins": ["https://example.org", 5]}"#), answer("{"),
    answer(#"{"origins": ["https://example.org"]}"#, status: 404),
    answer(#"{"origins": ["https://example.org"]}"#, type: "text/html"),
    answer(#"{"origins": ["https://example.org/"]}"#), answer(#"{"origins": ["http://example.org"]}"#),
    answer(#"{"origins": ["https://www.example.org"]}"#),
    HTTPResponse(status: 200, fields: [], body: Array(#"{"origins": ["https://example.org"]}"#.utf8)),
  ])
  func anythingElseIsASecurityError(_ answer: HTTPResponse) async throws {
    #expect(try await outcome([Self.path: answer]).name == .security)
  }

  /// Each cause has its own words, and none says what was received.
  @Test(
    arguments: [
      (answer(#"{"origins": ["https://example.de"]}"#), "does not name the origin"),
      (answer(#"{"origins": []}"#), "is empty"), (answer("{"), "is no JSON with the member origins"),
      (answer("{}", status: 404), "was answered with status 404"),
      (answer("{}", type: "text/html"), "is not of the type application/json"),
      (
        answer(
          #"{"origins": ["https://a.de", "https://b.de", "https://c.de", "https://d.de", "https://e.de", "https://example.org"]}"#
        ), "names the origin only after more labels than count"
      ), (nil, "cannot be fetched (transportFailed)"),
    ] as [(HTTPResponse?, String)])
  func theCauseIsTold(_ answer: HTTPResponse?, _ words: String) async throws {
    let platform = try Platform()
    let client = try await platform.client()
    client.configuration.transport = Web(answer.map { [Self.path: $0] } ?? [:])
    var options = OptionsJSON.creation
    options["rp"] = ["id": "example.net", "name": "Example"]
    let json = JSONValue.object(options)
    do {
      _ = try await client.create(json: json, caller: WebAuthnCaller(origin: Platform.origin))
      Issue.record("accepted")
    } catch let error as WebAuthnError {
      #expect(error.name == .security && error.reason.contains(words), "\(error.reason)")
    }
  }

  @Test func anUnreachableListNamesNobody() async throws {
    #expect(try await outcome([:]).name == .security)
  }

  @Test func redirectsAreFollowedOverHTTPSOnly() async throws {
    func redirect(_ location: String) -> HTTPResponse {
      HTTPResponse(status: 302, fields: [HTTPField("Location", location)], body: [])
    }
    let list = Self.answer(#"{"origins": ["https://example.org"]}"#)
    #expect(
      try await outcome([Self.path: redirect("/other"), "https://example.net/other": list]).name == nil)
    for (location, place) in [
      ("https://cdn.example/x", "https://cdn.example/x"), ("//cdn.example/x", "https://cdn.example/x"),
      ("origins", "https://example.net/.well-known/origins"), ("./a/../b#c", "https://example.net/.well-known/b"),
      ("../x?y=1", "https://example.net/x?y=1"), ("?v=2", Self.path + "?v=2"),
      ("HTTPS://cdn.example", "https://cdn.example/"),
    ] {
      #expect(try await outcome([Self.path: redirect(location), place: list]).name == nil, "\(location)")
    }
    for location in ["", "#x", "ftp://example.net/x", "data:,x", "//", "http:origins", "a b"] {
      #expect(try await outcome([Self.path: redirect(location)]).name == .security, "\(location)")
    }
    #expect(
      try await outcome([Self.path: redirect("http://example.net/x"), "http://example.net/x": list]).name == .security)
    let (name, web) = try await outcome([Self.path: redirect(Self.path)])
    #expect(name == .security && web.asked.withLock { $0.count } == 6)
  }

  @Test func labelsBeyondTheLimitArePassedOver() async throws {
    let five = (1...5).map { #""https://site\#($0).example""# }.joined(separator: ", ")
    #expect(
      try await outcome([Self.path: Self.answer(#"{"origins": [\#(five), "https://example.org"]}"#)]).name == .security)
    // A known label still counts, wherever it stands and below whatever suffix.
    let known = #"{"origins": ["https://example.de", \#(five), "https://example.org"]}"#
    #expect(try await outcome([Self.path: Self.answer(known)]).name == nil)
  }
}

@Suite("DOMExceptionName") struct DOMExceptionNameTests {
  /// The names WebAuthn's lists of exceptions have, with those of the options' readers.
  private static let known: Set<DOMExceptionName> = [
    .abort, .constraint, .data, .encoding, .invalidState, .notAllowed, .notSupported, .security, .syntax, .timeout,
    .type, .unknown,
  ]

  @Test(arguments: AuthenticatorError.Code.known + [.constraintNotMet, AuthenticatorError.Code(rawValue: "foreign")])
  func everyCodeHasAName(_ code: AuthenticatorError.Code) {
    #expect(Self.known.contains(DOMExceptionName(code)))
    let created = DOMExceptionName(code, told: .create)
    #expect([.abort, .constraint, .invalidState, .notSupported, .notAllowed].contains(created))
    let signedIn = DOMExceptionName(code, told: .get)
    #expect([.abort, .notAllowed].contains(signedIn))
  }

  @Test func theNamesOfTheMostFrequentEnds() {
    #expect(DOMExceptionName(.userCanceled) == .notAllowed)
    #expect(DOMExceptionName(.timedOut) == .timeout)
    #expect(DOMExceptionName(.credentialExcluded) == .invalidState)
    #expect(DOMExceptionName(.unsupportedAlgorithm) == .notSupported)
    #expect(DOMExceptionName(.constraintNotMet) == .constraint)
    #expect(DOMExceptionName(.storageFailed) == .unknown)
    #expect(DOMExceptionName(.appCanceled) == .abort)
  }

  @Test(arguments: AuthenticatorError.Code.known)
  func everyCodeHasACTAP2Status(_ code: AuthenticatorError.Code) {
    let status = CTAP2Status(code)
    #expect(status != .ok)
    if code == .storageFailed { #expect(status == .other) }
    if code == .userCanceled { #expect(status == .operationDenied) }
    if code == .credentialExcluded { #expect(status == .credentialExcluded) }
  }
}
