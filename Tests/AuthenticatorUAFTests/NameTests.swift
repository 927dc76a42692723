import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorUAF
import Testing

/// Names of users, applications and facets are their bytes: what only looks alike is somebody else.
struct NameTests {
  /// Swift takes these for one text.
  private static let composed = "\u{E9}ve"
  private static let decomposed = "e\u{301}ve"

  private func kit(maximumKeys: Int? = nil) throws -> UAFKit {
    try UAFKit { configuration in
      configuration.authenticators = [
        UAFAuthenticatorModel(aaid: try UAFKit.Model.silent.aaid, behavior: .silent, maximumKeys: maximumKeys)
      ]
    }
  }

  @Test func usersWhoseNamesLookAlikeKeepTheirKeys() async throws {
    let kit = try kit()
    let first = try await kit.register(.silent, username: Self.composed).keyID
    let second = try await kit.register(.silent, username: Self.decomposed).keyID
    #expect(Set(try await kit.records().map(\.externalID)) == [first.bytes, second.bytes])
    for (name, keyID) in [(Self.composed, first), (Self.decomposed, second)] {
      let result = await kit.authenticate(UAFKit.authentication(.silent), steps: .choose(name))
      #expect(try UAFKit.signed(result.message).keyID == keyID)
    }
    // A newer key takes the place of its own user's alone.
    let newer = try await kit.register(.silent, username: Self.decomposed).keyID
    #expect(Set(try await kit.records().map(\.externalID)) == [first.bytes, newer.bytes])
  }

  @Test func roomIsCountedForEachName() async throws {
    let kit = try kit(maximumKeys: 1)
    try await kit.register(.silent, username: Self.composed)
    let other = UAFKit.registration(.silent, username: Self.decomposed)
    #expect(await kit.client.checkPolicy(other, facetID: UAFKit.facet) == .insufficientAuthenticatorResources)
    await #expect(throws: AuthenticatorError(.insufficientAuthenticatorResources)) {
      try await kit.client.process(other, facetID: UAFKit.facet)
    }
  }

  @Test func appsWhoseIdentitiesLookAlikeAreTwo() async throws {
    let kit = try kit()
    let facets = [Self.composed, Self.decomposed].map { "linux:exe:" + $0 }
    for facet in facets {
      // Nothing that was looked up for the other one is taken for this one's.
      let denied = await kit.client.authenticate(UAFKit.authentication(.silent), facetID: facet)
      #expect(denied.outcome == .accessDenied)
      let response = try await kit.client.process(UAFKit.registration(.silent), facetID: facet)
      try await kit.client.notify(status: .ok, of: response, facetID: facet)
      let result = await kit.client.authenticate(UAFKit.authentication(.silent), facetID: facet)
      #expect(try UAFKit.signed(result.message).keyID == UAFKit.registered(response).keyID)
      #expect(try await kit.client.registrations(facetID: facet).map(\.keys.count) == [1])
    }
    let header = UAFKit.header("Auth", appID: facets[0])
    let stranger = await kit.client.authenticate(UAFKit.authentication(.silent, header: header), facetID: facets[1])
    #expect(stranger.outcome == .appNotFound)
  }

  @Test func aListNamesNoFacetThatOnlyLooksAlike() async throws {
    let transport = ScriptedTransport()
    let list: JSONValue = [
      "trustedFacets": [["version": ["major": 1, "minor": 1], "ids": [.string("linux:exe:" + Self.composed)]]]
    ]
    let type = HTTPField("Content-Type", "application/fido.trusted-apps+json")
    for _ in 0..<2 { transport.add(json: list, fields: [type]) }
    let kit = try UAFKit { $0.transport = transport }
    let message = UAFKit.registration(.silent, header: UAFKit.header("Reg", appID: "https://rp.example/facets"))
    #expect(await kit.client.checkPolicy(message, facetID: "linux:exe:" + Self.composed) == .noError)
    #expect(await kit.client.checkPolicy(message, facetID: "linux:exe:" + Self.decomposed) == .untrustedFacetID)
  }
}
