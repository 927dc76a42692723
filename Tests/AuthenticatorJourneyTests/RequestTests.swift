import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorTestSupport
import Testing

@Suite struct RequestTests {
  @Test func startsAtTheRealmsEndpoint() async throws {
    let client = try TestClient { $0.languages = ["de-CH", "de", "not a tag", "en"] }
    _ = try await client.start(Wire.login)
    let request = try #require(client.transport.requests.first)
    #expect(request.method == "POST")
    #expect(request.url.path == "/am/json/realms/root/realms/alpha/authenticate")
    #expect(request.queryItems == ["authIndexType": "service", "authIndexValue": "Login"])
    #expect(request.json == .object(JSONObject()))
    #expect(request.value("Content-Type") == "application/json")
    #expect(request.value("Accept-API-Version") == "resource=2.1, protocol=1.0")
    #expect(request.value("X-Requested-With") == "authenticator-kit")
    #expect(request.value("Accept-Language") == "de-CH, de;q=0.9, en;q=0.8")
    #expect(request.value("iPlanetDirectoryPro") == nil)
    #expect(request.value("Cookie") == nil)
    #expect(request.maximumBodyBytes == 1 << 20)
  }

  @Test func encodesNamesInTheQuery() async throws {
    let client = try TestClient()
    client.transport.add(json: Wire.success)
    _ = try await client.journey.start("A&B=c d/ü")
    #expect(client.transport.requests[0].queryItems["authIndexValue"] == "A%26B%3Dc%20d%2F%C3%BC")
  }

  @Test func sendsForceAuthOnStartAndNoSessionOnEveryStep() async throws {
    let client = try TestClient()
    let node = try await client.page(Wire.login, options: JourneyOptions(forceAuth: true, noSession: true))
    client.transport.add(json: Wire.success)
    _ = try await node.next()
    let (start, next) = (client.transport.requests[0].queryItems, client.transport.requests[1].queryItems)
    #expect(start["ForceAuth"] == "true")
    #expect(start["noSession"] == "true")
    #expect(next == ["noSession": "true"])
  }

  @Test func keepsFlagsOfOverlappingFlowsApart() async throws {
    let client = try TestClient { $0.overlap = .allow }
    let first = try await client.page(Wire.login, options: JourneyOptions(noSession: true))
    let second = try await client.page(Wire.login)
    client.transport.add(json: ["successUrl": "/1"])
    client.transport.add(json: Wire.success)
    client.transport.add(json: ["successUrl": "/3"])
    #expect(try await first.next().session?.hasToken == false)
    #expect(client.transport.requests[2].queryItems == ["noSession": "true"])
    #expect(try await second.next().session?.tokenID == "token-1")
    #expect(client.transport.requests[3].queryItems == [:])
    #expect(try await client.journey.session?.tokenID == "token-1")
  }

  @Test func namesOtherIndexTypes() async throws {
    let client = try TestClient()
    _ = try await client.start(Wire.success, options: JourneyOptions(index: .level))
    #expect(client.transport.requests[0].queryItems["authIndexType"] == "level")
  }

  @Test func refusesEmptyName() async throws {
    let client = try TestClient()
    #expect(await code { try await client.journey.start("") } == .invalidRequest)
    #expect(client.transport.requests.isEmpty)
  }

  // MARK: Resume

  @Test func resumesWithTheSuspendedIDAlone() async throws {
    let client = try TestClient()
    client.transport.add(json: Wire.success)
    let link = "https://other.example.net/XUI/?realm=%2Falpha&suspendedId=a%2Bb&x=1#frag?suspendedId=z"
    #expect(try await client.journey.resume(link).session?.tokenID == "token-1")
    let request = client.transport.requests[0]
    #expect(request.url.host == "am.example.com")
    #expect(request.queryItems == ["suspendedId": "a%2Bb"])
    #expect(request.json == .object(JSONObject()))
  }

  @Test(arguments: [
    "https://am.example.com/", "https://am.example.com/?suspendedId=", "https://am.example.com/?suspendedId",
    "https://am.example.com/?suspendedId=a&suspendedId=b", "https://am.example.com/?suspendedId=%zz",
    "https://am.example.com/?SuspendedID=a", "",
  ])
  func refusesLinkWithoutSingleID(_ link: String) async throws {
    let client = try TestClient()
    #expect(await code { try await client.journey.resume(link) } == .invalidRequest)
    #expect(client.transport.requests.isEmpty)
  }

  @Test(arguments: [
    "https://am.example.com/XUI/?realm=/beta&suspendedId=a",
    "https://am.example.com/json/realms/root/realms/beta/authenticate?suspendedId=a",
    "https://am.example.com/json/realms/root%2Frealms%2Fbeta/authenticate?suspendedId=a",
  ])
  func keepsTheLinkOfAnotherRealm(_ link: String) async throws {
    let client = try TestClient()
    #expect(await code { try await client.journey.resume(link) } == .invalidRequest)
    #expect(client.transport.requests.isEmpty)
    #expect(try SuspendedJourneyLink(link).realm == JourneyRealm("/beta"))
  }

  @Test func aLinkMayNameNoRealm() throws {
    #expect(try SuspendedJourneyLink("https://am.example.com/go?suspendedId=a").realm == nil)
    #expect(try SuspendedJourneyLink("https://am.example.com/?realm=/a&realm=/b&suspendedId=a").realm == nil)
    let root = "https://am.example.com/json/realms/root/authenticate?suspendedId=a"
    #expect(try SuspendedJourneyLink(root).realm == .root)
  }

  @Test func tellsParkedFlow() async throws {
    let client = try TestClient()
    let node = try await client.start(
      Wire.step(
        Wire.callback("SuspendedTextOutputCallback", [("message", "We sent you a link."), ("messageType", "0")])))
    guard case .suspended(let parked) = node else {
      Issue.record("not suspended")
      return
    }
    #expect(parked.message == "We sent you a link.")
    // Parked is over: another flow may start.
    client.transport.add(json: Wire.success)
    _ = try await client.journey.start("Login")
  }

  @Test func asksOnWhenParkedPageHasInputs() async throws {
    let client = try TestClient()
    let text = Wire.callback("SuspendedTextOutputCallback", [("message", "Sent")])
    #expect(try await client.start(Wire.step(text, Wire.name)).continueNode != nil)
  }
}
