import AuthenticatorCoding
import AuthenticatorJourneyServer

/// Journeys that ask for passkeys in one way each and then show what the page wrote into the hidden field.
enum ProbeJourneys {
  /// 32 bytes, with each of the characters that differ among the alphabets of base64.
  static let challenge: [UInt8] = [0xFB, 0xFF] + [UInt8](repeating: 0x3E, count: 28) + [0x80, 0x7F]

  static func all() throws -> [JourneyTree] {
    let new: JSONObject = [
      "_action": "webauthn_registration", "_type": "WebAuthn", "challenge": .string(Base64.encode(challenge)),
      "attestationPreference": "none", "userName": "probe", "userId": "cHJvYmU", "displayName": "Probe",
      "relyingPartyName": "Kit", "_relyingPartyId": "", "_authenticatorSelection": ["userVerification": "preferred"],
      "_pubKeyCredParams": [["type": "public-key", "alg": -99999], ["type": "public-key", "alg": -7]],
      "timeout": "60000", "_excludeCredentials": [], "extensions": ["credProps": true], "supportsJsonResponse": true,
    ]
    var broken = new
    broken["challenge"] = 5
    var future = new
    future["_action"] = "create_restore_key"
    var unsupported = new
    unsupported["_pubKeyCredParams"] = [["type": "future-key", "alg": -7]]
    return [
      try tree("ProbeUnsupported", [.metadata(unsupported)]), try tree("ProbeNew", [.metadata(new)]),
      try tree("ProbeBroken", [.metadata(broken)]),
      try tree("ProbeFuture", [.metadata(future)]), try tree("ProbeForeign", [.metadata(foreign(new))]),
      try twice("ProbeOld", oldRegistration, oldAuthentication),
      try twice("ProbeScript", scriptRegistration, scriptAuthentication),
      try JourneyTree("Codes") {
        TreeStep("codes", CodesNode()).next("done")
        TreeStep("done", SayNode(text: "done")).next(.failure)
      },
      try JourneyTree("Trusted") {
        TreeStep("ask", ProbeNode(field: "trustedDeviceOutcome") { _ in [.metadata(["_type": "TrustedDevice"])] })
          .next("told")
        TreeStep("told", TellNode(names: ["outcome"])).next(.failure)
      },
    ]
  }

  private static func foreign(_ data: JSONObject) -> JSONObject {
    var data = data
    data["_relyingPartyId"] = "example.com"
    return data
  }

  private static func tree(_ name: String, _ callbacks: [ServerCallback]) throws -> JourneyTree {
    try JourneyTree(name) {
      TreeStep("ask", ProbeNode { _ in callbacks }).next("told")
      TreeStep("told", TellNode(names: ["outcome"])).next(.failure)
    }
  }

  /// Registers, shows the outcome, signs in with that very credential and shows that outcome.
  private static func twice(
    _ name: String, _ register: @escaping @Sendable ([UInt8]) -> [ServerCallback],
    _ authenticate: @escaping @Sendable ([UInt8]) -> [ServerCallback]
  ) throws -> JourneyTree {
    try JourneyTree(name) {
      TreeStep("register", ProbeNode(make: register)).next("registered")
      TreeStep("registered", TellNode(names: ["outcome"])).next("authenticate")
      TreeStep("authenticate", ProbeNode(make: authenticate)).next("authenticated")
      TreeStep("authenticated", TellNode(names: ["outcome"])).next(.failure)
    }
  }

  // MARK: Version 7.0: text alone, some of it JavaScript

  @Sendable private static func oldRegistration(_: [UInt8]) -> [ServerCallback] {
    [
      .metadata([
        "_type": "WebAuthn", "challenge": .string(Base64.encode(challenge)), "attestationPreference": "none",
        "userName": "probe", "userId": "cHJvYmU", "displayName": "Probe", "relyingPartyName": "Kit",
        "relyingPartyId": #"id: "localhost","#,
        "authenticatorSelection": #"{"userVerification":"required","requireResidentKey":true}"#,
        "pubKeyCredParams": #"[ { "type": "public-key", "alg": -257 }, { "type": "public-key", "alg": -7 } ]"#,
        "timeout": "60000",
        "excludeCredentials": #"{ "type": "public-key", "id": new Int8Array([-1,127,0]).buffer }"#,
      ])
    ]
  }

  @Sendable private static func oldAuthentication(_ id: [UInt8]) -> [ServerCallback] {
    [
      .metadata([
        "_type": "WebAuthn", "challenge": .string(Base64.encode(challenge)), "timeout": "60000",
        "userVerification": "required", "relyingPartyId": #"rpId: "localhost","#,
        "allowCredentials": .string("allowCredentials: [\(descriptors(id))]"),
      ])
    ]
  }

  // MARK: Version 6.5: a script

  @Sendable private static func scriptRegistration(_: [UInt8]) -> [ServerCallback] {
    script(
      """
      navigator.credentials.create({ publicKey: {
        challenge: new Int8Array([\(numbers(challenge))]).buffer,
        rp: { name: "A } of \\"id: \\"" },
        user: {
          id: Uint8Array.from("cHJvYmU", function (c) { return c.charCodeAt(0) }),
          name: "probe, displayName: ",
          displayName: "Probe"
        },
        pubKeyCredParams: [ { type: "public-key", alg: -7 }, { type: "public-key", alg: -257 } ],
        attestation: "none", timeout: 60000, excludeCredentials: [],
        authenticatorSelection: { userVerification: "required" authenticatorAttachment: "platform" requireResidentKey: true }
      } }).then(function (c) { document.getElementById("webAuthnOutcome").value = c.id; });
      """)
  }

  @Sendable private static func scriptAuthentication(_ id: [UInt8]) -> [ServerCallback] {
    script(
      """
      var acceptableCredentials = [\(descriptors(id))];
      var options = { challenge: new Uint8Array([\(challenge.map(String.init).joined(separator: ", "))]).buffer,
        timeout: 60000, "userVerification": "required", allowCredentials: acceptableCredentials };
      navigator.credentials.get({ "publicKey": options }).then(function (c) {
        document.getElementById("webAuthnOutcome").value = c.id; });
      """)
  }

  private static func script(_ text: String) -> [ServerCallback] {
    [.textOutput(text, messageType: 4), .textOutput("document.write('wait')", messageType: 4)]
  }

  /// Beside the one that is there, one that nobody has.
  private static func descriptors(_ id: [UInt8]) -> String {
    [id, [1, 2, 3]].map { #"{ "type": "public-key", "id": new Int8Array([\#(numbers($0))]).buffer }"# }
      .joined(separator: ",")
  }

  private static func numbers(_ bytes: [UInt8]) -> String {
    bytes.map { "\(Int8(bitPattern: $0))" }.joined(separator: ",")
  }
}

/// Asks with a hidden field for the outcome, which it remembers; `make` is given the id in the last outcome.
struct ProbeNode: TreeNode {
  static let nodeType = "ProbeNode"
  let outcomes: [NodeOutcome] = [.outcome]
  let field: String
  let make: @Sendable ([UInt8]) -> [ServerCallback]

  init(field: String = "webAuthnOutcome", make: @escaping @Sendable ([UInt8]) -> [ServerCallback]) {
    self.field = field
    self.make = make
  }

  func process(_ context: inout NodeContext) async throws -> NodeResult {
    if let answers = context.answers {
      context.state.shared["outcome"] = .string(answers.last?.text() ?? "nothing")
      return .done(.outcome)
    }
    let parts = context.state.shared["outcome"]?.stringValue?.split(separator: "::") ?? []
    let id = parts.count > 2 ? try Base64URL.decode(String(parts[2])) : []
    return .ask(make(id) + [.hiddenValue(id: field, value: "false")])
  }
}

/// Recovery codes inside a script, as PingAM sends them to browsers.
struct CodesNode: TreeNode {
  static let nodeType = "CodesNode"
  let outcomes: [NodeOutcome] = [.outcome]

  func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard context.answers == nil else { return .done(.outcome) }
    let line = #""<div class=\"text-center\">\n" + "%\n" + "</div>\n" +"#
    let codes = ["x7K2-pQ", "b9dT4-z"].map { line.replacing("%", with: $0) }.joined(separator: "\n")
    let script = #"place.innerHTML = "<h3>Your Recovery Codes</h3>" + \#n\#(codes) place.innerHTML;"#
    return .ask([.textOutput(script, messageType: 4)])
  }
}
