import AuthenticatorCoding
import Testing
import ToolSupport

/// What the `uaf` verbs say and leave when the command line, a file or the output is at fault.
@Suite struct UAFToolFaultTests {
  private static let facet = "linux:exe:com.example.app"
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try person()
  }

  private func person(_ steps: JSONValue...) throws {
    try folder.write(
      "device.json",
      JSONValue.object([
        "version": 1, "sensor": "fingerprint", "enrolled": ["right-index"], "passcode": "482913",
        "state": .string(folder.file("device.state")), "steps": .array(steps),
      ]).serializedString())
  }

  private func request(_ op: String = "Reg", _ bend: (inout JSONObject) -> Void = { _ in }) throws -> String {
    var entry: JSONObject = [
      "header": ["upv": ["major": 1, "minor": 1], "op": .string(op)],
      "challenge": "kzZauv2hljZLV9-vxAyxtKyLZ_SJW8bVGz3WkOXN1P0",
      "policy": ["accepted": [[["aaid": ["FFFF#0002"]]]]],
    ]
    if op == "Reg" { entry["username"] = "alice" }
    bend(&entry)
    return try folder.write("\(op).json", JSONValue.array([.object(entry)]).serializedString())
  }

  private func words(_ verb: String, _ words: [String]) -> [String] {
    let store = [
      "--store", folder.file("keys/keys.sqlite"), "--device", "scripted:" + folder.file("device.json"),
      "--allow-software-keys", "--json",
    ]
    return ["uaf", verb] + words + (verb == "verify" ? ["--json"] : store)
  }

  private func run(_ verb: String, _ arguments: String...) async throws -> ChildProcess.Result {
    try await Tool.run(words(verb, arguments))
  }

  /// What came of it, and the message that names the fault.
  private func expect(
    _ status: Int32, naming text: String, _ verb: String, _ arguments: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let result = try await Tool.run(words(verb, arguments))
    #expect(result.status == status, sourceLocation: sourceLocation)
    let said = status == 2 ? result.stderr + result.stdout : try result.json()["message"]?.stringValue ?? ""
    #expect(said.contains(text), "\(said)", sourceLocation: sourceLocation)
  }

  // MARK: Output

  @Test(arguments: [">/dev/full", ">&-"]) func anUndeliveredRegistrationLeavesNoKey(output: String) async throws {
    try person(["do": "match"])
    let process = words("process", ["--message", try request(), "--facet", Self.facet])
    let result = try await ChildProcess("sh", ["-c", "exec \"$0\" \"$@\" " + output, Tool.path] + process)
      .result(within: .seconds(60))
    #expect(result.status == 3)
    #expect(try await run("list", "--facet", Self.facet).json() == [])
    // Nor does it stand in the way of the next one.
    try person(["do": "match"])
    #expect(try await Tool.run(process).status == 0)
    #expect(try await run("list", "--facet", Self.facet).json()[0]?["keys"]?.arrayValue?.count == 1)
  }

  // MARK: The server's word

  @Test func notingNamesWhatIsNotHere() async throws {
    try person(["do": "match"])
    let made = try await run("process", "--message", try request(), "--facet", Self.facet)
    let response = try folder.write("response.json", made.stdout)
    for status in ["1201", "1999", "1000", "1482"] {
      try await expect(
        2, naming: "--status \(status) is no status of UAF", "notify", "--response", response, "--status", status)
    }
    let other = "linux:exe:com.example.other"
    try await expect(
      1, naming: "no key", "notify", "--response", response, "--status", "1200", "--facet", other)
    #expect(try await run("notify", "--response", response, "--status", "1200").json()["keys"] == 1)
    // The server does not know it: it goes, and is not here any more.
    #expect(try await run("notify", "--response", response, "--status", "1481").status == 0)
    let again = try await run("notify", "--response", response, "--status", "1200")
    #expect(again.status == 1)
    #expect(try again.json()["error"] == "keyNotFound")
    let elsewhere = try await Tool.run([
      "uaf", "notify", "--response", response, "--status", "1200", "--store", folder.file("nowhere.sqlite"), "--json",
    ])
    #expect(elsewhere.status == 1)
    let nothing = try folder.write("nothing.json", #"{"uafProtocolMessage": ""}"#)
    #expect(try await run("notify", "--response", nothing, "--status", "1200").status == 0)
  }

  // MARK: The command line

  @Test func badValuesOfOptionsAreNamed() async throws {
    let message = try request()
    for facet in [
      "https://example.org/path", "https://example.org?x", "linux:exe:a b", String(repeating: "f", count: 600),
      "http://example.org", "https://", "linux:exe:a\tb", "x", "-", "example.org", ":x", "x:", "https:example.org",
      "app:\u{9B}x", "app:\u{202E}x", "app:é",
    ] {
      try await expect(2, naming: "--facet", "list", "--facet", facet)
    }
    try await expect(2, naming: "--facet", "process", "--message", message, "--facet", "x")
    try await expect(
      2, naming: "--fallback-title is empty", "process", "--message", message, "--facet", Self.facet,
      "--fallback-title", "")
    for option in ["--authenticator", "--app-id", "--device-name"] {
      try await expect(
        2, naming: "unknown option '\(option)'", "process", "--message", message, "--facet", Self.facet, option, "pin")
    }
    let garbage = try folder.write("ca.pem", "no certificate")
    try await expect(
      3, naming: "ca.pem", "process", "--message", message, "--facet", Self.facet, "--ca", garbage)
  }

  @Test func aMistypedChannelBindingIsNamed() async throws {
    let message = try request()
    for (binding, member) in [
      (#"{"serverEndpoint": "AAAA"}"#, "serverEndpoint"), (#"{"serverEndPoint": "zzz zz"}"#, "serverEndPoint"),
      (#"{"cid_pubkey": "no key"}"#, "cid_pubkey"),
    ] {
      let file = try folder.write("binding.json", binding)
      try await expect(
        3, naming: member, "process", "--message", message, "--facet", Self.facet, "--channel-binding", file)
    }
  }

  @Test func withoutATerminalNobodyCanBeAsked() async throws {
    let message = try request("Reg") { $0["policy"] = ["accepted": [[["aaid": ["FFFF#0005"]]]]] }
    let result = try await Tool.run([
      "uaf", "process", "--message", message, "--facet", Self.facet, "--store", folder.file("keys/keys.sqlite"),
      "--allow-software-keys", "--json",
    ])
    #expect(result.status == 1)
    #expect(try result.json()["error"] == "notInteractive")
    #expect(try result.json()["result"] == "NOT_INTERACTIVE")
  }

  // MARK: Files

  @Test func membersThatSayNothingAreNamed() async throws {
    for (members, member) in [
      (#""tcDisplayContentType": 42"#, "tcDisplayContentType"),
      (#""tcDisplayContentType": "text/html""#, "tcDisplayContentType"),
      (#""attestationChain": "chain.pem""#, "attestationKey is missing"),
      (#""attestationKey": "-", "attestationChain": "chain.pem""#, "attestationKey cannot be standard input"),
      (#""behavior": "silent""#, "behavior is unknown"), (#""behaviours": 1"#, "behaviours is unknown"),
      // What this tool cannot show, and what only a newer form of statements says.
      (#""tcDisplayContentType": "image/png""#, "this tool shows no pictures"),
      (#""tcDisplayPNGCharacteristics": []"#, "this tool shows text"),
      (#""protocolFamily": "u2f""#, "protocolFamily must be uaf"), (#""icon": 5"#, "icon is malformed"),
      (#""authenticationAlgorithms": ["rsassa_pss_sha256_raw"]"#, "authenticationAlgorithms is of a newer form"),
      (#""publicKeyAlgAndEncodings": ["ecc_x962_raw"]"#, "publicKeyAlgAndEncodings is of a newer form"),
      (#""userVerificationDetails": [[{"userVerificationMethod": "presence_internal"}]]"#, "userVerificationDetails"),
      (#""userVerificationDetails": [[{"userVerification": 2}]]"#, "are not the methods of behaviour"),
      (#""supportedExtensions": [{"id": "x", "fail_if_unknown": true}]"#, "has one that is unknown here"),
      (#""isFreshUserVerificationRequired": "yes""#, "isFreshUserVerificationRequired is malformed"),
      (#""isKeyRestricted": false"#, "isKeyRestricted must be true"),
      (#""publicKeyAlgAndEncoding": 9"#, "models.json: ABCD#0001: publicKeyAlgAndEncoding"),
      (#""upv": [{"major": 1, "minor": 2}]"#, "models.json: ABCD#0001: upv"),
    ] {
      let file = try folder.write(
        "models.json",
        #"{"version": 1, "authenticators": [{"aaid": "ABCD#0001", "behaviour": "presence", \#(members)}]}"#)
      let result = try await run("discover", "--authenticators", file)
      #expect(result.status == 3)
      let message = try result.json()["message"]?.stringValue ?? ""
      #expect(message.contains("models.json: ") && message.contains(member), "\(members): \(message)")
    }
  }

  /// A statement of this very device, with the one member that a server does not need.
  @Test func statementsOfTheDeviceAreReadBack() async throws {
    let printed = try await run("discover", "--metadata").json()
    let behaviors = ["passcode", "uvs", "delete", "bio-or-passcode", "presence", "silent"]
    let authenticators = zip(printed.arrayValue ?? [], behaviors).map { statement, behavior -> JSONValue in
      var members = statement.objectValue ?? [:]
      members["behaviour"] = .string(behavior)
      return .object(members)
    }
    #expect(authenticators.count == behaviors.count)
    let file = try folder.write(
      "models.json",
      JSONValue.object(["version": 1, "authenticators": .array(authenticators)]).serializedString())
    #expect(try await run("discover", "--metadata", "--authenticators", file).json() == printed)
  }

  @Test func messagesAreNamedByTheirFile() async throws {
    for (text, status, what) in [
      ("7", 1, "message is no list of messages"), ("{}", 1, "message holds no protocol message"),
      (#"{"uafProtocolMessage": "x"}"#, 1, "it is no JSON"), (#"{"uafRequest": "[]"}"#, 1, "message"),
      ("[", 3, "is not JSON"),
    ] {
      let file = try folder.write("hello.json", text)
      let says = status == 1 ? "hello.json: \(what)" : what
      try await expect(Int32(status), naming: says, "process", "--message", file, "--facet", Self.facet)
      try await expect(
        Int32(status), naming: "hello.json", "notify", "--response", file, "--status", "1200")
    }
  }

  /// As the HTTP profile posts it, and as the server answers with it.
  @Test func responsesAreReadInBothWrappings() async throws {
    try person(["do": "match"])
    let made = try await run("process", "--message", try request(), "--facet", Self.facet).json()
    let posted = JSONValue.object(["uafResponse": made["uafProtocolMessage"] ?? .null, "context": ""])
    let file = try folder.write("posted.json", posted.serializedString())
    #expect(try await run("notify", "--response", file, "--status", "1200").json()["keys"] == 1)
  }

  /// The environment is at fault, not the request, and the file is named.
  @Test func aDamagedStoreIsUnusable() async throws {
    try person(["do": "match"])
    let made = try await run("process", "--message", try request(), "--facet", Self.facet)
    let response = try folder.write("response.json", made.stdout)
    let python =
      "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(\"update ledger set value = x'00'\"); c.commit()"
    let broken = try await ChildProcess("python3", ["-c", python, folder.file("keys/keys.sqlite")])
      .result(within: .seconds(60))
    try #require(broken.status == 0)
    for words in [
      ["process", "--message", try request("Auth"), "--facet", Self.facet], ["list", "--facet", Self.facet],
      ["notify", "--response", response, "--status", "1200"],
    ] {
      let result = try await Tool.run(self.words(words[0], Array(words[1...])))
      #expect(result.status == 3)
      let json = try result.json()
      #expect(json["error"] == "integrityFailed")
      #expect(json["message"]?.stringValue?.contains("keys.sqlite: ") == true, "\(json.serializedString())")
    }
  }

  @Test func verifyNamesTheFileAtFault() async throws {
    let expect = try folder.write("exp.json", #"{"metadata": [], "facets": []}"#)
    let response = try folder.write(
      "rs.json",
      #"[{"header": {"upv": {"major": 1, "minor": 1}, "op": "Reg"}, "fcParams": "AAAA", "assertions": [{"assertionScheme": "UAFV1TLV", "assertion": "AAAA"}]}]"#
    )
    func message(_ request: String) async throws -> String {
      let result = try await run(
        "verify", "--request", try folder.write("rq.json", request), "--response", response, "--expect", expect)
      #expect(result.status == 3)
      return try result.json()["message"]?.stringValue ?? ""
    }
    #expect(try await message("[]").hasSuffix("rq.json: is no list of requests"))
    let op = try await message(#"[{"header": {"upv": {"major": 1, "minor": 1}, "op": "Regg"}}]"#)
    #expect(op.hasSuffix("rq.json: header.op is missing or malformed"))
    let policy = try await message(
      #"[{"header": {"upv": {"major": 1, "minor": 1}, "op": "Reg"}, "challenge": "AAAA", "username": "mira", "policy": {}}]"#
    )
    #expect(policy.hasSuffix("rq.json: policy.accepted is missing or malformed"))
    let bound = try folder.write(
      "bound.json", #"{"metadata": [], "facets": [], "channelBinding": {"serverEndpoint": "AAAA"}}"#)
    try await self.expect(
      3, naming: "bound.json: channelBinding.serverEndpoint is unknown", "verify", "--request", try request(),
      "--response", response, "--expect", bound)
  }

  /// The whole way of an extension that the client must understand.
  @Test func aKnownExtensionGoesThereAndBack() async throws {
    try person(["do": "match"])
    let request = try request("Reg") {
      $0["header"] = [
        "upv": ["major": 1, "minor": 1], "op": "Reg",
        "exts": [["id": "fido.uaf.uvm", "data": "", "fail_if_unknown": true]],
      ]
    }
    let made = try await run("process", "--message", request, "--facet", Self.facet)
    #expect(made.status == 0)
    let metadata = try await run("discover", "--metadata").json()
    let expect = try folder.write(
      "exp.json", JSONValue.object(["metadata": metadata, "facets": [.string(Self.facet)]]).serializedString())
    let verified = try await run(
      "verify", "--request", request, "--response", try folder.write("rs.json", made.stdout), "--expect", expect)
    #expect(verified.status == 0)
    #expect(try verified.json()["methods"]?[0]?[0]?["userVerification"] == 2)
  }
}
