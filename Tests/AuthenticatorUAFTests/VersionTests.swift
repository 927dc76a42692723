import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorUAF
import Testing

/// Which version of a message is answered: the highest that the message, the client and the admitted models share.
struct VersionTests {
  private static let (old, new): (JSONValue, JSONValue) = (["major": 1, "minor": 0], ["major": 1, "minor": 1])

  /// One message of several entries, each with its version.
  private static func joined(_ messages: UAFMessage...) throws -> UAFMessage {
    let entries = try messages.flatMap { try #require(try JSONValue.parse($0.uafProtocolMessage).arrayValue) }
    return UAFMessage(JSONValue.array(entries).serializedString())
  }

  private static func registration(_ versions: JSONValue..., models: [UAFKit.Model]) throws -> UAFMessage {
    let entries = try versions.map { version in
      let message = UAFKit.registration(
        policy: UAFKit.accepting(models.map(\.rawValue)), header: UAFKit.header("Reg", version: version))
      return try #require(try JSONValue.parse(message.uafProtocolMessage)[0])
    }
    return UAFMessage(JSONValue.array(entries).serializedString())
  }

  /// `silent` speaks 1.0 alone, `presence` both.
  private func kit() throws -> UAFKit {
    try UAFKit { configuration in
      configuration.authenticators = [
        UAFAuthenticatorModel(aaid: try UAFKit.Model.silent.aaid, behavior: .silent, versions: [.v10]),
        UAFAuthenticatorModel(aaid: try UAFKit.Model.presence.aaid, behavior: .presence),
      ]
    }
  }

  @Test func answersInTheVersionOfTheAdmittedModel() async throws {
    let kit = try kit()
    let message = try Self.registration(Self.old, Self.new, models: [.silent])
    #expect(await kit.client.checkPolicy(message, facetID: UAFKit.facet) == .noError)
    let response = try await kit.client.process(message, facetID: UAFKit.facet)
    #expect(try UAFResponse(response.uafProtocolMessage).header.upv == .v10)
    try await kit.client.notify(status: .ok, of: response, facetID: UAFKit.facet)
    let signed = try Self.joined(
      UAFKit.authentication(.silent, header: UAFKit.header("Auth", version: Self.new)),
      UAFKit.authentication(.silent, header: UAFKit.header("Auth", version: Self.old)))
    let result = await kit.client.authenticate(signed, facetID: UAFKit.facet)
    #expect(try UAFResponse(try #require(result.message).uafProtocolMessage).header.upv == .v10)
  }

  @Test func answersInTheHighestVersionThatWorks() async throws {
    let kit = try kit()
    kit.device.verifier.script([.approve])
    let response = try await kit.client.process(
      try Self.registration(Self.old, Self.new, models: [.silent, .presence]), facetID: UAFKit.facet)
    #expect(try UAFResponse(response.uafProtocolMessage).header.upv == .v11)
    #expect(try UAFKit.registered(response).aaid == UAFKit.Model.presence.aaid)
  }

  @Test func theKeyDecidesWhereBothVersionsAreAdmitted() async throws {
    let kit = try kit()
    let response = try await kit.client.process(
      try Self.registration(Self.old, models: [.silent]), facetID: UAFKit.facet)
    try await kit.client.notify(status: .ok, of: response, facetID: UAFKit.facet)
    let message = try Self.joined(
      UAFKit.authentication(.presence, .silent, header: UAFKit.header("Auth", version: Self.new)),
      UAFKit.authentication(.presence, .silent, header: UAFKit.header("Auth", version: Self.old)))
    let result = await kit.client.authenticate(message, facetID: UAFKit.facet)
    #expect(try UAFKit.signed(result.message).aaid == UAFKit.Model.silent.aaid)
  }

  @Test func saysWhyNoVersionWorks() async throws {
    let kit = try kit()
    let only = try Self.registration(Self.new, models: [.silent])
    #expect(await kit.client.register(only, facetID: UAFKit.facet).outcome == .unsupportedVersion)
    let none = try Self.registration(Self.old, Self.new, models: [.passcode])
    #expect(await kit.client.register(none, facetID: UAFKit.facet).outcome == .noMatch)
    let alone = try UAFKit { configuration in
      configuration.authenticators = [
        UAFAuthenticatorModel(aaid: try UAFKit.Model.silent.aaid, behavior: .silent, versions: [.v10])
      ]
    }
    #expect(await alone.client.register(only, facetID: UAFKit.facet).outcome == .unsupportedVersion)
    #expect(try await alone.records().isEmpty)
  }

  @Test func refusesEntriesThatAskForDifferentThings() async throws {
    let kit = try kit()
    let message = try Self.joined(
      UAFKit.authentication(.silent, header: UAFKit.header("Auth", version: Self.new)),
      UAFKit.registration(.silent, header: UAFKit.header("Reg", version: Self.old)))
    #expect(await kit.client.authenticate(message, facetID: UAFKit.facet).outcome == .protocolError)
    #expect(try await kit.records().isEmpty)
  }

  @Test func tellsVersionOneZeroOnlyTheCodesItHas() async throws {
    let kit = try kit()
    let message = UAFKit.authentication(.silent, header: UAFKit.header("Auth", version: Self.old))
    let result = await kit.client.authenticate(message, facetID: UAFKit.facet)
    #expect(result.outcome == .accessDenied)
    #expect(result.errorCode == .unknown)
    #expect(await kit.client.checkPolicy(message, facetID: UAFKit.facet) == .unknown)
    let newer = UAFKit.authentication(.presence)
    #expect(await kit.client.authenticate(newer, facetID: UAFKit.facet).errorCode == .authenticatorAccessDenied)
    #expect(await kit.client.checkPolicy(newer, facetID: UAFKit.facet) == .authenticatorAccessDenied)
  }
}
