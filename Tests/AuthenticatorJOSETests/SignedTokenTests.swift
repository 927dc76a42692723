import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorJOSE
import Testing

@Suite struct SignedTokenTests {
  private let now = 1_900_000_000
  private let rules = ClaimRules(
    issuers: ["server"], audience: "server/authenticate", purpose: "authId", required: ["realm": "/alpha"],
    maximumLifetime: 3600)
  private let old = SecretBytes(Array(repeating: 1, count: 32))
  private let new = SecretBytes(Array(repeating: 2, count: 32))

  private func keys(_ current: String = "old") throws -> TokenKeys {
    try TokenKeys(current: current, keys: ["old": old, "new": new])
  }

  private func issue(_ change: (inout ClaimRules) -> Void = { _ in }, lifetime: Int = 300) throws -> String {
    var rules = rules
    change(&rules)
    return try SignedToken.issue(["step": 2], rules: rules, keys: try keys(), now: now, lifetime: lifetime)
  }

  private func refusal(_ token: String, at time: Int? = nil, _ change: (inout ClaimRules) -> Void = { _ in })
    throws -> JOSEError.Code?
  {
    var rules = rules
    change(&rules)
    let keys = try keys()
    do {
      _ = try SignedToken.verify(token, keys: keys, rules: rules, now: time ?? now)
      return nil
    } catch { return (error as JOSEError).code }
  }

  @Test func takesBackWhatItIssued() throws {
    let token = try SignedToken.verify(try issue(), keys: try keys(), rules: rules, now: now)
    #expect(token.keyID == "old")
    #expect(
      token.claims == [
        "iss": "server", "aud": "server/authenticate", "purpose": "authId", "realm": "/alpha", "step": 2,
        "iat": .integer(Int64(now)), "exp": .integer(Int64(now + 300)),
      ])
  }

  /// RFC 7515 appendix A.1's signature; its payload's key has 64 bytes, which a token key may not have.
  @Test func codeMatchesTheExampleOfTheRFC() throws {
    let key = SecretBytes(
      try Base64URL.decode(
        "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"))
    let input =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
      + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    #expect(
      Base64URL.encode(HMACSHA256.authenticationCode(for: Array(input.utf8), key: key))
        == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    let error = #expect(throws: JOSEError.self) { try TokenKeys(current: "a", keys: ["a": key]) }
    #expect(error?.code == .invalidKey)
  }

  @Test func tokensOfAnEarlierKeyStayValid() throws {
    let token = try SignedToken.verify(try issue(), keys: try keys("new"), rules: rules, now: now)
    #expect(token.keyID == "old")
    let error = #expect(throws: JOSEError.self) {
      try SignedToken.verify(
        try issue(), keys: try TokenKeys(current: "new", keys: ["new": new]), rules: rules, now: now)
    }
    #expect(error?.code == .unknownKey)
  }

  @Test func theCurrentKeyMustBeThere() {
    let error = #expect(throws: JOSEError.self) { try TokenKeys(current: "x", keys: ["old": old]) }
    #expect(error?.code == .unknownKey)
  }

  @Test func timeEnds() throws {
    let token = try issue()
    #expect(try refusal(token, at: now + 299) == nil)
    #expect(try refusal(token, at: now + 300) == .expired)
    #expect(try refusal(token, at: now + 300) { $0.skew = 1 } == nil)
    #expect(try refusal(token, at: now - 1) == .notYetValid)
    #expect(try refusal(token, at: now - 1) { $0.skew = 1 } == nil)
    #expect(try refusal(token, at: .max) == .expired)
    #expect(try refusal(token, at: .min) == .notYetValid)
    #expect(try refusal(token) { $0.maximumLifetime = 299 } == .lifetimeExceeded)
  }

  @Test func claimsAreCompared() throws {
    #expect(try refusal(try issue()) == nil)
    #expect(try refusal(try issue { $0.issuers = ["other"] }) == .issuerMismatch)
    #expect(try refusal(try issue { $0.issuers = [] }) == .issuerMismatch)
    #expect(try refusal(try issue { $0.audience = "other" }) == .audienceMismatch)
    #expect(try refusal(try issue { $0.audience = nil }) == .audienceMismatch)
    #expect(try refusal(try issue { $0.purpose = "resume" }) == .purposeMismatch)
    #expect(try refusal(try issue { $0.purpose = nil }) == .purposeMismatch)
    #expect(try refusal(try issue { $0.required = ["realm": "/beta"] }) == .claimMismatch)
    #expect(try refusal(try issue { $0.required = [:] }) == .claimMismatch)
    #expect(try refusal(try issue { $0.required = ["realm": ["/alpha"]] }) == .claimMismatch)
  }

  @Test func composedAndDecomposedCharactersDiffer() throws {
    let token = try issue { $0.required = ["realm": "/\u{E9}"] }
    #expect(try refusal(token) { $0.required = ["realm": "/\u{E9}"] } == nil)
    #expect(try refusal(token) { $0.required = ["realm": "/e\u{301}"] } == .claimMismatch)
  }

  @Test func issuerSetsItsOwnClaims() throws {
    for name in ["iss", "aud", "purpose", "iat", "nbf", "exp", "realm"] {
      let error = #expect(throws: JOSEError.self) {
        try SignedToken.issue([name: "x"], rules: rules, keys: try keys(), now: now, lifetime: 1)
      }
      #expect(error?.code == .claimMismatch)
    }
    for lifetime in [0, -1, 3601] {
      let error = #expect(throws: JOSEError.self) { try issue(lifetime: lifetime) }
      #expect(error?.code == .lifetimeExceeded)
    }
  }

  @Test func everyPrefixAndEveryFlippedBitIsRefused() throws {
    let bytes = Array(try issue().utf8)
    for length in bytes.indices {
      #expect(try refusal(String(decoding: bytes.prefix(length), as: UTF8.self)) != nil)
    }
    for index in bytes.indices {
      for bit in 0..<7 {
        var flipped = bytes
        flipped[index] ^= 1 << bit
        #expect(try refusal(String(decoding: flipped, as: UTF8.self)) != nil)
      }
    }
  }
}
