import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorJOSE
import AuthenticatorJourneyServer
import TestVectors
import Testing

@Suite struct StepTokenVectorTests {
  /// The collection's step tokens get the verdicts it states under the rules this server checks its own by.
  @Test func givesThePublishedVerdicts() throws {
    let vectors = try JSONValue.parse(
      try Vectors.bytes("jws-negative.json"), limits: JSONLimits(bytes: 1 << 24, textBytes: 1 << 23))
    let settings = try #require(vectors["verifiers"]?["authId"])
    let now = try #require(vectors["now"]?.intValue)
    let realm = try #require(settings["realm"]?.stringValue.flatMap { Realm($0) })
    let rules = StepTokenRules.rules(
      realm: realm, tree: settings["tree"]?.stringValue,
      maximumLifetime: try #require(settings["max_lifetime_s"]?.intValue))
    #expect(rules.issuers == [settings["iss"]?.stringValue ?? ""])
    #expect(rules.audience == settings["aud"]?.stringValue)
    var secrets: [String: SecretBytes] = [:]
    for (name, key) in try #require(settings["keys"]?.objectValue).members.map({ ($0.name, $0.value) }) {
      secrets[name] = SecretBytes(try Base64URL.decode(try #require(key["k"]?.stringValue)))
    }
    let keys = try TokenKeys(current: try #require(secrets.keys.first), keys: secrets)
    var checked = 0
    for element in try #require(vectors["cases"]?.arrayValue) where element["verifier"] == "authId" {
      // A replay is refused by the registry: see `StepTokenTests`.
      // Tokens that are described and not written out are made by the tests of the token itself.
      guard element["group"] != "replay", element["expect"] != "either", element["generate"] == nil else { continue }
      let token = try #require(element["token"]?.stringValue)
      var isAccepted = true
      do { _ = try SignedToken.verify(token, keys: keys, rules: rules, now: now) } catch { isAccepted = false }
      #expect(isAccepted == (element["expect"] == "accept"), "\(element["id"]?.stringValue ?? "")")
      checked += 1
    }
    #expect(checked > 50)
  }
}
