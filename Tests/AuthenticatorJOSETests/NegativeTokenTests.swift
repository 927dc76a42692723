import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorJOSE
import TestVectors
import Testing

/// The 189 tokens of `jws-negative.json`, against the two verifiers the file describes.
@Suite struct NegativeTokenTests {
  /// What a group's refusals may be called. A token with a fault of one kind is never refused for another.
  private static let codes: [String: Set<JOSEError.Code>] = [
    "alg-none": [.unsupportedAlgorithm, .malformedToken, .invalidSignature],
    "alg-type": [.invalidHeader, .unsupportedAlgorithm],
    "key-confusion": [.unsupportedAlgorithm, .invalidSignature],
    "alg-mismatch": [.unsupportedAlgorithm],
    "signature": [.invalidSignature],
    "kid": [.unknownKey, .invalidHeader, .invalidSignature],
    "header-key": [.unknownKey, .invalidSignature],
    "crit": [.criticalHeader],
    "duplicate": [.duplicateMember],
    "encoding": [.invalidEncoding, .malformedToken, .invalidSignature],
    "header-json": [.invalidHeader, .invalidEncoding, .malformedToken],
    "payload-json": [.invalidPayload],
    "claims": [
      .expired, .notYetValid, .lifetimeExceeded, .issuerMismatch, .audienceMismatch, .purposeMismatch, .claimMismatch,
    ],
    "cross-use": [.unknownKey, .unsupportedAlgorithm, .malformedToken],
    "size": [.tooLarge],
  ]

  /// The verifier of journey tokens.
  private struct JourneyVerifier {
    let keys: TokenKeys
    let rules: ClaimRules
    let secret: SecretBytes

    init(_ description: JSONValue) throws {
      let table = try #require(description["keys"]?.objectValue)
      let id = try #require(table.names.first)
      let secret = SecretBytes(try Base64URL.decode(try #require(table[id]?["k"]?.stringValue)))
      keys = try TokenKeys(current: id, keys: [id: secret])
      self.secret = secret
      rules = ClaimRules(
        issuers: [try #require(description["iss"]?.stringValue)], audience: description["aud"]?.stringValue,
        purpose: description["purpose"]?.stringValue,
        required: [
          "realm": try #require(description["realm"]), "tree": try #require(description["tree"]),
        ],
        maximumLifetime: description["max_lifetime_s"]?.intValue, skew: try #require(description["skew_s"]?.intValue))
    }

    /// Accepts a token, and yields what makes it the same token as another.
    func accept(_ token: String, now: Int) throws -> JSONValue? {
      try SignedToken.verify(token, keys: keys, rules: rules, now: now).claims["jti"]
    }
  }

  /// The verifier of what devices sign.
  private struct DeviceVerifier {
    let owners: [String: (key: PublicKey, owner: String)]
    let rules: ClaimRules

    init(_ description: JSONValue) throws {
      var owners: [String: (key: PublicKey, owner: String)] = [:]
      for member in try #require(description["keys"]?.objectValue) where member.value["revoked"] != true {
        var key = try #require(member.value.objectValue)
        key["d"] = nil
        owners[member.name] = (try JWK(key).key, try #require(key["owner"]?.stringValue))
      }
      self.owners = owners
      let issuers = try #require(description["iss_allowed"]?.arrayValue)
      rules = ClaimRules(
        issuers: Set(issuers.compactMap(\.stringValue)),
        required: [
          "challenge": try #require(description["expected_challenge"]),
          "sub": try #require(description["expected_sub"]),
        ], skew: try #require(description["skew_s"]?.intValue))
    }

    func accept(_ text: String, now: Int) throws -> JSONValue? {
      let token = try CompactJWS.parse(text)
      guard let id = token.keyID, let (key, owner) = owners[id] else { throw JOSEError(.unknownKey, "no such key") }
      try token.verify(with: key, algorithm: .es256)
      let claims = try token.claims()
      try rules.check(claims, now: now)
      guard claims["sub"] == .string(owner) else { throw JOSEError(.claimMismatch, "another's key") }
      return claims["challenge"]
    }
  }

  /// The three tokens too large to print.
  private func generate(_ id: String, _ entry: JSONValue, _ secret: SecretBytes) throws -> String {
    let generate = try #require(entry["generate"])
    var header = try #require(generate["header"]?.objectValue)
    var payload = try #require(generate["payload"])
    switch id {
    case "jws-187": header["kid"] = .string(String(repeating: "A", count: 20_000))
    case "jws-188":
      var object = try #require(payload.objectValue)
      object["pad"] = .string(String(repeating: "A", count: 2_097_152))
      payload = .object(object)
    default: break
    }
    let content = id == "jws-189" ? [UInt8](repeating: UInt8(ascii: "["), count: 100_000) : payload.serialized()
    let input = "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(content))"
    return "\(input).\(Base64URL.encode(HMACSHA256.authenticationCode(for: Array(input.utf8), key: secret)))"
  }

  @Test func everyVerdictAndItsReasonAreAsExpected() throws {
    let file = try JSONValue.parse(try Vectors.bytes("jws-negative.json"))
    let now = try #require(file["now"]?.intValue)
    let journey = try JourneyVerifier(try #require(file["verifiers"]?["authId"]))
    let device = try DeviceVerifier(try #require(file["verifiers"]?["device"]))
    var used: Set<JSONValue> = []
    var count = 0
    for entry in try #require(file["cases"]?.arrayValue) {
      count += 1
      let id = try #require(entry["id"]?.stringValue)
      let group = try #require(entry["group"]?.stringValue)
      let token =
        try entry["generate"] == nil ? #require(entry["token"]?.stringValue) : generate(id, entry, journey.secret)
      let note: Comment = "\(id) \(group): \(entry["why"]?.stringValue ?? "")"
      do {
        let identity =
          try entry["verifier"] == "authId" ? journey.accept(token, now: now) : device.accept(token, now: now)
        // Replay is not the token's business: it is as good as ever, and its identity shows that it was here before.
        let isReplay = try !used.insert(#require(identity)).inserted
        if entry["stateful"] == true {
          #expect(isReplay, note)
        } else {
          #expect(entry["expect"] != "reject", note)
        }
      } catch let error as JOSEError {
        #expect(entry["expect"] != "accept", note)
        if group == "replay" { Issue.record(note) }
        if entry["expect"] == "either" {
          // A fraction in a time is refused; the other open case, a negated s, is accepted.
          #expect(group == "claims", note)
        } else {
          #expect(try #require(Self.codes[group]).contains(error.code), "\(note.rawValue) gave \(error.code.rawValue)")
        }
      }
    }
    #expect(count == 189)
  }

  /// Tokens beyond the size limit, read with a larger one: the inner bounds hold by themselves.
  @Test func innerBoundsHoldWithoutTheOuter() throws {
    let file = try JSONValue.parse(try Vectors.bytes("jws-negative.json"))
    let now = try #require(file["now"]?.intValue)
    let journey = try JourneyVerifier(try #require(file["verifiers"]?["authId"]))
    var count = 0
    for entry in try #require(file["cases"]?.arrayValue) where entry["group"] == "size" {
      let token = try generate(try #require(entry["id"]?.stringValue), entry, journey.secret)
      let error = #expect(throws: JOSEError.self) {
        try SignedToken.verify(token, keys: journey.keys, rules: journey.rules, now: now, limit: .max)
      }
      #expect(error?.code == .tooLarge)
      count += 1
    }
    #expect(count == 3)
  }
}
