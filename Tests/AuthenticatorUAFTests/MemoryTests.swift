import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorUAF
import Testing

/// A client remembers its last caller and the last policy: only the same ones may be taken for them.
@Suite struct MemoryTests {
  private func outcome(
    _ kit: UAFKit, _ message: UAFMessage, facetID: String = UAFKit.facet
  ) async -> AuthenticatorError? {
    await kit.client.authenticate(message, facetID: facetID).error
  }

  @Test func anotherCallerIsNotTakenForTheLastOne() async throws {
    let kit = try UAFKit()
    try await kit.register(.silent)
    let message = UAFKit.authentication(.silent, header: UAFKit.header("Auth", appID: UAFKit.facet))
    for _ in 0..<2 {
      #expect(await outcome(kit, message) == nil)
      #expect(
        await outcome(kit, message, facetID: "ios:bundle-id:com.example.apq") == AuthenticatorError(.untrustedFacet))
    }
  }

  @Test func theLastCallersOtherApplicationIsLookedAtAnew() async throws {
    let kit = try UAFKit()
    try await kit.register(.silent)
    #expect(await outcome(kit, UAFKit.authentication(.silent)) == nil)
    let foreign = UAFKit.authentication(.silent, header: UAFKit.header("Auth", appID: "ios:bundle-id:com.example.apq"))
    #expect(await outcome(kit, foreign) == AuthenticatorError(.untrustedFacet))
    #expect(await outcome(kit, UAFKit.authentication(.silent)) == nil)
  }

  /// Another copy of the store may have been put back under the client.
  @Test func anotherTokenOfTheStoreIsNotTakenForTheLastOne() async throws {
    let kit = try UAFKit()
    try await kit.register(.silent)
    let name = ItemName(owner: nil, name: "uaf.asmToken")
    let store = kit.device.context.keyStore
    let token = try #require(try await store.item(name))
    for _ in 0..<2 {
      try await store.setItem(name, to: [UInt8](repeating: 7, count: 32))
      #expect(await outcome(kit, UAFKit.authentication(.silent)) == AuthenticatorError(.keyAccessDenied))
      try await store.setItem(name, to: token)
      #expect(await outcome(kit, UAFKit.authentication(.silent)) == nil)
    }
  }

  @Test func callersThatLookAlikeAreTwo() async throws {
    let kit = try UAFKit()
    let (composed, decomposed) = ("ios:bundle-id:caf\u{E9}", "ios:bundle-id:cafe\u{301}")
    let response = try await kit.client.process(UAFKit.registration(.silent), facetID: composed)
    try await kit.client.notify(status: .ok, of: response, facetID: composed)
    for _ in 0..<2 {
      #expect(await outcome(kit, UAFKit.authentication(.silent), facetID: composed) == nil)
      #expect(await outcome(kit, UAFKit.authentication(.silent), facetID: decomposed) != nil)
    }
  }

  @Test func aPolicyThatDiffersInOneCharacterIsReadAnew() async throws {
    let kit = try UAFKit()
    let keyID = try await kit.register(.silent).keyID
    var bytes = keyID.bytes
    bytes[9] ^= 1
    let other = try #require(UAFKeyID(bytes: bytes))
    for _ in 0..<2 {
      #expect(await outcome(kit, UAFKit.authentication(.silent, keyIDs: [keyID])) == nil)
      #expect(await outcome(kit, UAFKit.authentication(.silent, keyIDs: [other])) != nil)
      #expect(await outcome(kit, UAFKit.authentication(.presence)) != nil)
    }
  }

  @Test func aPolicyThatIsMalformedStaysSo() async throws {
    let kit = try UAFKit()
    try await kit.register(.silent)
    for policy: JSONValue in [["accepted": []], ["accepted": [[["aaid": [1]]]]], [:], ["accepted": [[[:]]], "x": 1]] {
      for _ in 0..<2 {
        let message = UAFKit.authentication(policy: policy)
        #expect(await outcome(kit, message) == AuthenticatorError(.invalidMessage), "\(policy)")
      }
    }
  }
}
