import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import AuthenticatorTestSupport
import AuthenticatorUAF
import DeviceAuthenticators
import TestMachine
import TestUAF
import Testing

/// A verifier of UAF in Python, which shares nothing with this package, judges what our client and the tests' builder
/// emit: the valid is accepted, every broken variant refused.
@Suite(.enabled(if: Skips.unless(Judge.python != nil), "AUTHENTICATOR_PYTHON names no interpreter with the judges"))
struct UAFExchangeJudgeTests {
  private static let facet = "https://rp.example"
  private static let text = Array("Pay 10 EUR to Noor?".utf8)

  /// A request as it lies in a message of one entry.
  private static func request(_ operation: String, _ aaid: String, transaction: Bool = false) -> JSONObject {
    var request: JSONObject = [
      "header": [
        "upv": ["major": 1, "minor": 1], "op": .string(operation), "appID": "https://rp.example/uaf/facets",
        "serverData": "c2VydmVy",
      ], "challenge": "kzZauv2hljZLV9-vxAyxtKyLZ_SJW8bVGz3WkOXN1P0",
      "policy": ["accepted": [[["aaid": [.string(aaid)]]]]],
    ]
    if operation == "Reg" { request["username"] = "mira" }
    if transaction {
      request["transaction"] = [["contentType": "text/plain", "content": .string(Base64URL.encode(text))]]
    }
    return request
  }

  private struct Case {
    var name: String
    var operation: String
    var response: String
    var content: [UInt8]?
    var isValid: Bool

    var json: JSONValue {
      var object: JSONObject = [
        "name": .string(name), "operation": .string(operation), "response": .string(response),
      ]
      if let content { object["content"] = .string(Base64URL.encode(content)) }
      return .object(object)
    }
  }

  private func judge(_ cases: [Case], _ registration: JSONObject, _ authentication: JSONObject) async throws {
    let input: JSONValue = [
      "requests": ["registration": .object(registration), "authentication": .object(authentication)],
      "facets": [.string(Self.facet)], "cases": .array(cases.map(\.json)),
    ]
    let verdict = try await Judge.run("verify_uaf_exchange.py", input: input.serializedString())
    #expect(verdict.status == 0, "\(verdict.complaint)")
    let verdicts = try JSONValue.parse(verdict.output)
    for one in cases {
      let judged = verdicts[one.name]?.stringValue
      #expect((judged == "accepted") == one.isValid, "\(one.name): \(judged ?? "no verdict")")
    }
  }

  /// A response, and the same with one byte of the assertion changed, cut and followed by one: each place of it.
  private static func variants(
    _ name: String, _ operation: String, _ response: JSONObject, content: [UInt8]? = nil
  ) throws -> [Case] {
    func message(_ response: JSONObject) -> String { JSONValue.array([.object(response)]).serializedString() }
    let assertion = try Base64URL.decode(
      try #require(response["assertions"]?[0]?["assertion"]?.stringValue))
    func with(_ bytes: [UInt8]) -> String {
      var bent = response
      bent["assertions"] = [["assertionScheme": "UAFV1TLV", "assertion": .string(Base64URL.encode(bytes))]]
      return message(bent)
    }
    var cases = [
      Case(name: name, operation: operation, response: message(response), content: content, isValid: true)
    ]
    for index in assertion.indices {
      var bytes = assertion
      bytes[index] ^= 1 << UInt8(index % 8)
      cases.append(
        Case(
          name: "\(name), bit of byte \(index)", operation: operation, response: with(bytes), content: content,
          isValid: false))
    }
    for (what, bytes) in [
      ("cut", Array(assertion.dropLast())), ("followed by a byte", assertion + [0]),
      ("followed by an element", assertion + [0x7F, 0x0E, 0, 0]),
    ] {
      cases.append(
        Case(
          name: "\(name), \(what)", operation: operation, response: with(bytes), content: content, isValid: false))
    }
    var other = response
    let final = try JSONValue.parse(try Base64URL.decode(try #require(response["fcParams"]?.stringValue)))
    let reversed = JSONObject((final.objectValue?.members ?? []).reversed().map { ($0.name, $0.value) })
    other["fcParams"] = .string(Base64URL.encode(reversed.serialized()))
    cases.append(
      Case(
        name: "\(name), parameters written anew", operation: operation, response: message(other), content: content,
        isValid: false))
    return cases
  }

  @Test(arguments: [
    (0x0001, 0x0100, "ES256"), (0x0002, 0x0101, "ES256"), (0x0003, 0x0102, "PS256"), (0x0004, 0x0103, "PS256"),
    (0x0008, 0x0102, "RS256"), (0x0009, 0x0103, "RS256"),
  ]) func judgesTheBuilder(algorithm: Int, form: Int, name: String) async throws {
    var device = try TestUAFAuthenticator(key: try PrivateKey.generate(SignatureAlgorithm(rawValue: name)))
    device.algorithm = UInt16(algorithm)
    device.keyForm = UInt16(form)
    // Its facet is `facet` already.
    let client = TestUAFClient()
    let (registration, authentication) = (
      Self.request("Reg", device.aaid), Self.request("Auth", device.aaid, transaction: true)
    )
    let first = client.finalChallenge(for: [.object(registration)])
    let registered = client.response(
      to: [.object(registration)], finalChallenge: first.text,
      assertions: [try device.registration(finalChallengeHash: first.hash)])
    device.signCounter = 1
    let second = client.finalChallenge(for: [.object(authentication)])
    let signed = client.response(
      to: [.object(authentication)], finalChallenge: second.text,
      assertions: [try device.authentication(finalChallengeHash: second.hash, content: Self.text)])
    try await judge(
      try Self.variants("registration", "registration", registered)
        + Self.variants("authentication", "authentication", signed, content: Self.text), registration, authentication)
  }

  @Test func judgesTheClient() async throws {
    let device = try TestDevice(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913"),
      instance: "https://rp.example",
      providers: [EmulatedHardware(algorithms: [.es256])])
    let model = UAFAuthenticatorModel(aaid: try #require(AAID("FFFF#A002")), behavior: .biometricWithState)
    let client = try UAFClient(
      UAFClientConfiguration(context: device.context, authenticators: [model], responder: device.verifier))
    let (registration, authentication) = (
      Self.request("Reg", "FFFF#A002"), Self.request("Auth", "FFFF#A002", transaction: true)
    )
    func response(to request: JSONObject, _ steps: ScriptedStep...) async throws -> JSONObject {
      device.verifier.script(steps)
      let message = UAFMessage(JSONValue.array([.object(request)]).serializedString())
      let response = try await client.process(message, facetID: Self.facet)
      try await client.notify(status: .ok, of: response, facetID: Self.facet)
      return try #require(try JSONValue.parse(response.uafProtocolMessage)[0]?.objectValue)
    }
    let registered = try await response(to: registration, .match())
    let signed = try await response(to: authentication, .approve, .match())
    try await judge(
      try Self.variants("registration", "registration", registered)
        + Self.variants("authentication", "authentication", signed, content: Self.text), registration, authentication)
  }
}
