import AuthenticatorCoding
import AuthenticatorCrypto

/// What a UAF client does with a request: builds the final challenge and wraps assertions into a response. A test bends
/// the parts.
public struct TestUAFClient: Sendable {
  public var facetID = "https://rp.example"
  public var channelBinding: JSONObject = [:]

  public init() {}

  /// The final challenge of a request's first entry as base64url, and its hash.
  public func finalChallenge(
    for request: JSONValue, bend: (inout JSONObject) -> Void = { _ in }
  ) -> (text: String, hash: [UInt8]) {
    let appID = request[0]?["header"]?["appID"]?.stringValue ?? ""
    var object: JSONObject = [
      "appID": .string(appID.isEmpty ? facetID : appID), "challenge": request[0]?["challenge"] ?? .null,
      "facetID": .string(facetID), "channelBinding": .object(channelBinding),
    ]
    bend(&object)
    let text = Base64URL.encode(object.serialized())
    return (text, SHA256.hash(Array(text.utf8)))
  }

  /// A response to the request's first entry.
  public func response(
    to request: JSONValue, finalChallenge text: String, assertions: [[UInt8]]
  ) -> JSONObject {
    [
      "header": request[0]?["header"] ?? .null, "fcParams": .string(text),
      "assertions": .array(
        assertions.map { ["assertionScheme": "UAFV1TLV", "assertion": .string(Base64URL.encode($0))] }),
    ]
  }

  /// The whole of a registration by one authenticator, as message text.
  public func register(_ authenticator: TestUAFAuthenticator, _ request: JSONValue) throws -> String {
    let final = finalChallenge(for: request)
    let assertion = try authenticator.registration(finalChallengeHash: final.hash)
    return JSONValue.array([
      .object(response(to: request, finalChallenge: final.text, assertions: [assertion]))
    ]).serializedString()
  }

  /// The whole of an authentication by one authenticator, whose counter rises; shows the request's first transaction.
  public func authenticate(_ authenticator: inout TestUAFAuthenticator, _ request: JSONValue) throws -> String {
    let final = finalChallenge(for: request)
    authenticator.signCounter += 1
    let content = request[0]?["transaction"]?[0]?["content"]?.stringValue
    let assertion = try authenticator.authentication(
      finalChallengeHash: final.hash, content: try content.map { try Base64URL.decode($0) })
    return JSONValue.array([
      .object(response(to: request, finalChallenge: final.text, assertions: [assertion]))
    ]).serializedString()
  }
}
