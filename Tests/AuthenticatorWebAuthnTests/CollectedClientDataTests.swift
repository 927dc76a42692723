import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorWebAuthn
import Testing

@Suite struct CollectedClientDataTests {
  @Test func serializesExactly() throws {
    let data = try CollectedClientData(type: .create, challenge: [0xFB, 0xFF], origin: "https://example.org")
    #expect(
      String(decoding: data.rawBytes, as: UTF8.self)
        == #"{"type":"webauthn.create","challenge":"-_8","origin":"https://example.org","crossOrigin":false}"#)
    #expect(data.hash == SHA256.hash(data.rawBytes))
  }

  @Test func writesTopOriginOnlyAcrossOrigins() throws {
    let framed = try CollectedClientData(
      type: .get, challenge: [1], origin: "https://a.example", crossOrigin: true, topOrigin: "https://b.example")
    #expect(
      String(decoding: framed.rawBytes, as: UTF8.self).hasSuffix(
        #""crossOrigin":true,"topOrigin":"https://b.example"}"#))
    let plain = try CollectedClientData(
      type: .get, challenge: [1], origin: "https://a.example", topOrigin: "https://b.example")
    #expect(plain.topOrigin == nil)
    #expect(String(decoding: plain.rawBytes, as: UTF8.self).hasSuffix(#""crossOrigin":false}"#))
  }

  @Test func escapesOnlyWhatMustBe() throws {
    let data = try CollectedClientData(
      type: .get, challenge: [], origin: "q\" b\\ /\u{7F} \u{1F}\n é\u{1F600}")
    let text = String(decoding: data.rawBytes, as: UTF8.self)
    #expect(text.contains("\"origin\":\"q\\\" b\\\\ /\u{7F} \\u001f\\u000a é\u{1F600}\","))
    #expect(try CollectedClientData(rawBytes: data.rawBytes) == data)
  }

  @Test func appendsAdditionalMembers() throws {
    let data = try CollectedClientData(
      type: .get, challenge: [1], origin: "o", additionalMembers: ["androidPackageName": "org.example"])
    #expect(
      String(decoding: data.rawBytes, as: UTF8.self)
        .hasSuffix(#""crossOrigin":false,"androidPackageName":"org.example"}"#))
    #expect(try CollectedClientData(rawBytes: data.rawBytes) == data)
  }

  @Test(arguments: ["type", "challenge", "origin", "crossOrigin", "topOrigin", "tokenBinding", "legacyData", "error"])
  func keepsReservedNamesFree(name: String) {
    var members: JSONObject = [:]
    members[name] = 1
    #expect(throws: WebAuthnDataError(.clientDataMemberReserved)) {
      try CollectedClientData(type: .get, challenge: [], origin: "", additionalMembers: members)
    }
  }

  @Test func readsTolerantly() throws {
    let text = "\u{FEFF} {\"new\":[1],\"origin\":\"https:\\/\\/a\", \"type\":\"webauthn.get\",\"challenge\":\"AQ\"}"
    let data = try CollectedClientData(rawBytes: Array(text.utf8))
    #expect(data.origin == "https://a")
    #expect(data.challenge == [1])
    #expect(!data.crossOrigin)
    #expect(data.additionalMembers == ["new": [1]])
    #expect(data.rawBytes == Array(text.utf8))
  }

  @Test(arguments: [
    ("", WebAuthnDataError.Code.clientDataNotJSON), ("[]", .clientDataNotJSON), ("{", .clientDataNotJSON),
    (#"{"challenge":"AQ","origin":"o"}"#, .clientDataMemberMissing),
    (#"{"type":"t","origin":"o"}"#, .clientDataMemberMissing),
    (#"{"type":"t","challenge":"AQ"}"#, .clientDataMemberMissing),
    (#"{"type":1,"challenge":"AQ","origin":"o"}"#, .clientDataMemberType),
    (#"{"type":"t","challenge":"AQ==","origin":"o"}"#, .clientDataChallenge),
    (#"{"type":"t","challenge":"A+","origin":"o"}"#, .clientDataChallenge),
    (#"{"type":"t","challenge":"AQ","origin":"o","crossOrigin":"true"}"#, .clientDataMemberType),
    (#"{"type":"t","challenge":"AQ","origin":"o","topOrigin":null}"#, .clientDataMemberType),
    (#"{"type":"t","challenge":"AQ","origin":"o","origin":"p"}"#, .clientDataNotJSON),
    (#"{"type":"t","challenge":"AQ","origin":"o"}}"#, .clientDataNotJSON),
  ])
  func refusesWhatIsNoClientData(text: String, code: WebAuthnDataError.Code) {
    #expect(refusal { () throws(WebAuthnDataError) in try CollectedClientData(rawBytes: Array(text.utf8)) } == code)
  }

  @Test func everyPrefixIsRefusedAndEveryFlipThrowsOrDiffers() throws {
    let data = try CollectedClientData(
      type: .create, challenge: [UInt8](0..<32), origin: "https://example.org", additionalMembers: ["a": "b"])
    for count in data.rawBytes.indices {
      #expect(throws: WebAuthnDataError(.clientDataNotJSON)) {
        try CollectedClientData(rawBytes: Array(data.rawBytes[..<count]))
      }
    }
    for index in data.rawBytes.indices {
      for bit in 0..<8 {
        var flipped = data.rawBytes
        flipped[index] ^= 1 << UInt8(bit)
        if let other = try? CollectedClientData(rawBytes: flipped) { #expect(other.hash != data.hash) }
      }
    }
  }

  // MARK: - Limited verification

  @Test func limitedVerificationComparesAPrefix() throws {
    func check(
      _ data: CollectedClientData, origin: String = "o", topOrigin: String? = nil, requires: Bool = false
    ) -> WebAuthnDataError.Code? {
      refusal { () throws(WebAuthnDataError) in
        try CollectedClientData.verify(
          data.rawBytes, type: .get, challenge: [1], origin: origin, topOrigin: topOrigin, requiresTopOrigin: requires)
      }
    }
    let plain = try CollectedClientData(type: .get, challenge: [1], origin: "o")
    let more = try CollectedClientData(type: .get, challenge: [1], origin: "o", additionalMembers: ["x": 1])
    let framed = try CollectedClientData(type: .get, challenge: [1], origin: "o", crossOrigin: true)
    let topped = try CollectedClientData(
      type: .get, challenge: [1], origin: "o", crossOrigin: true, topOrigin: "t")
    #expect(check(plain) == nil)
    #expect(check(more) == nil)
    #expect(check(plain, origin: "p") == .clientDataPrefix)
    #expect(check(framed) == .clientDataPrefix)
    #expect(check(topped) == .clientDataPrefix)
    #expect(check(framed, topOrigin: "t") == nil)
    #expect(check(topped, topOrigin: "t") == nil)
    #expect(check(topped, topOrigin: "u") == .clientDataPrefix)
    #expect(check(framed, topOrigin: "t", requires: true) == .clientDataPrefix)
    #expect(check(topped, topOrigin: "t", requires: true) == nil)
    #expect(check(plain, topOrigin: "t") == .clientDataPrefix)
    let other = try CollectedClientData(type: .create, challenge: [1], origin: "o")
    #expect(check(other) == .clientDataPrefix)
  }

  @Test func limitedVerificationRefusesEveryPrefix() throws {
    let data = try CollectedClientData(type: .get, challenge: [1], origin: "o")
    for count in data.rawBytes.indices {
      #expect(throws: WebAuthnDataError(.clientDataPrefix)) {
        try CollectedClientData.verify(
          Array(data.rawBytes[..<count]), type: .get, challenge: [1], origin: "o")
      }
    }
  }

  // MARK: - Vectors

  @Test(arguments: L3Vector.all, ["registration", "authentication"])
  func reproducesTheVectors(vector: L3Vector, ceremony: String) throws {
    let expected = try vector.bytes(ceremony, "clientDataJSON")
    let read = try CollectedClientData(rawBytes: expected)
    let challenge = try vector.bytes(ceremony, "challenge")
    #expect(read.challenge == challenge)
    #expect(read.type == (ceremony == "registration" ? .create : .get))
    let made = try CollectedClientData(
      type: read.type, challenge: challenge, origin: "https://example.org", crossOrigin: read.crossOrigin,
      topOrigin: read.topOrigin, additionalMembers: read.additionalMembers)
    #expect(made.rawBytes == expected)
    try CollectedClientData.verify(
      expected, type: read.type, challenge: challenge, origin: "https://example.org",
      topOrigin: read.crossOrigin ? read.topOrigin ?? "" : nil, requiresTopOrigin: read.topOrigin != nil)
  }
}
