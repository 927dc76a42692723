import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import Testing

@testable import AuthenticatorUAF

struct FacetTests {
  private static let rules = FacetDomainRules { host in
    host.split(separator: ".").suffix(2).joined(separator: ".")
  }
  private static let appID = "https://www.example.org/facets"
  private static let app = "ios:bundle-id:com.example.app"
  private static let list: JSONValue = [
    "trustedFacets": [["version": ["major": 1, "minor": 1], "ids": [.string(app)]]]
  ]
  private static let type = HTTPField("Content-Type", "application/fido.trusted-apps+json; charset=utf-8")

  private struct Kit {
    let transport = ScriptedTransport()
    let environment = TestEnvironment()
    let facets = FacetAuthorization()
    let configuration: UAFClientConfiguration

    init() throws {
      configuration = UAFClientConfiguration(
        context: try TestDevice().context, authenticators: [], transport: transport, domainRules: FacetTests.rules)
    }

    @discardableResult
    func resolve(
      _ appID: String?, _ facet: String = FacetTests.app, version: UAFVersion = .v11
    ) async throws -> String {
      let caller = try FacetID(facet)
      if let address = try FacetAuthorization.listAddress(of: appID, for: caller) {
        try await facets.authorize(
          caller, by: address, version: version, configuration: configuration,
          until: environment.clock.uptime + .seconds(60), in: environment.environment)
      }
      return caller.application(appID).id
    }
  }

  @Test func decidesAsTheVectorsSay() async throws {
    for vector in try UAFVectors().all("facet") {
      let id = try vector.text("id")
      let kit = try Kit()
      if id.hasPrefix("fac-redirect") {
        var fields = [HTTPField("Location", "https://other.example.org/list")]
        if vector["redirectHeader"]?.stringValue != nil {
          fields.append(HTTPField("FIDO-AppID-Redirect-Authorized", "true"))
        }
        kit.transport.add(302, text: "", fields: fields)
      }
      if let document = vector["trustedFacetsDocument"], !document.isNull {
        let type = vector["responseContentType"]?.stringValue
        kit.transport.add(json: document, fields: [type.map { HTTPField("Content-Type", $0) } ?? Self.type])
      }
      let facet = try vector.text("callerFacetID")
      if try vector.text("expect") == "allowed" {
        let resolved = try await kit.resolve(try vector.text("appID"), facet)
        if let expected = vector["resultingAppID"]?.stringValue { #expect(resolved == expected, "\(id)") }
      } else {
        await #expect(throws: AuthenticatorError(.untrustedFacet), "\(id)") {
          try await kit.resolve(try vector.text("appID"), facet)
        }
      }
    }
  }

  @Test(arguments: [
    "https://", "https://exa mple.org", "https://user@www.example.org/facets", "https://www.example.org/#f",
    "https://www.example.org:99999/", "https:www.example.org", "https://www.exämple.org/",
  ])
  func refusesMalformedAppIDsBeforeTheNetwork(_ appID: String) async throws {
    let kit = try Kit()
    await #expect(throws: AuthenticatorError(.invalidMessage)) { try await kit.resolve(appID) }
    #expect(kit.transport.requests.isEmpty)
  }

  @Test(arguments: ["http://www.example.org/facets", "ftp://x", "not an address", "android:apk-key-hash:abc"])
  func neverFetchesFromWhatIsNotHTTPS(_ appID: String) async throws {
    let kit = try Kit()
    await #expect(throws: AuthenticatorError(.untrustedFacet)) { try await kit.resolve(appID) }
    #expect(kit.transport.requests.isEmpty)
  }

  @Test func keepsAListAsLongAsItsHeadersAllow() async throws {
    let kit = try Kit()
    kit.transport.add(
      json: Self.list, fields: [Self.type, HTTPField("Cache-Control", "public, max-age=600"), HTTPField("Age", "100")])
    try await kit.resolve(Self.appID)
    kit.environment.clock.advance(by: .seconds(499))
    try await kit.resolve(Self.appID)
    #expect(kit.transport.requests.count == 1)
    kit.environment.clock.advance(by: .seconds(2))
    kit.transport.add(json: Self.list, fields: [Self.type])
    try await kit.resolve(Self.appID)
    #expect(kit.transport.requests.count == 2)
    // Nothing was said the second time, so nothing was kept.
    await #expect(throws: AuthenticatorError(.untrustedFacet)) { try await kit.resolve(Self.appID) }
    #expect(kit.transport.requests.count == 3)
  }

  @Test(arguments: [
    ("Cache-Control", "no-store, max-age=600"), ("Cache-Control", "no-cache"), ("Cache-Control", "max-age=x"),
    ("Expires", "0"), ("Expires", "Thu, 01 Jan 1970 00:00:00 GMT"),
  ])
  func keepsNothingThatMustNotBeKept(_ name: String, _ value: String) async throws {
    let kit = try Kit()
    for _ in 0..<2 {
      kit.transport.add(json: Self.list, fields: [Self.type, HTTPField(name, value)])
      try await kit.resolve(Self.appID)
    }
    #expect(kit.transport.requests.count == 2)
  }

  @Test func sendsNothingButTheRequest() async throws {
    let kit = try Kit()
    kit.transport.add(json: Self.list, fields: [Self.type])
    try await kit.resolve(Self.appID)
    let request = try #require(kit.transport.requests.first)
    #expect(request.method == "GET")
    #expect(request.fields.map(\.name) == ["Accept"])
  }

  @Test func refusesAnswersThatAreNoList() async throws {
    let bodies = [
      "", "[]", "{}", #"{"trustedFacets": []}"#, #"{"trustedFacets": [{"ids": []}]}"#,
      #"{"trustedFacets": [{"version": {"major": 1, "minor": 1}, "ids": ["*"]}]}"#,
    ]
    for body in bodies {
      let kit = try Kit()
      kit.transport.add(text: body, fields: [Self.type])
      await #expect(throws: AuthenticatorError(.untrustedFacet), "\(body)") { try await kit.resolve(Self.appID) }
    }
    let kit = try Kit()
    kit.transport.add(404, json: Self.list, fields: [Self.type])
    await #expect(throws: AuthenticatorError(.untrustedFacet)) { try await kit.resolve(Self.appID) }
    kit.transport.addFailure(mayHaveArrived: false)
    await #expect(throws: AuthenticatorError(.untrustedFacet)) { try await kit.resolve(Self.appID) }
  }

  @Test func aSlowServerIsNoPersonWhoDoesNotAnswer() async throws {
    let transport = ScriptedTransport()
    let kit = try UAFKit { $0.transport = transport }
    let message = UAFKit.registration(.silent, header: UAFKit.header("Reg", appID: Self.appID + "?secret=1"))
    let clock = kit.device.environment.clock
    transport.addFailure(.timedOut, mayHaveArrived: true)
    // The second one leaves no time for what it redirects to.
    transport.add { _ in
      clock.advance(by: .seconds(600))
      return HTTPResponse(
        status: 302,
        fields: [HTTPField("Location", "/other"), HTTPField("FIDO-AppID-Redirect-Authorized", "true")], body: [])
    }
    for _ in 0..<2 {
      let result = await kit.client.register(message, facetID: Self.app)
      #expect(result.error == AuthenticatorError(.untrustedFacet) && result.outcome == .appNotFound)
      #expect(result.errorCode == .untrustedFacetID)
      let reason = result.error?.reason ?? ""
      #expect(reason.contains("list of trusted facets") && reason.contains(Self.appID) && !reason.contains("secret"))
    }
    #expect(transport.requests.count == 2)
  }

  @Test func followsNoRedirectToPlainHTTPAndNotForever() async throws {
    let authorized = HTTPField("FIDO-AppID-Redirect-Authorized", "true")
    let plain = try Kit()
    plain.transport.add(301, text: "", fields: [authorized, HTTPField("Location", "http://www.example.org/x")])
    await #expect(throws: AuthenticatorError(.untrustedFacet)) { try await plain.resolve(Self.appID) }
    #expect(plain.transport.requests.count == 1)
    let endless = try Kit()
    for _ in 0..<10 { endless.transport.add(302, text: "", fields: [authorized, HTTPField("Location", "/again")]) }
    await #expect(throws: AuthenticatorError(.untrustedFacet)) { try await endless.resolve(Self.appID) }
    #expect(endless.transport.requests.count == 6)
  }

  @Test(arguments: ["https://WWW.example.ORG", "https://www.example.org:443", "https://www.example.org/"])
  func comparesFacetsInOneForm(_ text: String) async throws {
    let kit = try Kit()
    #expect(try await kit.resolve(nil, text) == "https://www.example.org")
    let elsewhere = text.replacing("www", with: "pay").replacing("WWW", with: "PAY")
    let list: JSONValue = [
      "trustedFacets": [["version": ["major": 1, "minor": 1], "ids": ["HTTPS://user@Pay.Example.org:443/x?y#z"]]]
    ]
    kit.transport.add(json: list, fields: [Self.type])
    #expect(try await kit.resolve(Self.appID, elsewhere) == Self.appID)
  }

  @Test(arguments: ["https://RP.example", "https://rp.example:443", "https://rp.example/"])
  func tellsServersTheOneForm(_ text: String) async throws {
    let kit = try UAFKit()
    let response = try await kit.client.process(UAFKit.registration(.silent), facetID: text)
    #expect(try UAFResponse(response.uafProtocolMessage).facetID() == "https://rp.example")
    try await kit.client.notify(status: .ok, of: response, facetID: text)
    #expect(try await kit.client.registrations(facetID: "https://rp.example").map(\.appID) == ["https://rp.example"])
    let signed = await kit.client.authenticate(UAFKit.authentication(.silent), facetID: "https://rp.example")
    #expect(signed.outcome == .success)
    try await kit.client.deleteKeys(appID: nil, facetID: text)
    #expect(try await kit.records().isEmpty)
  }

  @Test func findsKeysThatWereMadeForTheTextAsItWas() async throws {
    let kit = try UAFKit()
    let text = "https://RP.example/"
    // As an earlier version made it: the caller's text named the application.
    let header = UAFKit.header("Reg", appID: text)
    let made = try await kit.client.process(UAFKit.registration(.silent, header: header), facetID: text)
    try await kit.client.notify(status: .ok, of: made, facetID: text)
    #expect(try await kit.records().map(\.owner.party) == [text])
    let old = try UAFKit.registered(made).keyID
    let signed = await kit.client.authenticate(UAFKit.authentication(.silent), facetID: text)
    #expect(try UAFKit.signed(signed.message).keyID == old)
    // A newer one takes its place.
    let response = try await kit.client.process(UAFKit.registration(.silent), facetID: text)
    try await kit.client.notify(status: .ok, of: response, facetID: text)
    #expect(try await kit.records().map(\.owner.party) == ["https://rp.example"])
  }

  @Test func aLimitedClientRemembersTheSameLists() async throws {
    let transport = ScriptedTransport()
    transport.add(json: Self.list, fields: [Self.type, HTTPField("Cache-Control", "max-age=600")])
    let kit = try UAFKit {
      $0.transport = transport
      $0.domainRules = Self.rules
    }
    let message = UAFKit.registration(.silent, header: UAFKit.header("Reg", appID: Self.appID))
    for _ in 0..<3 {
      let client = kit.client.limited(to: .seconds(5))
      #expect(client.configuration.timeout == .seconds(5))
      #expect(await client.checkPolicy(message, facetID: Self.app) == .noError)
    }
    #expect(transport.requests.count == 1)
    #expect(kit.client.limited(to: .seconds(1000)).configuration.timeout == .seconds(120))
  }

  @Test func withoutAListOfSuffixesTrustsOnlyTheSameHost() throws {
    let body: JSONValue = [
      "trustedFacets": [
        ["version": ["major": 1, "minor": 1], "ids": ["https://pay.example.org", "https://www.example.org:444"]]
      ]
    ]
    let list = try TrustedFacetList(
      body.serialized(), appID: try WebURL(Self.appID), rules: .sameHost)
    #expect(list.names(try FacetID("https://www.example.org:444"), version: .v11))
    #expect(!list.names(try FacetID("https://pay.example.org"), version: .v11))
  }

  @Test(arguments: [
    ("good", "https://www.example.org/a/good"), ("./good", "https://www.example.org/a/good"),
    ("../good?x=1", "https://www.example.org/good?x=1"), ("/good", "https://www.example.org/good"),
    ("?x", "https://www.example.org/a/list?x"), ("//other.example.org/good", "https://other.example.org/good"),
    ("https://other.example.org/good#part", "https://other.example.org/good"), ("b/..", "https://www.example.org/a/"),
    ("../../../good", "https://www.example.org/good"),
  ])
  func followsRelativeReferences(_ location: String, _ expected: String) throws {
    let base = try WebURL("https://www.example.org/a/list?y")
    #expect(FacetAuthorization.redirected(base, to: location) == (try WebURL(expected)))
  }

  @Test(arguments: ["", "#part", "http://www.example.org/", "javascript:alert(1)", "ftp:x", "https:", "a b"])
  func followsNothingElse(_ location: String) throws {
    let base = try WebURL("https://www.example.org/a/list")
    #expect(FacetAuthorization.redirected(base, to: location) == nil)
  }

  /// Which list it was and what was wrong with it, so that somebody can mend it.
  @Test func errorsNameTheAddressAndTheCause() async throws {
    func reason(_ prepare: (ScriptedTransport) -> Void) async throws -> String {
      let kit = try Kit()
      prepare(kit.transport)
      do {
        try await kit.resolve("https://www.example.org/facets?secret=1")
        return ""
      } catch let error as AuthenticatorError {
        #expect(error.code == .untrustedFacet && !error.reason.contains("secret"))
        return error.reason
      }
    }
    let place = "https://www.example.org/facets"
    let nonsense = try await reason { $0.add(200, text: "nonsense", fields: [Self.type]) }
    #expect(nonsense.contains(place) && nonsense.contains("JSON"))
    let refused = try await reason { $0.add(404, text: "") }
    #expect(refused.contains(place) && refused.contains("404"))
    let unreachable = try await reason {
      $0.add { _ in throw AuthenticatorError(.transportFailed, stage: "http", reason: "the host is not there") }
    }
    #expect(unreachable.contains(place) && unreachable.contains("the host is not there"))
  }
}
