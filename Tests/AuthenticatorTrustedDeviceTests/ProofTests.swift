import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// The key and the proof as they go over the wire, by a vector: private scalar 2, nonce by RFC 6979.
@Suite struct ProofTests {
  static let message = Array(#"{"challenge_id":"ch_ref_1","challenge":"AAECAwQFBgc","origin":"app"}"#.utf8)
  static let x = "fPJ7GI0DT36KUjgDBLUaw8CJaeJ38hs1pgtI_EdmmXg"
  static let y = "B3dVENuO0EApPZrGn3Qw27p9reY86YIpngS3nSJ4c9E"
  static let der =
    "30450221008adafc55ad8d7ab6d02376b6b9240cb9ac6c38914d760438dab2b39c4f344fa6"
    + "02204b78732844e3e6df08f60da27b070e782d9f414abc5c5ab556778ba02c6ba3fe"
  static let raw = "itr8Va2NerbQI3a2uSQMuaxsOJFNdgQ42rKznE80T6ZLeHMoROPm3wj2DaJ7Bw54LZ9BSrxcWrVWd4ugLGuj_g"

  static func key() throws -> PublicKey {
    try PublicKey(ec: .p256, x: try Base64URL.decode(x), y: try Base64URL.decode(y))
  }

  @Test func writesTheKeyInItsOneForm() throws {
    let text = #"{"kty":"EC","crv":"P-256","x":"\#(Self.x)","y":"\#(Self.y)","alg":"ES256"}"#
    #expect(try ProofText.jwk(try Self.key()) == text)
  }

  @Test func writesTheSignatureRaw() throws {
    let signature = try Signature(der: try Hex.decode(Self.der), algorithm: .es256)
    #expect(try ProofText.text(signature) == Self.raw)
    #expect(try Self.key().isValidSignature(signature, for: Self.message))
    let altered = Array(String(decoding: Self.message, as: UTF8.self).replacing("app", with: "apq").utf8)
    #expect(try !Self.key().isValidSignature(signature, for: altered))
  }

  @Test func refusesAPointOfAnotherForm() throws {
    let point = try #require(try Self.key().x963Representation)
    #expect(point.count == 65)
    for bad in [Array(point.dropFirst()), [0x02] + point.dropFirst(), point + [0], []] {
      #expect(throws: AuthenticatorError(.credentialRefused)) { try ProofText.jwk(x963: bad) }
    }
    let other = try PrivateKey.generate(.es384).publicKey
    #expect(throws: AuthenticatorError(.credentialRefused)) { try ProofText.jwk(other) }
    let edwards = try PrivateKey.generate(.edDSA)
    #expect(throws: AuthenticatorError(.credentialRefused)) { try ProofText.jwk(edwards.publicKey) }
    #expect(throws: AuthenticatorError(.credentialRefused)) { try ProofText.text(try edwards.sign([1])) }
  }

  /// Sign bytes go, short numbers are padded, everything else is refused.
  @Test func readsDERStrictly() throws {
    func number(_ bytes: [UInt8]) -> [UInt8] { [0x02, UInt8(bytes.count)] + bytes }
    func sequence(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
      let content = number(r) + number(s)
      return [0x30, UInt8(content.count)] + content
    }
    let signature = try Signature(der: sequence([0x00, 0x80], [0x01]), algorithm: .es256)
    #expect(
      signature.rawRepresentation == [UInt8](repeating: 0, count: 31) + [0x80] + [UInt8](repeating: 0, count: 31) + [1])
    let malformed: [[UInt8]] = [
      sequence([0x80], [0x01]), sequence([], [0x01]), sequence([0x01], [0x00, 0x01]),
      sequence([0x01], [UInt8](repeating: 0x7F, count: 33)), sequence([0x01], [0x01]) + [0],
      Array(sequence([0x01], [0x01]).dropLast()), [0x31] + sequence([0x01], [0x01]).dropFirst(),
    ]
    for bytes in malformed {
      #expect(throws: CryptoError.self) { try Signature(der: bytes, algorithm: .es256) }
    }
  }

  @Test func signsManyKeysInFixedWidth() throws {
    for _ in 0..<200 {
      let key = try PrivateKey.generate(.es256)
      let text = try ProofText.text(try key.sign(Self.message))
      #expect(text.utf8.count == 86)
      let signature = try Signature(raw: try Base64URL.decode(text), algorithm: .es256)
      #expect(try key.publicKey.isValidSignature(signature, for: Self.message))
      let object = try #require(try JSONValue.parse(try ProofText.jwk(key.publicKey)).objectValue)
      #expect(object.names == ["kty", "crv", "x", "y", "alg"])
      #expect(object["x"]?.stringValue?.utf8.count == 43)
      #expect(object["y"]?.stringValue?.utf8.count == 43)
    }
  }
}
