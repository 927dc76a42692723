import AuthenticatorCoding
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// What is expected, read from JSON: what could never be equal to anything is named, and never passed over.
@Suite struct UAFVerificationJobTests {
  private let expect: JSONObject
  private let request: JSONObject

  init() throws {
    let device = try TestUAFAuthenticator()
    expect = ["metadata": [.object(device.metadata())], "facets": ["https://rp.example"]]
    request = [
      "header": ["upv": ["major": 1, "minor": 1], "op": "Reg", "appID": "https://rp.example"],
      "challenge": "AAAAAAAAAAA",
      "username": "mira", "policy": ["accepted": [[["aaid": ["FFFF#F001"]]]]],
    ]
  }

  private func member(
    _ bend: (inout JSONObject) -> Void = { _ in }, request change: (inout JSONObject) -> Void = { _ in }
  ) -> String? {
    var (expect, request) = (expect, request)
    bend(&expect)
    change(&request)
    do throws(ExpectationError) {
      _ = try UAFVerificationJob(request: [.object(request)], expect: .object(expect))
      return nil
    } catch { return error.member }
  }

  @Test(arguments: [
    ("serverEndpoint", "AAAA"), ("serverEndPoint", "zzz zz"), ("serverEndPoint", "AAAA="), ("serverEndPoint", ""),
    ("tlsServerCertificate", "%"), ("tlsUnique", "a"), ("cid_pubkey", "not used"),
  ]) func aMistypedChannelBindingIsNamed(name: String, value: String) {
    #expect(member { $0["channelBinding"] = [name: .string(value)] } == "channelBinding.\(name)")
  }

  /// Nobody is blamed for what the expectation lacks.
  @Test func anExpectationCanBeMet() throws {
    #expect(member { $0["metadata"] = [] } == "metadata")
    #expect(member { $0["metadata"] = nil } == "metadata")
    #expect(member { $0["facets"] = [] } == "facets")
    #expect(member { $0["facets"] = nil } == "facets")
    #expect(member { $0["facets"] = ["https://rp.example", "http://rp.example"] } == "facets.1")
    #expect(member { $0["facets"] = ["https://RP.example:443/"] } == nil)
    var statement = expect["metadata"]?[0]?.objectValue ?? [:]
    statement["attestationTypes"] = [15881]
    let ecdaa = statement
    #expect(member { $0["metadata"] = [.object(ecdaa)] } == "metadata.0.attestationTypes")
    statement["attestationTypes"] = [15879]
    let full = statement
    #expect(member { $0["metadata"] = [.object(full)] } == "metadata.0.attestationRootCertificates")
    let header: JSONValue = ["upv": ["major": 1, "minor": 1], "op": "Auth", "appID": "https://rp.example"]
    for list: JSONValue? in [nil, []] {
      #expect(member({ $0["registrations"] = list }, request: { $0["header"] = header }) == "registrations")
    }
  }

  @Test func aCertificateThatIsBoundIsAsLongAsClientsSendIt() {
    func binding(_ name: String, _ count: Int) -> String? {
      member { $0["channelBinding"] = .object([name: .string(String(repeating: "A", count: count))]) }
    }
    #expect(binding("tlsServerCertificate", 16_384) == nil)
    #expect(binding("tlsServerCertificate", 16_388) == "channelBinding.tlsServerCertificate")
    for name in ["serverEndPoint", "tlsUnique", "cid_pubkey"] {
      #expect(binding(name, 1024) == nil && binding(name, 1028) == "channelBinding.\(name)")
    }
  }

  @Test func aChannelBindingIsWholeOrNone() {
    #expect(member { $0["channelBinding"] = ["serverEndPoint": "AAAA", "cid_pubkey": "unused"] } == nil)
    #expect(member { $0["channelBinding"] = [:] } == "channelBinding.serverEndPoint")
    #expect(member { $0["channelBinding"] = "AAAA" } == "channelBinding")
    #expect(member { $0["requiresChannelBinding"] = true } == "channelBinding")
  }

  @Test func whatIsWrongWithTheRequestStandsBelowIt() {
    #expect(member(request: { $0["policy"] = [:] }) == "request.policy.accepted")
    #expect(member(request: { $0["header"] = ["op": "Other"] }) == "request.header.op")
    #expect(member(request: { $0["transaction"] = "Pay" }) == "request.transaction")
    #expect(member(request: { $0["transaction"] = [["contentType": "text/html"]] }) == "request.transaction.0")
    let exts: JSONValue = [["id": 1]]
    #expect(
      member(request: { $0["header"] = ["upv": ["major": 1, "minor": 1], "op": "Reg", "exts": exts] })
        == "request.header.exts")
  }

  /// No client has ever taken such a request.
  @Test func aRequestIsOneThatClientsTake() {
    for bad: JSONValue? in [nil, "", 1, .string(String(repeating: "m", count: 129))] {
      #expect(member(request: { $0["username"] = bad }) == "request.username")
    }
    let later: JSONValue = ["upv": ["major": 1, "minor": 2], "op": "Reg", "appID": "https://rp.example"]
    #expect(member(request: { $0["header"] = later }) == "request.header.upv")
  }

  @Test func countersMayGoAsFarAsIsSaid() {
    #expect(member { $0["maximumRegistrationCounter"] = 4_294_967_295 } == nil)
    #expect(member { $0["maximumRegistrationCounter"] = 0 } == "maximumRegistrationCounter")
    #expect(member { $0["maximumRegistrationCounter"] = -1 } == "maximumRegistrationCounter")
  }

  /// The whole way of a response to a request with an extension that its client must understand.
  @Test func acceptsTheHeaderThatTheRequestHad() throws {
    var device = try TestUAFAuthenticator()
    device.signCounter = 1
    var request = request
    var header = request["header"]?.objectValue ?? [:]
    header["exts"] = [
      ["id": "fido.uaf.uvm", "data": "", "fail_if_unknown": true],
      ["id": "org.example.own", "data": "AA", "fail_if_unknown": true],
    ]
    request["header"] = .object(header)
    let client = TestUAFClient()
    let response = try UAFReceivedResponse(message: try client.register(device, [.object(request)]))
    var expect = expect
    expect["metadata"] = [.object(device.metadata())]
    let job = try UAFVerificationJob(request: [.object(request)], expect: .object(expect))
    #expect(try job.verify(response, at: UAFCeremony.seconds)["verified"] == true)
  }

  @Test func aVersionThatWasNotOfferedIsRefusedByName() throws {
    let device = try TestUAFAuthenticator()
    var other = request
    other["header"] = ["upv": ["major": 1, "minor": 0], "op": "Reg", "appID": "https://rp.example"]
    var asked = request
    asked["header"] = ["upv": ["major": 1, "minor": 2], "op": "Reg", "appID": "https://rp.example"]
    let response = try UAFReceivedResponse(message: try TestUAFClient().register(device, [.object(asked)]))
    let job = try UAFVerificationJob(
      request: [.object(request), .object(other)], expect: .object(expect), version: response.header.version)
    #expect(try uafRefusal { try job.verify(response, at: UAFCeremony.seconds) } == .versionUnsupported)
  }
}
