import AuthenticatorCoding
import AuthenticatorCrypto
import TestCertificates
import ToolSupport

/// What a test of the WebAuthn verbs works on: a folder with the files of a ceremony, and a scripted device.
struct Passkeys {
  static let origin = "https://example.org"
  static let challenge = "AAECAwQFBgcICQoLDA0ODw"

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try person()
  }

  var store: String { folder.file("keys/keys.sqlite") }

  // MARK: - Files

  /// What the person does next; whatever a run asks for beyond that is refused.
  func person(
    _ steps: JSONValue..., sensor: JSONValue = "fingerprint", passcode: JSONValue = "482913", at now: Int? = nil
  ) throws {
    var device: JSONObject = [
      "version": 1, "sensor": sensor, "enrolled": sensor == "none" ? [] : ["right-index"], "passcode": passcode,
      "state": .string(folder.file("device.state")), "transcript": .string(folder.file("transcript")),
      "steps": .array(steps),
    ]
    if let now { device["now"] = .integer(Int64(now)) }
    try folder.write("device.json", JSONValue.object(device).serializedString())
  }

  static let touch: JSONValue = ["do": "match"]

  /// Options for a credential, bent by `change`.
  @discardableResult
  func creation(
    user: String = "YWxpY2U", named name: String = "Alice", _ change: (inout JSONObject) -> Void = { _ in }
  ) throws -> String {
    var options: JSONObject = [
      "challenge": .string(Self.challenge), "rp": ["id": "example.org", "name": "Example"],
      "user": ["id": .string(user), "name": .string(name.lowercased()), "displayName": .string(name)],
      "pubKeyCredParams": [["type": "public-key", "alg": -7]], "attestation": "direct",
      "authenticatorSelection": ["residentKey": "required", "userVerification": "required"],
    ]
    change(&options)
    return try folder.write("creation.json", JSONValue.object(options).serializedString())
  }

  /// Options for an assertion, bent by `change`.
  @discardableResult
  func request(_ change: (inout JSONObject) -> Void = { _ in }) throws -> String {
    var options: JSONObject = [
      "challenge": .string(Self.challenge), "rpId": "example.org", "userVerification": "required",
    ]
    change(&options)
    return try folder.write("request.json", JSONValue.object(options).serializedString())
  }

  /// What is expected of either ceremony, bent by `change`.
  @discardableResult
  func expectation(_ change: (inout JSONObject) -> Void = { _ in }) throws -> String {
    var expected: JSONObject = [
      "challenge": .string(Self.challenge), "origins": [.string(Self.origin)], "rpId": "example.org",
      "userVerification": "required",
    ]
    change(&expected)
    return try folder.write("expect.json", JSONValue.object(expected).serializedString())
  }

  // MARK: - Runs

  var device: [String] {
    ["--store", store, "--device", "scripted:" + folder.file("device.json"), "--allow-software-keys", "--json"]
  }

  func run(_ words: [String], input: String = "") async throws -> (status: Int32, json: JSONValue) {
    let result = try await Tool.run(["webauthn"] + words, input: input)
    return (result.status, try result.json())
  }

  /// Arguments of `register` and `authenticate`.
  func ceremony(_ verb: String, origin: String = Self.origin, _ more: [String] = []) -> [String] {
    let options = folder.file(verb == "register" ? "creation.json" : "request.json")
    return [verb, "--options", options, "--origin", origin] + device + more
  }

  /// A new credential, expecting it to be made, and its response.
  func register(_ more: [String] = []) async throws -> JSONValue {
    try person(Self.touch)
    let (status, json) = try await run(ceremony("register", more))
    guard status == 0 else { throw Bench.Unexpected(json: json) }
    return json
  }

  /// An assertion, expecting it to be made.
  func authenticate(_ more: [String] = []) async throws -> JSONValue {
    try person(Self.touch)
    let (status, json) = try await run(ceremony("authenticate", more))
    guard status == 0 else { throw Bench.Unexpected(json: json) }
    return json
  }

  /// The verdict on a response under `expect.json`.
  func verify(_ verb: String, _ response: JSONValue) async throws -> (status: Int32, json: JSONValue) {
    let file = try folder.write("response.json", response.serializedString())
    return try await run([verb, "--response", file, "--expect", folder.file("expect.json"), "--json"])
  }

  /// The record that a registration leaves at the relying party.
  func record(of registration: JSONValue, user: JSONValue = "YWxpY2U") async throws -> JSONValue {
    try expectation { $0["userHandle"] = user }
    let (status, json) = try await verify("verify-registration", registration)
    guard status == 0, let record = json["credential"] else { throw Bench.Unexpected(json: json) }
    return record
  }

  func credentials() async throws -> [JSONValue] { try await run(["list"] + device).json.arrayValue ?? [] }
}

/// An attestation key with its chain in files, and the root that a relying party trusts.
struct AttestationAuthority {
  let root: String
  let options: [String]
  private let authority: TestCertificate
  private let serial: [UInt8]

  /// - Parameter model: stands in the leaf as FIDO's extension when it is given.
  init(in folder: TemporaryFolder, model: [UInt8]? = nil) throws {
    let authority = try TestCertificate.authority()
    let key = try PrivateKey.generate(.es256)
    var leaf = try TestCertificate(
      subject: [
        ("2.5.4.6", "DE"), ("2.5.4.10", "Example"), ("2.5.4.11", "Authenticator Attestation"), ("2.5.4.3", "Leaf"),
      ], key: key)
    leaf.extensions = [
      (TestCertificate.basicConstraints, true, TestCertificate.basicConstraints(isAuthority: false))
    ]
    if let model { leaf.extensions.append(("1.3.6.1.4.1.45724.1.1.4", false, DERWriting.octets(model))) }
    self.authority = authority
    serial = leaf.serialNumber
    root = try authority.certificate().pemRepresentation
    options = [
      "--attestation-key", try folder.write("attestation-key.pem", try Self.pem(key)),
      "--attestation-chain",
      try folder.write("attestation-chain.pem", try leaf.certificate(issuer: authority).pemRepresentation),
    ]
  }

  /// The authority's revocation list, which names the attestation key's certificate or nothing.
  func revocationList(isRevoked: Bool) throws -> String {
    var list = TestRevocationList(of: authority)
    if isRevoked { list.revoked = [serial] }
    return "-----BEGIN X509 CRL-----\n\(Base64.encode(try list.encoded()))\n-----END X509 CRL-----\n"
  }

  /// A P-256 key as ECPrivateKey (RFC 5915).
  static func pem(_ key: PrivateKey) throws -> String {
    let scalar = try key.exportMaterial().withUnsafeBytes { Array($0.prefix(32)) }
    let der = DERWriting.sequence(
      DERWriting.integer(1), DERWriting.octets(scalar),
      DERWriting.context(0, DERWriting.identifier("1.2.840.10045.3.1.7")))
    return "-----BEGIN EC PRIVATE KEY-----\n\(Base64.encode(der))\n-----END EC PRIVATE KEY-----\n"
  }
}
