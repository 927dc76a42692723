import AuthenticatorCoding
import Testing
import ToolSupport

/// The `uaf` verbs, as scripts use them.
@Suite struct UAFToolTests {
  private static let facet = "linux:exe:com.example.app"

  private struct Kit {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func person(_ steps: JSONValue...) throws {
      try folder.write(
        "device.json",
        JSONValue.object([
          "version": 1, "sensor": "fingerprint", "enrolled": ["right-index"], "passcode": "482913",
          "state": .string(folder.file("device.state")), "transcript": .string(folder.file("transcript")),
          "steps": .array(steps),
        ]).serializedString())
    }

    func message(_ op: String, _ aaid: String, transaction: String? = nil) throws -> String {
      var entry: JSONObject = [
        "header": ["upv": ["major": 1, "minor": 1], "op": .string(op)],
        "challenge": "kzZauv2hljZLV9-vxAyxtKyLZ_SJW8bVGz3WkOXN1P0",
        "policy": ["accepted": [[["aaid": [.string(aaid)]]]]],
      ]
      if op == "Reg" { entry["username"] = "alice" }
      if let transaction {
        let content = JSONValue.string(Base64URL.encode(Array(transaction.utf8)))
        entry["transaction"] = [["contentType": "text/plain", "content": content]]
      }
      return try folder.write("\(op).json", JSONValue.array([.object(entry)]).serializedString())
    }

    private var device: [String] {
      [
        "--store", folder.file("keys/keys.sqlite"), "--device", "scripted:" + folder.file("device.json"),
        "--allow-software-keys", "--json",
      ]
    }

    func run(_ verb: String, _ arguments: String...) async throws -> ChildProcess.Result {
      try await Tool.run(["uaf", verb] + arguments + (verb == "verify" ? ["--json"] : device))
    }
  }

  @Test func registersVerifiesConfirmsAndSignsIn() async throws {
    let kit = try Kit()
    try kit.person(["do": "match"])
    let registration = try kit.message("Reg", "FFFF#0002")
    let made = try await kit.run("process", "--message", registration, "--facet", Self.facet)
    #expect(made.status == 0)
    let response = try kit.folder.write("reg-response.json", made.stdout)

    let metadata = try await kit.run("discover", "--metadata").json()
    var expect: JSONObject = ["metadata": metadata, "facets": [.string(Self.facet)]]
    let file = try kit.folder.write("expect.json", JSONValue.object(expect).serializedString())
    let verified = try await kit.run("verify", "--request", registration, "--response", response, "--expect", file)
    #expect(verified.status == 0)
    #expect(try verified.json()["verified"] == true)

    let listed = try await kit.run("list", "--facet", Self.facet).json()
    #expect(listed[0]?["keys"]?[0]?["confirmed"] == false)
    #expect(try await kit.run("notify", "--response", response, "--status", "1200").status == 0)
    #expect(try await kit.run("list", "--facet", Self.facet).json()[0]?["keys"]?[0]?["confirmed"] == true)

    expect["registrations"] = try verified.json()["registrations"]
    try kit.folder.write("expect.json", JSONValue.object(expect).serializedString())
    try kit.person(["do": "approve"], ["do": "match"])
    let payment = try kit.message("Auth", "FFFF#0002", transaction: "Pay 42.00 EUR")
    let signed = try await kit.run("process", "--message", payment, "--facet", Self.facet)
    let answer = try kit.folder.write("auth-response.json", signed.stdout)
    let confirmed = try await kit.run("verify", "--request", payment, "--response", answer, "--expect", file)
    #expect(confirmed.status == 0)
    #expect(try confirmed.json()["confirmedHash"]?.stringValue != nil)
    // The registration's response answers another request.
    let mixed = try await kit.run("verify", "--request", payment, "--response", response, "--expect", file)
    #expect(mixed.status == 1)
    #expect(try mixed.json()["verified"] == false)
  }

  @Test func printsUAFsOwnWordsForFailures() async throws {
    let kit = try Kit()
    try kit.person(["do": "match"])
    let registration = try kit.message("Reg", "FFFF#0002")
    #expect(try await kit.run("process", "--message", registration, "--facet", Self.facet).status == 0)
    let authentication = try kit.message("Auth", "FFFF#0002")
    try kit.person(["do": "fallback"])
    let fallback = try await kit.run(
      "process", "--message", authentication, "--facet", Self.facet, "--fallback-title", "Other ways")
    #expect(fallback.status == 1)
    #expect(try fallback.json()["result"] == "FALLBACK")
    #expect(try fallback.json()["uafErrorCode"] == 3)
    #expect(try fallback.json()["error"] == "fallbackRequested")
    let unknown = try await kit.run("process", "--message", try kit.message("Auth", "ABCD#0001"), "--facet", Self.facet)
    #expect(unknown.status == 1)
    #expect(try unknown.json()["result"] == "NO_MATCH")
    #expect(try unknown.json()["uafErrorCode"] == 5)
    try kit.folder.write("bad.json", "[]")
    let malformed = try await kit.run(
      "process", "--message", kit.folder.file("bad.json"), "--facet", Self.facet)
    #expect(malformed.status == 1)
    #expect(try malformed.json()["uafErrorCode"] == 6)
    try kit.folder.write("bad.json", "no JSON")
    #expect(try await kit.run("process", "--message", kit.folder.file("bad.json"), "--facet", Self.facet).status == 3)
  }

  @Test func readsAuthenticatorsFromAFile() async throws {
    let kit = try Kit()
    try kit.person()
    let file = try kit.folder.write(
      "models.json",
      #"{"version": 1, "authenticators": [{"aaid": "ABCD#0001", "behaviour": "silent", "authenticationAlgorithm": 2}]}"#
    )
    let found = try await kit.run("discover", "--authenticators", file).json()
    #expect(found["availableAuthenticators"]?.arrayValue?.count == 1)
    #expect(found["availableAuthenticators"]?[0]?["aaid"] == "ABCD#0001")
    #expect(found["availableAuthenticators"]?[0]?["authenticationAlgorithm"] == 2)
    for bad in [
      #"{"version": 2, "authenticators": []}"#, #"{"version": 1, "authenticators": [{"aaid": "ABCD#0001"}]}"#,
      #"{"version": 1, "authenticators": [{"aaid": "ABCD#0001", "behaviour": "silent", "colour": 1}]}"#,
    ] {
      try kit.folder.write("models.json", bad)
      #expect(try await kit.run("discover", "--authenticators", file).status == 3)
    }
    // What cannot be is named, as is the file that cannot be read.
    for (members, named) in [
      (#""keyProtection": 0"#, "ABCD#0001: keyProtection"), (#""userVerification": 4"#, "ABCD#0001: userVerification"),
      (#""attestationKey": "no-key.pem", "attestationChain": "no-chain.pem""#, "no-key.pem"),
      (#""upv": [{"major": 1, "minor": 2}]"#, "ABCD#0001: upv"), (#""upv": [1]"#, "upv"),
      (#""attestationRootCertificates": ["AAAA"]"#, "attestationRootCertificates"),
    ] {
      try kit.folder.write(
        "models.json",
        #"{"version": 1, "authenticators": [{"aaid": "ABCD#0001", "behaviour": "silent", \#(members)}]}"#)
      let refused = try await kit.run("discover", "--authenticators", file)
      #expect(refused.status == 3)
      #expect(try refused.json()["message"]?.stringValue?.contains(named) == true, "\(named)")
    }
  }
}
