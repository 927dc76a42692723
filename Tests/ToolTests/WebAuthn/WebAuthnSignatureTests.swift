import AuthenticatorCoding
import AuthenticatorCrypto
import TestVectors
import Testing
import ToolSupport

/// `webauthn verify-signature`.
@Suite struct WebAuthnSignatureTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func verify(_ key: String, _ message: [UInt8], _ signature: [UInt8]) async throws -> (Int32, JSONValue) {
    let result = try await Tool.run([
      "webauthn", "verify-signature", "--key", key, "--message", try folder.write("message", bytes: message),
      "--signature", try folder.write("signature", bytes: signature), "--json",
    ])
    return (result.status, try result.json())
  }

  /// A P-256 key in COSE.
  private func cose(_ point: [UInt8]) -> [UInt8] {
    [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point[1...32] + [0x22, 0x58, 0x20] + point[33...]
  }

  @Test func wycheproofsSignatures() async throws {
    let vectors = try JSONValue.parse(try Vectors.bytes("ecdsa-p256-wycheproof-sample.json"))
    let suite = try #require(vectors["suites"]?.arrayValue?.first)
    let keys = try #require(suite["keys"]?.arrayValue).map { try Hex.decode($0.stringValue ?? "") }
    let cases = try #require((suite["tests"] ?? suite["cases"])?.arrayValue)
    var seen: [Bool: Int] = [:]
    // Both verdicts, spread over the whole sample; the relying party's own tests take every one.
    for test in cases {
      let isValid = test["valid"] == true
      seen[isValid, default: 0] += 1
      guard seen[isValid, default: 0] % 12 == 1 else { continue }
      let key = keys[try #require(test["key"]?.intValue)]
      let (status, json) = try await verify(
        Base64URL.encode(cose(key)), try Hex.decode(test["msg"]?.stringValue ?? ""),
        try Hex.decode(test["sig"]?.stringValue ?? ""))
      #expect(status == (isValid ? 0 : 1) && json["verified"] == .bool(isValid), "\(test.serializedString())")
    }
    #expect(seen[true, default: 0] > 12 && seen[false, default: 0] > 12)
  }

  @Test func theKeyMayBeTextOrAFile() async throws {
    let key = try PrivateKey.generate(.es256)
    guard case .ec(_, let x, let y) = key.publicKey.kind else { return #expect(Bool(false)) }
    let bytes = cose([4] + x + y)
    let message = Array("message".utf8)
    let signature = try key.sign(message).derRepresentation
    let text = Base64URL.encode(bytes)
    for form in [text, try folder.write("key.cbor", bytes: bytes), try folder.write("key.txt", text + "\n")] {
      let (status, json) = try await verify(form, message, signature)
      #expect(status == 0 && json == ["verified": true, "algorithm": -7])
    }
    let (status, json) = try await verify(text, message + [0], signature)
    #expect(status == 1 && json["error"] == "signatureInvalid" && json["step"] == "signature")
    for empty in [[UInt8](), [0x30, 0x00], [UInt8](repeating: 0x30, count: 100_000)] {
      #expect(try await verify(text, message, empty).0 == 1)
    }
  }

  @Test func malformedKeysAreRefusedByName() async throws {
    let point = [4] + [UInt8](repeating: 1, count: 64)
    for (bytes, error): ([UInt8], JSONValue) in [
      (cose(point), "publicKeyInvalid"), ([0xA0], "publicKeyInvalid"),
      ([0xA1, 0x03, 0x38, 0x34], "algorithmUnsupported"), (Array(cose(point).dropLast()), "publicKeyInvalid"),
      (cose(point) + [0], "publicKeyInvalid"),
    ] {
      let (status, json) = try await verify(Base64URL.encode(bytes), [1], [2])
      #expect(status == 1 && json["verified"] == false && json["error"] == error, "\(json.serializedString())")
    }
    let (status, json) = try await verify(folder.file("nowhere"), [1], [2])
    #expect(status == 3 && json["error"] == "inputUnusable")
  }
}
