import AuthenticatorCoding
import AuthenticatorCrypto
import Glibc
import TestCertificates
import Testing
import ToolSupport

/// Files, options and words that cannot be used.
extension WebAuthnCeremonyTests {
  @Test func filesThatAreNoJSONAreUnusable() async throws {
    let folder = passkeys.folder
    let cases: [(String, [UInt8], String)] = [
      ("empty", [], "it ends too early"), ("text", Array("hello".utf8), "a character cannot stand"),
      ("cut", Array(#"{"challenge": "#.utf8), "it ends too early"),
      ("twice", Array(#"{"challenge": "AA", "challenge": "AA"}"#.utf8), "a name twice"),
      ("latin1", Array(#"{"challenge": ""#.utf8) + [0xE4] + Array(#""}"#.utf8), "not UTF-8"),
      ("more", Array("{} {}".utf8), "something follows"),
      ("mark", [0xEF, 0xBB, 0xBF] + Array("{}".utf8), "byte order mark"),
      ("deep", [UInt8](repeating: UInt8(ascii: "["), count: 100_000), "nested too deeply"),
      ("large", [UInt8](repeating: UInt8(ascii: " "), count: 2 << 20), "is longer than"),
    ]
    for (name, bytes, message) in cases {
      let file = try folder.write(name, bytes: bytes)
      for words in [
        ["register", "--options", file, "--origin", Passkeys.origin] + passkeys.device,
        ["authenticate", "--options", file, "--origin", Passkeys.origin] + passkeys.device,
        ["verify-registration", "--response", file, "--expect", try passkeys.expectation(), "--json"],
        ["verify-authentication", "--response", "/dev/null", "--expect", file, "--json"],
      ] {
        let (status, json) = try await passkeys.run(words)
        #expect(status == 3 && json["error"] == "inputUnusable", "\(name): \(words[0])")
        let text = json["message"]?.stringValue ?? ""
        #expect(text.contains(message) && text.contains(file), "\(text)")
      }
    }
    let (status, json) = try await passkeys.run(
      ["register", "--options", folder.file("nowhere"), "--origin", Passkeys.origin] + passkeys.device)
    #expect(status == 3 && json["message"]?.stringValue?.contains("does not exist") == true)
    #expect(try await passkeys.credentials().isEmpty)
  }

  @Test func optionsThatAreNoObjectAreRejected() async throws {
    for text in ["[]", "null", "5", "\"text\"", "{}"] {
      try passkeys.folder.write("creation.json", text)
      try passkeys.folder.write("request.json", text)
      try await expectRefusal("TypeError", passkeys.ceremony("register"), text)
      try await expectRefusal("TypeError", passkeys.ceremony("authenticate"), text)
    }
  }

  @Test func optionsMayComeOverAPipeAndInsideTheirWrapper() async throws {
    let options = String(decoding: TemporaryFolder.read(try passkeys.creation()) ?? [], as: UTF8.self)
    try passkeys.person(Passkeys.touch)
    let (status, _) = try await passkeys.run(
      ["register", "--options", "-", "--origin", Passkeys.origin] + passkeys.device,
      input: #"{"publicKey": \#(options)}"#)
    #expect(status == 0)
  }

  @Test func anAttestationKeyThatIsNoneIsUnusable() async throws {
    try passkeys.creation()
    try passkeys.person(Passkeys.touch)
    let good = try AttestationAuthority(in: passkeys.folder)
    let other = try passkeys.folder.write("other.pem", try AttestationAuthority.pem(PrivateKey.generate(.es256)))
    let text = try passkeys.folder.write("text.pem", "no key and no certificate")
    for (key, chain, message) in [
      (text, good.options[3], "holds no unencrypted private key"), (good.options[1], text, "holds no certificates"),
      (other, good.options[3], "holds no certificates of \(other)"), (good.options[1], "/nowhere", "does not exist"),
    ] {
      let words = passkeys.ceremony("register", ["--attestation-key", key, "--attestation-chain", chain])
      let (status, json) = try await passkeys.run(words)
      #expect(status == 3 && json["error"] == "inputUnusable")
      #expect(json["message"]?.stringValue?.contains(message) == true, "\(json.serializedString())")
    }
    #expect(try await passkeys.credentials().isEmpty)
  }

  /// Certificates that no relying party accepts are refused before a credential is made with them.
  @Test func attestationThatNobodyWouldAcceptIsUnusable() async throws {
    try passkeys.creation()
    let authority = try TestCertificate.authority()
    let key = try PrivateKey.generate(.es256)
    let keyFile = try passkeys.folder.write("key.pem", try AttestationAuthority.pem(key))
    let subject = [
      ("2.5.4.6", "DE"), ("2.5.4.10", "Example"), ("2.5.4.11", "Authenticator Attestation"), ("2.5.4.3", "Leaf"),
    ]
    func leaf(_ change: (inout TestCertificate) -> Void, _ subject: [(String, String)]) throws -> String {
      var leaf = try TestCertificate(subject: subject, key: key)
      leaf.extensions = [
        (TestCertificate.basicConstraints, true, TestCertificate.basicConstraints(isAuthority: false))
      ]
      change(&leaf)
      return try leaf.certificate(issuer: authority).pemRepresentation
    }
    let good = try leaf({ _ in }, subject)
    let long = good + String(repeating: try authority.certificate().pemRepresentation, count: 10)
    for (text, words) in [
      (try leaf({ _ in }, [("2.5.4.3", "Leaf")]), "country"),
      (try leaf({ $0.extensions = [] }, subject), "constraints"),
      (long, "more than 10"), (try leaf({ $0.notAfter = "250101000000Z" }, subject), "certificate 1 has expired"),
    ] {
      let chain = try passkeys.folder.write("chain.pem", text)
      let line = passkeys.ceremony("register", ["--attestation-key", keyFile, "--attestation-chain", chain])
      let (status, json) = try await passkeys.run(line)
      #expect(status == 3 && json["message"]?.stringValue?.contains(words) == true, "\(json.serializedString())")
    }
    // secp256k1, made with OpenSSL.
    let other = try passkeys.folder.write(
      "other.pem",
      """
      -----BEGIN EC PRIVATE KEY-----
      MHQCAQEEIGmgFWG3HAtzH4Ys53+9vlCgSAJgxyjXU0Htz5c7/+mToAcGBSuBBAAK
      oUQDQgAEaNTlQpn0lQZt/dKebe5GiSfqtGK8db+0UBNMK1nrJtryMlsnCpCmfMdJ
      dieHeXj1hAo6ZsGjLEsGjcND5kvbrQ==
      -----END EC PRIVATE KEY-----
      """)
    let chain = try passkeys.folder.write("chain.pem", good)
    let line = passkeys.ceremony("register", ["--attestation-key", other, "--attestation-chain", chain])
    let json = try await passkeys.run(line).json
    #expect(
      json["message"]?.stringValue?.contains("holds a private key that cannot be used") == true,
      "\(json.serializedString())")
    #expect(try await passkeys.credentials().isEmpty)
  }

  @Test func anUnusableStoreIsUnusable() async throws {
    try passkeys.creation()
    try passkeys.request()
    let file = try passkeys.folder.write("text", String(repeating: "no store ", count: 100))
    for words in [passkeys.ceremony("register"), passkeys.ceremony("authenticate"), ["list"] + passkeys.device] {
      let (status, json) = try await passkeys.run(words.map { $0 == passkeys.store ? file : $0 })
      #expect(status == 3 && json["error"] == "notAStore")
      #expect(json["message"]?.stringValue?.contains(file) == true)
    }
  }

  @Test func aDeviceFileThatIsNoneIsNamed() async throws {
    try passkeys.creation()
    try passkeys.folder.write("device.json", #"{"version": 1, "#)
    let (status, json) = try await passkeys.run(passkeys.ceremony("register"))
    let message = json["message"]?.stringValue ?? ""
    #expect(status == 3 && message.contains("device.json") && message.contains("it ends too early"), "\(message)")
  }

  @Test(
    arguments: [
      (["register"], "--options is missing"),
      (["register", "--options", "a"], "--origin is missing"),
      (["register", "--options", "a", "--origin", ""], "--origin is empty"),
      (
        ["register", "--options", "a", "--origin", "b", "--attestation-key", "c"],
        "--attestation-key and --attestation-chain go together"
      ),
      (["authenticate", "--options", "a", "--origin", "b", "--credential", "!"], "--credential wants a credential ID"),
      (["authenticate", "--options", "-", "--origin", "b", "--device", "scripted:-"], "cannot both be standard input"),
      (["authenticate", "--options", "a", "--origin", "b", "--ca", "c"], "--related-origins, which is missing"),
      (["verify-registration", "--response", "a"], "--expect is missing"),
      (["verify-authentication", "--expect", "a"], "--response is missing"),
      (["verify-authentication", "--expect", "-", "--response", "-"], "cannot both be standard input"),
      (["verify-signature", "--key", "a", "--message", "-", "--signature", "-"], "cannot both be standard input"),
      (["verify-signature", "--key", "a", "--message", "b"], "--signature is missing"),
      (["delete"], "ID is missing"), (["delete", "!"], "ID wants a credential ID"),
      (["delete", "AA", "--credential", "AA"], "the credential is given twice"),
      (["list", "extra"], "unexpected argument 'extra'"),
    ])
  func usageIsToldBeforeAnythingIsTouched(words: [String], message: String) async throws {
    let result = try await Tool.run(["webauthn"] + words)
    #expect(result.status == 2 && result.stdout.isEmpty)
    #expect(result.stderr.contains(message) && result.stderr.split(separator: "\n").count == 1)
  }
}
