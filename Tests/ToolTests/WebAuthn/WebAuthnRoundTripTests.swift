import AuthenticatorCoding
import Foundation
import TestMachine
import Testing
import ToolSupport

/// What one run of the tool makes, another verifies, and a library that shares no code with it too.
@Suite struct WebAuthnRoundTripTests {
  enum Form: String, CaseIterable { case none, packed, chain }

  static let algorithms: [Int64] = [-7, -35, -36, -8, -257, -37]
  private static let python = ProcessInfo.processInfo.environment["AUTHENTICATOR_PYTHON"]

  @Test(arguments: algorithms, Form.allCases)
  func registersAndSignsIn(algorithm: Int64, form: Form) async throws {
    let passkeys = try Passkeys()
    let authority = try AttestationAuthority(in: passkeys.folder)
    try passkeys.creation {
      $0["pubKeyCredParams"] = [["type": "public-key", "alg": .integer(algorithm)]]
      $0["attestation"] = form == .none ? "none" : "direct"
    }
    let registration = try await passkeys.register(form == .chain ? authority.options : [])
    try passkeys.expectation {
      $0["algorithms"] = [.integer(algorithm)]
      $0["attestation"] = form == .none ? "none" : "direct"
      $0["trustAnchors"] = [.string(authority.root)]
    }
    // Over a pipe, as in a shell.
    let (status, verdict) = try await passkeys.run(
      ["verify-registration", "--response", "-", "--expect", passkeys.folder.file("expect.json"), "--json"],
      input: registration.serializedString())
    #expect(status == 0)
    let attestation = verdict["credential"]?["attestation"]
    #expect(attestation?["format"] == (form == .none ? "none" : "packed"))
    #expect(attestation?["type"] == (form == .none ? "none" : form == .packed ? "self" : "basic"))
    #expect(attestation?["trusted"] == .bool(form == .chain))
    #expect(verdict["flags"]?["UV"] == true)

    try passkeys.request()
    let response = try await passkeys.authenticate()
    #expect(response["id"] == registration["id"] && response["response"]?["userHandle"] == "YWxpY2U")
    try passkeys.expectation { $0["credential"] = verdict["credential"] }
    let (signedIn, after) = try await passkeys.verify("verify-authentication", response)
    #expect(signedIn == 0)
    #expect(after["credential"]?["signCount"] == 1)
    try judge(passkeys, registration, response, authority.root, form)
  }

  /// python-fido2 reads the very files.
  private func judge(
    _ passkeys: Passkeys, _ registration: JSONValue, _ authentication: JSONValue, _ root: String, _ form: Form
  ) throws {
    guard let python = Self.python else {
      #expect(!Skips.areRefused, "AUTHENTICATOR_PYTHON names no interpreter with the judges")
      return
    }
    let input = JSONValue.object([
      "rpId": "example.org", "origin": .string(Passkeys.origin), "root": .string(root),
      "cases": [
        [
          "form": .string(form.rawValue), "challenge": .string(Passkeys.challenge), "registration": registration,
          "authentications": [authentication],
        ]
      ],
    ])
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = [tests.appendingPathComponent("InteropTests/Judges/verify_webauthn.py").path, "fido2"]
    let file = try passkeys.folder.write("judged.json", input.serializedString())
    process.standardInput = FileHandle(forReadingAtPath: file)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let verdicts = try JSONValue.parse(Array(bytes))
    #expect(verdicts[0]?["fido2"]?["attestation"] == .string(form.rawValue), "\(verdicts.serializedString())")
  }

  @Test func theLeafNamesTheModel() async throws {
    let passkeys = try Passkeys()
    let authority = try AttestationAuthority(in: passkeys.folder, model: Array(1...16))
    try passkeys.creation()
    let registration = try await passkeys.register(authority.options)
    try passkeys.expectation {
      $0["attestation"] = "direct"
      $0["trustAnchors"] = [.string(authority.root)]
    }
    let (status, verdict) = try await passkeys.verify("verify-registration", registration)
    #expect(status == 0)
    #expect(verdict["credential"]?["aaguid"] == "01020304-0506-0708-090a-0b0c0d0e0f10")
  }

  @Test func aPINHoldsCredentialsToo() async throws {
    let passkeys = try Passkeys()
    try passkeys.creation()
    try passkeys.request()
    for verb in ["register", "authenticate"] {
      try passkeys.person(["do": "pin", "value": "271828"])
      let (status, json) = try await passkeys.run(passkeys.ceremony(verb, ["--authenticator", "pin"]))
      #expect(status == 0, "\(json.serializedString())")
    }
    let keys = try await Tool.run(["keys", "list"] + passkeys.device).json()
    #expect(keys[0]?["authenticator"] == "applicationPIN" && keys[0]?["protection"] == "softwarePINWrapped")
    // A wrong PIN signs nothing.
    try passkeys.person(["do": "pin", "value": "000000"])
    let (status, json) = try await passkeys.run(passkeys.ceremony("authenticate", ["--authenticator", "pin"]))
    #expect(status == 1 && json["error"] == "NotAllowedError")
  }

  @Test func printsTheResponseWithoutJSONToo() async throws {
    let passkeys = try Passkeys()
    try passkeys.creation()
    try passkeys.person(Passkeys.touch)
    let words = passkeys.ceremony("register").filter { $0 != "--json" }
    let result = try await Tool.run(["webauthn"] + words)
    #expect(result.status == 0 && result.stderr.isEmpty)
    #expect(try result.json()["type"] == "public-key")
  }
}
