import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Foundation
import Testing

/// The page's files and header fields. What the page does is judged in a browser, by `SignInPageJudgeTests`.
@Suite struct SignInPageTests {
  static let paths = [
    "/", "/page/page.css", "/page/icon.svg", "/page/main.js", "/page/client.js", "/page/view.js", "/page/step.js",
    "/page/callbacks.js", "/page/passkey.js", "/page/passkey-data.js", "/page/passkey-script.js",
  ]
  static let scripts = paths.filter { $0.hasSuffix(".js") }

  private func harness(
    journeys: [JourneyTree]? = nil, _ adjust: (inout JourneyServerConfiguration) -> Void = { _ in }
  ) async throws -> Harness {
    try await Harness(journeys: journeys) {
      $0.routes = [SignInPage()]
      $0.sessionCookie = .browsers
      adjust(&$0)
    }
  }

  private func get(
    _ path: String, method: String = "GET", query: String? = nil, fields: [HTTPField] = [], _ harness: Harness
  ) async -> ServerResponse {
    await harness.server.handle(ServerRequest(method: method, path: path, query: query, fields: fields))
  }

  // MARK: Files

  @Test(arguments: paths) func servesEachFileUnderAStrictPolicy(path: String) async throws {
    let response = await get(path, try await harness())
    #expect(response.status == 200)
    #expect(!response.body.isEmpty)
    #expect(response.value("X-Content-Type-Options") == "nosniff")
    #expect(response.value("X-Frame-Options") == "DENY")
    #expect(response.value("Referrer-Policy") == "no-referrer")
    #expect(response.value("Cache-Control") == "no-cache")
    let policy = try #require(response.value("Content-Security-Policy"))
    let directives = policy.components(separatedBy: "; ")
    for directive in [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
      "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "trusted-types 'none'",
      "require-trusted-types-for 'script'",
    ] { #expect(directives.contains(directive)) }
    #expect(!policy.contains("unsafe"))
  }

  @Test func saysWhatEachFileIs() async throws {
    let harness = try await harness()
    for path in Self.paths {
      let type = await get(path, harness).value("Content-Type")
      switch path {
      case "/": #expect(type == "text/html;charset=UTF-8")
      case "/page/page.css": #expect(type == "text/css;charset=UTF-8")
      case "/page/icon.svg": #expect(type == "image/svg+xml")
      default: #expect(type == "text/javascript;charset=UTF-8")
      }
    }
  }

  @Test(arguments: paths) func spareBrowsersWhatTheyHave(path: String) async throws {
    let harness = try await harness()
    let tag = try #require(await get(path, harness).value("ETag"))
    for known in [tag, "W/\(tag)", "\"other\", \(tag)"] {
      let response = await get(path, fields: [HTTPField("If-None-Match", known)], harness)
      #expect(response.status == 304)
      #expect(response.body.isEmpty)
      #expect(response.value("Content-Security-Policy") != nil)
    }
    #expect(await get(path, fields: [HTTPField("If-None-Match", "\"other\"")], harness).status == 200)
  }

  @Test(arguments: paths + ["/page/server.json"]) func takesReadingAlone(path: String) async throws {
    let harness = try await harness()
    #expect(await get(path, method: "HEAD", harness).status == 200)
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "get"] {
      let response = await get(path, method: method, harness)
      #expect(response.status == 405)
      #expect(response.value("Allow") == "GET, HEAD")
      #expect(response.body.isEmpty)
    }
  }

  @Test(arguments: [
    "/page", "/page/", "/page/../page/main.js", "/page/%6dain.js", "/page/main.js/", "/page//main.js", "/page/Main.js",
    "/page/index.html", "/index.html", "/favicon.ico", "//", "/page/main.js%00", "/page/\u{0}", "",
  ]) func knowsNoOtherPath(path: String) async throws {
    #expect(await get(path, try await harness()).status == 404)
  }

  @Test func isThereOnlyWhenAskedFor() async throws {
    let harness = try await Harness()
    for path in Self.paths + ["/page/server.json"] { #expect(await get(path, harness).status == 404) }
  }

  @Test(arguments: paths) func namesNothingElsewhere(path: String) async throws {
    let response = await get(path, try await harness())
    let text = String(decoding: response.body, as: UTF8.self).replacing("http://www.w3.org/2000/svg", with: "")
    #expect(!text.contains(/https?:\/\//))
    #expect(!text.contains(/url\(|@import/))
  }

  @Test func theDocumentHoldsNoScriptAndNoStyleOfItsOwn() async throws {
    let text = String(decoding: await get("/", try await harness()).body, as: UTF8.self)
    #expect(!text.contains(/<style|style=|\son\w+=|javascript:/))
    let scripts = text.matches(of: /<script/)
    #expect(scripts.count == text.matches(of: /<script [^>]*src="\/page\/[a-z.]+"><\/script>/).count)
    // Every file that it names is there.
    for match in text.matches(of: /(?:src|href)="([^"]+)"/) { #expect(Self.paths.contains(String(match.1))) }
  }

  @Test(arguments: scripts) func scriptsImportOnlyWhatIsServed(path: String) async throws {
    let text = String(decoding: await get(path, try await harness()).body, as: UTF8.self)
    for match in text.matches(of: /from "([^"]+)"/) { #expect(Self.paths.contains("/page/" + match.1.dropFirst(2))) }
    #expect(!text.contains(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|import\(/))
    #expect(!text.contains("localStorage") && !text.contains("sessionStorage") && !text.contains("document.cookie"))
    #expect(!text.contains("tokenId"))
  }

  // MARK: What the page is told

  @Test func tellsJourneysAndRealms() async throws {
    let response = await get("/page/server.json", try await harness())
    #expect(response.value("Content-Type") == "application/json;charset=UTF-8")
    #expect(response.value("Cache-Control") == "no-store")
    let told = try JSONValue.parse(response.body)
    #expect(told["contextPath"] == "/am")
    #expect(told["realms"]?[1] == ["path": "/alpha", "urlPath": "root/realms/alpha"])
    #expect(
      told["journeys"]?[0] == ["name": "Login", "description": "User name and password, to be retried three times"])
    #expect(told["journeys"]?.arrayValue?.count == BuiltInJourneys.descriptions.count)
  }

  @Test func tellsHostileNamesAsData() async throws {
    let name = "<img src=x onerror=alert(1)>\"'&</script>"
    let tree = try JourneyTree(name) { TreeStep("ask", TextOutputNode("x")).next(.success) }
    let response = await get("/page/server.json", try await harness(journeys: [tree]))
    #expect(response.value("X-Content-Type-Options") == "nosniff")
    #expect(try JSONValue.parse(response.body)["journeys"] == [["name": .string(name), "description": nil]])
  }

  // MARK: Sessions

  private static let browser = [
    HTTPField("Sec-Fetch-Site", "same-origin"), HTTPField("Origin", "http://localhost:8080"),
  ]

  private func signIn(_ harness: Harness, fields: [HTTPField]) async throws -> Answer {
    let page = try await harness.start("Login")
    return try await harness.send(
      "POST", Harness.base + "/authenticate", fields: fields, body: harness.credentials(page).serialized())
  }

  @Test func handsABrowserItsSessionInACookieAlone() async throws {
    let harness = try await harness()
    for fields in [Self.browser, [Self.browser[0]], [Self.browser[1]]] {
      let answer = try await signIn(harness, fields: fields)
      #expect(answer.status == 200)
      #expect(answer.token == "")
      let cookie = try #require(answer.response.value("Set-Cookie"))
      #expect(cookie.hasPrefix("iPlanetDirectoryPro=") && cookie.hasSuffix("; Path=/am; HttpOnly; SameSite=Lax"))
      let pair = try #require(cookie.split(separator: ";").first)
      let carried = fields + [HTTPField("Cookie", String(pair)), HTTPField("X-Requested-With", "sign-in-page")]
      let sessions = Harness.base + "/sessions"
      let valid = try await harness.send("POST", sessions, query: "_action=validate", fields: carried)
      #expect(valid.body == ["valid": true, "uid": "mira", "realm": "/alpha"])
      let out = try await harness.send("POST", sessions, query: "_action=logout", fields: carried)
      #expect(
        out.response.value("Set-Cookie") == "iPlanetDirectoryPro=; Path=/am; Max-Age=0; HttpOnly; SameSite=Lax")
      let after = try await harness.send("POST", sessions, query: "_action=validate", fields: carried)
      #expect(after.body == ["valid": false])
    }
  }

  @Test func handsAnyOtherClientItsTokenAndNoCookie() async throws {
    let answer = try await signIn(try await harness(), fields: [])
    #expect(answer.token?.isEmpty == false)
    #expect(answer.response.value("Set-Cookie") == nil)
  }

  @Test func marksTheCookieSecureWhenItIsReachedSo() async throws {
    let harness = try await harness { $0.publicURL = "https://id.example.com/am" }
    #expect(try await signIn(harness, fields: Self.browser).response.value("Set-Cookie")?.hasSuffix("; Secure") == true)
  }

  @Test(arguments: ["cross-site", "same-site", "SAME-ORIGIN", ""])
  func refusesWhatAPageFromElsewhereCauses(site: String) async throws {
    let harness = try await harness()
    let answer = try await signIn(harness, fields: [HTTPField("Sec-Fetch-Site", site)])
    #expect(answer.status == 403)
    #expect(answer.response.value("Set-Cookie") == nil)
    // The page itself may be linked to from anywhere.
    #expect(await get("/", fields: [HTTPField("Sec-Fetch-Site", site)], harness).status == 200)
  }

  // MARK: Parked journeys

  @Test func sendsAFollowedLinkToThePage() async throws {
    let harness = try await harness()
    let name = try await harness.start("Suspend")
    _ = try await harness.post(name.filled([0: ["": "mira"]]))
    let link = try #require(harness.links.all.last)
    let parts = link.url.split(separator: "?").map(String.init)
    let response = await get(parts[0], query: parts[1], harness)
    #expect(response.status == 303)
    #expect(response.value("Location") == "/?suspendedId=\(link.suspendedID)&realm=/alpha")
    #expect(response.value("Cache-Control") == "no-store")
    // Following the link used nothing up: posting does.
    #expect(try await harness.send("POST", parts[0], query: parts[1]).status == 200)
  }

  @Test(arguments: ["suspendedId=a%0d%0aSet-Cookie:x", "suspendedId=", "suspendedId=a%26b", "x=suspendedId=1", nil])
  func sendsNothingElseAnywhere(query: String?) async throws {
    let response = await get(Harness.base + "/authenticate", query: query, try await harness())
    #expect(response.status == 405)
    #expect(response.value("Location") == nil)
  }

  // MARK: On the network

  @Test func answersHEADWithoutABody() async throws {
    let harness = try await harness()
    let front = try HTTPFront(harness.server)
    do {
      let socket = try RawSocket(port: front.port)
      await socket.write("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      await socket.write("GET /page/view.js HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      let text = await socket.readAll()
      let answers = text.components(separatedBy: "HTTP/1.1 200 OK\r\n")
      #expect(answers.count == 3)
      #expect(answers[1].contains("Content-Type: text/html"))
      #expect(answers[1].hasSuffix("\r\n\r\n"))
      let document = await get("/", harness).body
      #expect(answers[1].contains("Content-Length: \(document.count)\r\n"))
      #expect(answers[2].hasSuffix(String(decoding: await get("/page/view.js", harness).body, as: UTF8.self)))
    }
    await front.stop()
  }
}

extension ServerResponse {
  fileprivate func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}
