import AuthenticatorCoding
import AuthenticatorCrypto
import Glibc
import TestCertificates
import Testing
import ToolSupport

/// `serve` as a relying party that is told who it is and whom it trusts.
@Suite struct RelyingPartyServeTests {
  private let folder: TemporaryFolder
  private let authority: AttestationAuthority
  private static let model: [UInt8] = Array(1...16)

  init() throws {
    folder = try TemporaryFolder()
    authority = try AttestationAuthority(in: folder, model: Self.model)
    try folder.write("users.json", #"[{"username": "mira", "password": "correct horse"}]"#)
    try folder.write("root.pem", authority.root)
    try folder.write(
      "device.json",
      #"{"version": 1, "sensor": "fingerprint", "enrolled": ["a"], "passcode": "1", "steps": [{"do": "match"}]}"#)
    guard mkdir(folder.file("journeys"), 0o700) == 0 else { throw Fault.folder }
    for (name, store) in [("Attested", ""), ("AttestedByStore", "vendors")] { try journey(name, store) }
    try journey("AttestedUnrevoked", "", enforcesRevocationCheck: true)
  }

  private enum Fault: Error { case folder }

  /// A name, then a credential with a statement that somebody vouches for.
  private func journey(_ name: String, _ store: String, enforcesRevocationCheck: Bool = false) throws {
    let (success, failure) = ("70e691a5-1e33-4ac3-a356-e7b6d60d92e0", "e301438c-0bd0-429c-ab0c-66126501069a")
    let export: JSONValue = [
      "tree": [
        "_id": .string(name), "entryNodeId": "name",
        "nodes": [
          "name": ["nodeType": "UsernameCollectorNode", "connections": ["outcome": "register"]],
          "register": [
            "nodeType": "WebAuthnRegistrationNode",
            "connections": [
              "success": .string(success), "failure": .string(failure), "unsupported": .string(failure),
              "error": .string(failure),
            ],
          ],
        ],
      ],
      "nodes": [
        "register": [
          "asScript": false, "attestationPreference": "DIRECT", "generateRecoveryCodes": false,
          "trustStoreAlias": .string(store), "enforceRevocationCheck": .bool(enforcesRevocationCheck),
        ]
      ],
    ]
    try folder.write("journeys/\(name).json", export.serializedString())
  }

  private func serve(_ more: [String]) throws -> ChildProcess {
    try Tool.start(
      ["serve", "--port", "0", "--users", folder.file("users.json"), "--journeys", folder.file("journeys"), "--json"]
        + more)
  }

  /// Serves, and registers with a key that the authority vouches for.
  private func register(
    _ journey: String = "Attested", _ options: [String] = [], login: [String] = []
  ) async throws -> JSONValue {
    let server = try serve(options)
    let url = try #require(try JSONValue.parse(try await server.firstLine())["url"]?.stringValue)
    let result = try await Tool.run(
      ["login", "--server", url, "--journey", journey, "--answer", "NameCallback=mira", "--json"]
        + ["--store", folder.file("keys.sqlite"), "--device", "scripted:" + folder.file("device.json")]
        + ["--allow-software-keys"] + authority.options + login)
    server.send(SIGTERM)
    let end = try await server.result()
    #expect(end.status == 0)
    let json = try result.json()
    // The operator learns which check failed, in one line; nobody else does.
    let lines = end.stderr.split(separator: "\n").filter { $0.contains("refused a device's proof") }
    #expect(lines.count == (json["outcome"] == "failure" ? 1 : 0), "\(end.stderr)")
    #expect(json["ceremonies"]?[0]?["result"] == "signed", "\(json.serializedString())")
    return json["outcome"] ?? .null
  }

  @Test func attestationNeedsAnAnchor() async throws {
    #expect(try await register() == "failure")
    let other = try TestCertificate.authority("Another Root").certificate().pemRepresentation
    let another = ["--trust-anchors", try folder.write("other.pem", other)]
    #expect(try await register("Attested", another) == "failure")
    #expect(try await register("Attested", another + ["--trust-anchors", folder.file("root.pem")]) == "success")
  }

  @Test func aNodeNamesItsAnchors() async throws {
    let root = folder.file("root.pem")
    #expect(try await register("AttestedByStore", ["--trust-store", "vendors=" + root]) == "success")
  }

  @Test func whatIsRevokedIsRefused() async throws {
    let root = ["--trust-anchors", folder.file("root.pem")]
    #expect(try await register("AttestedUnrevoked", root) == "failure", "nobody can tell")
    let list = root + ["--revocation-lists", folder.file("crl.pem")]
    try folder.write("crl.pem", try authority.revocationList(isRevoked: false))
    #expect(try await register("AttestedUnrevoked", list) == "success")
    try folder.write("crl.pem", try authority.revocationList(isRevoked: true))
    #expect(try await register("Attested", list) == "failure")
  }

  @Test func metadataDecidesAboutModels() async throws {
    let roots = try TestMetadata(knowing: Self.model, root: authority.root).write(in: folder)
    let metadata = ["--metadata", folder.file("blob.jwt"), "--metadata-roots", roots]
    // The list also says who vouches for its models.
    #expect(try await register("Attested", metadata) == "success")
    try TestMetadata(knowing: Self.model, root: authority.root, status: "REVOKED").write(in: folder)
    #expect(try await register("Attested", metadata) == "failure")
    try TestMetadata(knowing: Array(2...17), root: authority.root).write(in: folder)
    let anchored = metadata + ["--trust-anchors", folder.file("root.pem")]
    #expect(try await register("Attested", anchored) == "failure")
    #expect(try await register("Attested", anchored + ["--accept-unknown-models"]) == "success")
  }

  @Test func speaksForTheRelyingPartyThatItIsGiven() async throws {
    let party = ["--trust-anchors", folder.file("root.pem"), "--rp-id", "example.org"]
    let app = ["--origin", "ios:bundle-id:com.example.app", "--rp-id", "example.org"]
    #expect(try await register("Attested", party, login: app) == "failure", "it was not told of the app")
    let origins = ["--origin", "https://example.org", "--origin", "ios:bundle-id:com.example.app"]
    #expect(try await register("Attested", party + origins, login: app) == "success")
  }

  @Test(arguments: [
    (["--rp-id", "https://example.org"], "is no domain name"), (["--rp-id", "Example.org"], "is no domain name"),
    (["--rp-id", "127.0.0.1"], "is no domain name"), (["--rp-id", ""], "--rp-id is empty"),
    (["--rp-id", "exa\nmple"], "is no domain name"),
    (["--origin", "https://example.org/"], "'https://example.org' is"),
    (["--origin", "https://example.org:443"], "'https://example.org' is"),
    (["--origin", "HTTPS://example.org"], "'https://example.org' is"), (["--origin", "example.org"], "has no scheme"),
    (["--origin", "https://"], "is no web origin"), (["--origin", "app::x"], "two colons"),
    (["--origin", "https://[::1]"], "two colons"), (["--origin", "http://app.example.org"], "is not secure"),
    (["--origin", "https://192.168.0.1"], "is at an address"),
    (["--origin", "http://localhost.example"], "is not secure"), (["--origin", "ios:a b"], "has spaces"),
    (["--trust-store", "name"], "NAME=FILE"), (["--trust-store", "=x"], "NAME=FILE"),
    (["--trust-store", "a=x", "--trust-store", "a=y"], "a name twice"),
    (["--metadata", "x"], "wants --metadata-roots"), (["--metadata-roots", "x"], "--metadata, which is missing"),
    (["--revocation-lists", "x"], "which are missing"), (["--accept-unknown-models"], "--metadata, which is missing"),
    (["--trust-anchors", "-", "--trust-store", "a=-"], "standard input"),
  ])
  func aCommandLineThatNothingCouldMatchIsUsage(words: [String], text: String) async throws {
    let result = try await Tool.run(["serve", "--port", "0"] + words)
    #expect(result.status == 2 && result.stdout.isEmpty)
    #expect(result.stderr.contains(text) && result.stderr.split(separator: "\n").count == 1, "\(result.stderr)")
  }

  @Test func filesThatHoldSomethingElseAreUnusable() async throws {
    try folder.write("text", "no certificate\n")
    try folder.write("torn.pem", String(authority.root.dropLast(30)))
    let roots = try TestMetadata(knowing: Self.model, root: authority.root).write(in: folder)
    let old = try TestMetadata(knowing: Self.model, root: authority.root, nextUpdate: "2020-01-01")
    let oldRoots = try old.write(in: folder, "old.jwt")
    let root = folder.file("root.pem")
    for (words, text) in [
      (["--trust-anchors", folder.file("text")], "text holds no certificates"),
      (["--trust-anchors", root, "--trust-anchors", folder.file("torn.pem")], "torn.pem holds no certificates"),
      (["--trust-anchors", folder.file("absent")], "absent does not exist"),
      (["--trust-anchors", folder.file("journeys")], "journeys cannot be read"),
      (["--trust-store", "a=" + folder.file("text")], "text holds no certificates"),
      (["--trust-anchors", root, "--revocation-lists", root], "root.pem holds no revocation lists"),
      (["--metadata", folder.file("blob.jwt"), "--metadata-roots", folder.file("text")], "text holds no certificates"),
      (["--metadata", folder.file("blob.jwt"), "--metadata-roots", root], "is not vouched for"),
      (["--metadata", folder.file("text"), "--metadata-roots", roots], "is no signed list"),
      (["--metadata", folder.file("old.jwt"), "--metadata-roots", oldRoots], "is overdue"),
    ] {
      let result = try await Tool.run(["serve", "--port", "0", "--json"] + words)
      #expect(result.status == 3, "\(words)")
      let json = try result.json()
      #expect(json["error"] == "inputUnusable")
      #expect(json["message"]?.stringValue?.contains(text) == true, "\(json.serializedString())")
    }
  }
}
