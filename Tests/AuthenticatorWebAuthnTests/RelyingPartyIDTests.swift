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
    for host in [
      "::", "1::", "::ffff:7f00:1", "2001:db8::1:0:0:1", "1:0:2:3:4:5:6:7", "1:2:3:4:5:6:7:8", "1::4:0:0:7:8",
    ] {
      #expect(WebOrigin("https://[\(host)]")?.host == "[\(host)]")
    }
    for text in ["https://[::1]:443", "https://[::1]x", "https://[::1]:", "https://[::1"] {
      #expect(WebOrigin(text) == nil)
    }
    for host in [
      "", "x \"", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::1::", "::A", "::01", "::+1", "::12345",
      "0::1",
      "1::2:3:4:5:6:7", "1:0:0:2:3:4:5:6", "1:0:0:4::7:8", "::127.0.0.1", "fe80::1%eth0", "[::1]",
    ] { #expect(WebOrigin("https://[\(host)]") == nil, "\(host)") }
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
