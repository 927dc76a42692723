import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

/// Where the relying party's ID and origins come from.
@Suite struct RelyingPartyIdentityTests {
  private func harness(
    _ address: String?, _ adjust: (inout WebAuthnRegistrationNode) -> Void = { _ in },
    configure: (inout WebAuthnConfiguration) -> Void = { _ in }
  ) async throws -> Harness {
    let node = WebAuthnRegistrationNode {
      $0.generatesRecoveryCodes = false
      adjust(&$0)
    }
    return try await Harness(journeys: [try WebAuthnTrees.tree(node)]) {
      $0.publicURL = address
      configure(&$0.webAuthn)
    }
  }

  private func isTaken(_ harness: Harness, from origin: String, for party: String) async throws -> Bool {
    var passkey = try Passkey()
    passkey.bend = {
      $0.origin = origin
      $0.relyingPartyID = party
    }
    return try await harness.end { try passkey.registration(for: $0) }.outcome == "success"
  }

  @Test(arguments: [
    ("https://id.example.org/am", "id.example.org", "https://id.example.org"),
    ("https://ID.Example.org:443/am", "id.example.org", "https://id.example.org"),
    ("https://id.example.org:8443", "id.example.org", "https://id.example.org:8443"),
    ("http://localhost:8080/am", "localhost", "http://localhost:8080"),
    ("http://127.0.0.1:8080/am", "localhost", "http://localhost:8080"),
    ("http://127.0.0.1:8080/am", "localhost", "http://127.0.0.1:8080"),
  ]) func theAddressSaysWhoTheServerIs(address: String, party: String, origin: String) async throws {
    let harness = try await harness(address)
    #expect(try await harness.question("WebAuthn", user: "mira").webAuthn?["_relyingPartyId"] == .string(party))
    #expect(try await isTaken(harness, from: origin, for: party))
    #expect(try await isTaken(harness, from: "https://other.example", for: party) == false)
  }

  @Test(
    arguments: ["http://192.0.2.7:80/am", "https://[2001:db8::1]/am", "", "/am", "ftp://id.example.org"] as [String])
  func anAddressThatNamesNoPartyIsAFault(address: String) async throws {
    let harness = try await harness(address)
    #expect(try await harness.question("WebAuthn", user: "mira").status == 500)
    #expect(harness.events.all == [.fault("node of the tree WebAuthn knows no relying party ID")])
  }

  @Test func aServerWithoutAddressNeedsItsConfiguration() async throws {
    let bare = try await harness(nil) { $0.relyingPartyID = "example.org" }
    #expect(try await bare.question("WebAuthn", user: "mira").status == 500)
    #expect(bare.events.all == [.fault("node of the tree WebAuthn knows no origin that may run its ceremonies")])
    let configured = try await harness(
      nil,
      configure: {
        $0.relyingPartyID = "example.org"
        $0.origins = ["https://app.example.org"]
      })
    #expect(try await isTaken(configured, from: "https://app.example.org", for: "example.org"))
  }

  @Test func theConfigurationAddsOrigins() async throws {
    let harness = try await harness(
      "https://id.example.org/am",
      configure: {
        $0.relyingPartyID = "example.org"
        $0.origins = ["ios:bundle-id:com.example.app", "android:apk-key-hash:abc"]
      })
    for origin in ["https://id.example.org", "ios:bundle-id:com.example.app", "android:apk-key-hash:abc"] {
      #expect(try await isTaken(harness, from: origin, for: "example.org"))
    }
    for origin in ["ios:bundle-id:com.example.app2", "IOS:bundle-id:com.example.app", "https://example.org"] {
      #expect(try await isTaken(harness, from: origin, for: "example.org") == false)
    }
    #expect(try await isTaken(harness, from: "https://id.example.org", for: "id.example.org") == false)
  }

  @Test func theNodesOwnOriginsTakeThePlaceOfAllOthers() async throws {
    let harness = try await harness("https://id.example.org/am") {
      $0.origins = ["https://app.example.org"]
      $0.relyingPartyID = "app.example.org"
    } configure: {
      $0.origins = ["ios:bundle-id:com.example.app"]
      $0.relyingPartyID = "example.org"
    }
    #expect(try await isTaken(harness, from: "https://app.example.org", for: "app.example.org"))
    for origin in ["https://id.example.org", "ios:bundle-id:com.example.app"] {
      #expect(try await isTaken(harness, from: origin, for: "app.example.org") == false)
    }
  }

  @Test func aRequestsOwnWordAboutItsOriginCountsForNothing() async throws {
    let harness = try await harness("https://id.example.org/am")
    let fields = [HTTPField("Origin", "https://evil.example"), HTTPField("Host", "evil.example")]
    let path = Harness.base + "/authenticate"
    let start = try await harness.send(
      "POST", path, query: "authIndexType=service&authIndexValue=WebAuthn", fields: fields)
    let page = try await harness.send(
      "POST", path, fields: fields, body: start.filled([0: ["": "mira"]]).serialized())
    #expect(page.webAuthn?["_relyingPartyId"] == "id.example.org")
    var passkey = try Passkey()
    passkey.bend = { $0.origin = "https://evil.example" }
    let end = try await harness.send(
      "POST", path, fields: fields, body: try page.answered(try passkey.registration(for: page)).serialized())
    #expect(end.outcome == "failure")
  }

  @Test func aServerOnASocketIsKnownByItsPort() async throws {
    let harness = try await harness(nil)
    let front = try HTTPFront(harness.server)
    let page = try await harness.question("WebAuthn", user: "mira")
    #expect(page.webAuthn?["_relyingPartyId"] == "localhost")
    #expect(try await isTaken(harness, from: "http://localhost:\(front.port)", for: "localhost"))
    #expect(try await isTaken(harness, from: "http://localhost:1", for: "localhost") == false)
    await front.stop()
  }
}
