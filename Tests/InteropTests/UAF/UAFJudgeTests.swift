import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKit
import AuthenticatorTestSupport
import TestCertificates
import Testing

/// A verifier in Python, with a TLV reader of its own, judges what the UAF client emits, and refuses what was bent.
@Suite(.enabled(if: Judge.python != nil, "AUTHENTICATOR_PYTHON names no interpreter with the judges"))
struct UAFJudgeTests {
  private static let facet = "linux:exe:com.example.app"
  private static let challenge = "kzZauv2hljZLV9-vxAyxtKyLZ_SJW8bVGz3WkOXN1P0"

  private static func message(_ op: String, text: String? = nil) -> UAFMessage {
    var entry: JSONObject = [
      "header": ["upv": ["major": 1, "minor": 1], "op": .string(op)], "challenge": .string(challenge),
      "policy": ["accepted": [[["aaid": ["FFFF#C001"]]]]],
    ]
    if op == "Reg" { entry["username"] = "alice" }
    if let text {
      entry["transaction"] = [["contentType": "text/plain", "content": .string(Base64URL.encode(Array(text.utf8)))]]
    }
    return UAFMessage(JSONValue.array([.object(entry)]).serializedString())
  }

  private static func judged(_ cases: [JSONValue]) async throws -> [JSONValue] {
    let verdict = try await Judge.run("verify_uaf.py", input: JSONValue.array(cases).serializedString())
    try #require(verdict.status == 0, "\(verdict.complaint)")
    return try #require(try JSONValue.parse(verdict.output).arrayValue)
  }

  private static func judgment(
    _ response: String, key: JSONValue = .null, content: JSONValue = .null
  ) -> JSONValue {
    [
      "response": .string(response), "facet": .string(facet), "challenge": .string(challenge), "key": key,
      "content": content,
    ]
  }

  @Test func acceptsEveryAlgorithmAndRefusesEveryBentByte() async throws {
    for algorithm in UAFAlgorithm.supported {
      let device = try TestDevice(
        instance: "https://rp.example",
        providers: [EmulatedHardware(algorithms: [.es256, .ps256, .rs256])])
      let aaid = try #require(AAID("FFFF#C001"))
      let client = try UAFClient(
        UAFClientConfiguration(
          context: device.context,
          authenticators: [
            UAFAuthenticatorModel(aaid: aaid, behavior: .presence, authenticationAlgorithm: algorithm)
          ], responder: device.verifier))
      device.verifier.script([.approve, .approve, .approve, .approve])
      let registration = try await client.process(Self.message("Reg"), facetID: Self.facet).uafProtocolMessage
      let made = try #require(try await Self.judged([Self.judgment(registration)]).first)
      try #require(made["verified"] == true, "\(algorithm): \(made)")
      let key = try #require(made["key"])
      let signed = try await client.process(Self.message("Auth"), facetID: Self.facet).uafProtocolMessage
      let paid = try await client.process(
        Self.message("Auth", text: "Pay 42.00 EUR"), facetID: Self.facet
      ).uafProtocolMessage
      var cases = [Self.judgment(signed, key: key), Self.judgment(paid, key: key, content: "Pay 42.00 EUR")]
      cases.append(Self.judgment(paid, key: key, content: "Pay 43.00 EUR"))
      cases.append(Self.judgment(signed, key: key, content: "Pay 42.00 EUR"))
      var response = try UAFResponse(signed)
      let assertion = response.assertions[0].assertion
      for index in stride(from: 0, to: assertion.count, by: algorithm == .secp256r1ECDSASHA256Raw ? 1 : 7) {
        response.assertions[0].assertion = assertion
        response.assertions[0].assertion[index] ^= 0x01
        cases.append(Self.judgment(response.message, key: key))
      }
      let verdicts = try await Self.judged(cases)
      #expect(verdicts.prefix(2).allSatisfy { $0["verified"] == true }, "\(algorithm): \(verdicts.prefix(2))")
      #expect(verdicts.dropFirst(2).allSatisfy { $0["verified"] == false }, "\(algorithm)")
    }
  }

  /// The vendor's key signs what is registered; a name inside its certificate is for those who know the vendor to
  /// judge.
  @Test func acceptsFullAttestationAndRefusesEveryBentByte() async throws {
    let vendor = try PrivateKey.generate(.es256)
    let certificate = try TestCertificate(subject: [("2.5.4.3", "Vendor")], key: vendor).encoded()
    let device = try TestDevice(instance: "https://rp.example")
    let client = try UAFClient(
      UAFClientConfiguration(
        context: device.context,
        authenticators: [
          UAFAuthenticatorModel(
            aaid: try #require(AAID("FFFF#C001")), behavior: .silent, attestationTypes: [.basicFull],
            attestationKey: try UAFAttestationKey(
              key: vendor, algorithm: .secp256r1ECDSASHA256Raw, chain: [certificate]))
        ]))
    let registration = try await client.process(Self.message("Reg"), facetID: Self.facet).uafProtocolMessage
    var response = try UAFResponse(registration)
    let assertion = response.assertions[0].assertion
    let chain = try #require(assertion.firstRange(of: certificate))
    var cases = [Self.judgment(registration)]
    for index in assertion.indices where !chain.contains(index) {
      response.assertions[0].assertion = assertion
      response.assertions[0].assertion[index] ^= 0x01
      cases.append(Self.judgment(response.message))
    }
    // Signed by somebody else than the certificate says. Certificates of one key differ in length, by their signatures.
    var other: [UInt8]
    repeat {
      other = try TestCertificate(subject: [("2.5.4.3", "Vendor")], key: try PrivateKey.generate(.es256)).encoded()
    } while other.count != certificate.count
    response.assertions[0].assertion = assertion
    response.assertions[0].assertion.replaceSubrange(chain, with: other)
    cases.append(Self.judgment(response.message))
    let verdicts = try await Self.judged(cases)
    #expect(verdicts.first?["verified"] == true, "\(verdicts[0])")
    #expect(verdicts.dropFirst().allSatisfy { $0["verified"] == false })
    let signed = try await client.process(Self.message("Auth"), facetID: Self.facet).uafProtocolMessage
    let key = try #require(verdicts.first?["key"])
    #expect(try await Self.judged([Self.judgment(signed, key: key)]).first?["verified"] == true)
  }
}
