import AuthenticatorCoding
import AuthenticatorPublicSuffix
import TestVectors
import Testing

@testable import AuthenticatorWebAuthn

/// One case of the rules about relying party IDs.
struct RelyingPartyIDCase: Sendable, CustomTestStringConvertible {
  let json: JSONValue
  var testDescription: String { json["id"]?.stringValue ?? "?" }

  static let all: [RelyingPartyIDCase] =
    (try? JSONValue.parse(try Vectors.bytes("rpid-origin.json"))["cases"]?.arrayValue?.map(RelyingPartyIDCase.init))
    ?? []
}

@Suite("RelyingPartyIDRules") struct RelyingPartyIDTests {
  private let suffixes: SystemPublicSuffixList

  init() throws { suffixes = try SystemPublicSuffixList() }

  @Test func anAddressWithAPortIsAnOriginWithoutDomain() {
    #expect(WebOrigin("https://[::1]:8443")?.port == 8443)
    #expect(WebOrigin("https://[::1]")?.host == "[::1]")
    for text in ["https://[::1]:443", "https://[::1]x", "https://[::1]:", "https://[::1"] {
      #expect(WebOrigin(text) == nil)
    }
  }

  @Test func allCasesAreThere() { #expect(RelyingPartyIDCase.all.count == 144) }

  @Test(arguments: RelyingPartyIDCase.all)
  func judgesAsTheCaseSays(_ vector: RelyingPartyIDCase) throws {
    let rules = RelyingPartyIDRules(suffixes: suffixes, allowsLocalhost: true, nativeOrigins: [:])
    let origin = try #require(vector.json["origin"]?.stringValue)
    let verdict = rules.judge(origin: origin, requested: vector.json["rpId"]?.stringValue)
    if let effective = vector.json["effectiveRpId"]?.stringValue {
      #expect(verdict == .allowed(effective))
    } else if vector.json["allowed"]?.boolValue == false {
      if case .allowed = verdict { Issue.record("allowed") }
    } else {
      // Either is right; what is allowed must be hashed in lower-case ASCII.
      if case .allowed(let id) = verdict { #expect(Domain.isDomain(id)) }
    }
  }

  @Test func withoutAListOnlyEqualityCounts() {
    let rules = RelyingPartyIDRules(suffixes: nil, allowsLocalhost: false, nativeOrigins: [:])
    #expect(rules.judge(origin: "https://login.example.com", requested: "example.com") == .unrelated("example.com"))
    #expect(
      rules.judge(origin: "https://login.example.com", requested: "login.example.com")
        == .allowed("login.example.com"))
    #expect(rules.judge(origin: "http://localhost", requested: nil) == .refused)
  }

  @Test func nativeOriginsUseWhatWasConfiguredAndNothingElse() {
    let rules = RelyingPartyIDRules(
      suffixes: suffixes, allowsLocalhost: false,
      nativeOrigins: ["ios:bundle-id:com.example.app": ["example.com"], "app:two": ["a.example", "b.example"]])
    #expect(rules.judge(origin: "ios:bundle-id:com.example.app", requested: "example.com") == .allowed("example.com"))
    #expect(rules.judge(origin: "ios:bundle-id:com.example.app", requested: nil) == .allowed("example.com"))
    #expect(rules.judge(origin: "ios:bundle-id:com.example.app", requested: "www.example.com") == .refused)
    #expect(rules.judge(origin: "ios:bundle-id:com.example.app2", requested: "example.com") == .refused)
    #expect(rules.judge(origin: "app:two", requested: nil) == .refused)
  }
}
