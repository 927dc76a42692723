import AuthenticatorCoding
import AuthenticatorCrypto
import Testing

@testable import AuthenticatorUAF

struct AssertionVectorTests {
  /// What a reader cannot refuse is left to a verifier: signatures, chains, counters, and who may sign.
  private static let verifiersOwn: Set<String> = [
    "pub-reg-full-chain-reversed", "pub-reg-full-missing-intermediate", "pub-reg-full-signed-by-uauth",
    "pub-reg-surrogate-when-roots", "pub-reg-hash-of-json", "pub-reg-sig-without-header", "pub-auth-tx-hash-of-b64",
    "pub-auth-counter-replay", "pub-auth-der-under-raw-alg", "pub-reg-critical-extension",
  ]

  @Test func readsEveryValidAssertionAndRefusesTheMalformedOnes() throws {
    let vectors = try UAFVectors()
    for kind in ["registrationAssertion", "authenticationAssertion"] {
      for vector in try vectors.all(kind) {
        let id = try vector.text("id")
        let bytes = try vector.base64URL("assertion")
        let isReadable = try vector.text("expect") == "valid" || Self.verifiersOwn.contains(id)
        let read = {
          if kind == "registrationAssertion" {
            _ = try RegistrationAssertion(bytes)
          } else {
            _ = try AuthenticationAssertion(bytes)
          }
        }
        if isReadable {
          #expect(throws: Never.self, "\(id)") { try read() }
        } else {
          #expect(throws: TLVError.self, "\(id)") { try read() }
        }
      }
    }
  }

  @Test func writesTheSignedBytesOfTheRegistrationVector() throws {
    let vector = try UAFVectors().vector("pub-reg-surrogate-raw")
    let data = KeyRegistrationData(
      aaid: try #require(AAID(try vector.text("aaid"))),
      info: AssertionInfo(
        authenticatorVersion: 1, mode: .userVerified, signatureAlgorithm: .secp256r1ECDSASHA256Raw,
        publicKeyFormat: .eccX962Raw),
      finalChallengeHash: SHA256.hash(Array(try vector.text("fcParams").utf8)),
      keyID: try #require(UAFKeyID(try vector.text("keyID"))), signCounter: 0, registrationCounter: 1,
      publicKey: try vector.hex("publicKeyRaw"))
    #expect(try data.encoded() == vector.hex("krd"))
    let assertion = try RegistrationAssertion.encode(
      try data.encoded(), .basicSurrogate(signature: try vector.hex("signature_rfc6979")))
    #expect(assertion == (try vector.base64URL("assertion")))
  }

  @Test(arguments: ["pub-auth-1", "pub-auth-tx", "pub-auth-leading-zero-r", "pub-auth-leading-zero-s"])
  func writesTheSignedBytesOfAuthenticationVectors(_ id: String) throws {
    let vector = try UAFVectors().vector(id)
    let assertion = try AuthenticationAssertion(try vector.base64URL("assertion"))
    #expect(try assertion.signedData.encoded() == vector.hex("signedData"))
    #expect(
      try AuthenticationAssertion.encode(assertion.signedBytes, signature: assertion.signature)
        == vector.base64URL("assertion"))
    #expect(Int(assertion.signedData.signCounter) == vector["signCounter"]?.intValue)
  }

  @Test(arguments: ["pub-auth-leading-zero-r", "pub-auth-leading-zero-s"])
  func keepsLeadingZerosInRawSignatures(_ id: String) throws {
    let vector = try UAFVectors().vector(id)
    let signature = try Signature(der: try vector.hex("signature_der"), algorithm: .es256)
    #expect(try UAFAlgorithm.secp256r1ECDSASHA256Raw.encode(signature) == vector.hex("signature_rfc6979"))
    #expect(try UAFAlgorithm.secp256r1ECDSASHA256DER.encode(signature) == vector.hex("signature_der"))
  }

  @Test func readsAssertionsOfOtherVendorsAsTheirVectorsSay() throws {
    let vectors = try UAFVectors()
    for id in ["ext-spec-reg", "ext-synaptics-reg", "ext-samsung-reg"] {
      #expect(throws: Never.self, "\(id)") {
        try RegistrationAssertion(try vectors.vector(id).base64URL("assertion"))
      }
    }
    for id in ["ext-spec-auth", "ext-synaptics-auth"] {
      #expect(throws: Never.self, "\(id)") {
        try AuthenticationAssertion(try vectors.vector(id).base64URL("assertion"))
      }
    }
    for (id, isRegistration) in [("ext-ebayclient-reg", true), ("ext-ebayclient-auth", false)] {
      // Padding was allowed where these were made.
      let text = try vectors.vector(id).text("assertion")
      let bytes = try Base64URL.decode(String(text.prefix { $0 != "=" && $0 != "\\" }))
      #expect(throws: TLVError.self, "\(id)") {
        if isRegistration { _ = try RegistrationAssertion(bytes) } else { _ = try AuthenticationAssertion(bytes) }
      }
    }
  }

  @Test func hashesTheFinalChallengeAsText() throws {
    let vectors = try UAFVectors()
    let first = try vectors.vector("pub-fc-1")
    let parameters = FinalChallengeParameters(
      appID: try first.text("appID"), challenge: try first.text("challenge"), facetID: try first.text("facetID"),
      channelBinding: ChannelBinding())
    #expect(parameters.text == (try first.text("fcParams")))
    #expect(parameters.hash == (try first.hex("finalChallengeHash")))
    #expect(parameters.hash != (try first.hex("mustNotEqual_sha256OfJson")))
    for id in ["ext-spec-reg", "ext-spec-auth"] {
      let vector = try vectors.vector(id)
      let bytes = try vector.base64URL("assertion")
      let hash =
        id == "ext-spec-reg"
        ? try RegistrationAssertion(bytes).keyRegistrationData.finalChallengeHash
        : try AuthenticationAssertion(bytes).signedData.finalChallengeHash
      #expect(hash == SHA256.hash(Array(try vector.text("fcParams").utf8)))
    }
  }

  @Test func bindsKeysToApplicationPersonaAndCaller() throws {
    let vector = try UAFVectors().vector("pub-kh-1")
    let token = KeyHandle.accessToken(
      appID: try vector.text("appID"), asmToken: try vector.hex("asmToken"),
      personaID: try vector.text("personaID_utf8"), callerID: try vector.text("callerID_utf8"))
    #expect(token == (try vector.hex("bound")))
  }
}
