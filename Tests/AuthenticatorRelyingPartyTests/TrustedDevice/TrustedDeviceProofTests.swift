import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import Testing

@Suite struct TrustedDeviceProofTests {
  /// The private scalar is 2; the nonce is that of RFC 6979.
  private static let x = "fPJ7GI0DT36KUjgDBLUaw8CJaeJ38hs1pgtI_EdmmXg"
  private static let y = "B3dVENuO0EApPZrGn3Qw27p9reY86YIpngS3nSJ4c9E"
  private static let message = #"{"challenge_id":"ch_ref_1","challenge":"AAECAwQFBgc","origin":"app"}"#
  private static let signature =
    "itr8Va2NerbQI3a2uSQMuaxsOJFNdgQ42rKznE80T6ZLeHMoROPm3wj2DaJ7Bw54LZ9BSrxcWrVWd4ugLGuj_g"

  private static func jwk(_ bend: (inout JSONObject) -> Void = { _ in }) -> String {
    var object: JSONObject = ["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y), "alg": "ES256"]
    bend(&object)
    return object.serializedString()
  }

  private func keyCheck(_ text: String) -> TrustedDeviceVerificationError.Check? {
    do throws(TrustedDeviceVerificationError) {
      _ = try TrustedDeviceKey(jwk: text)
      return nil
    } catch {
      return error.check
    }
  }

  private func check(
    _ clientData: String = message, _ signature: String = signature, _ algorithm: String = "ES256"
  ) throws -> TrustedDeviceVerificationError.Check? {
    let key = try TrustedDeviceKey(jwk: Self.jwk())
    do throws(TrustedDeviceVerificationError) {
      try TrustedDeviceProof(clientData: clientData, signature: signature, algorithm: algorithm).verify(by: key)
      return nil
    } catch {
      return error.check
    }
  }

  @Test func verifiesTheReferenceVector() throws { #expect(try check() == nil) }

  @Test func readsAKeyInAnyOrderAndStoresItAsAPoint() throws {
    let key = try TrustedDeviceKey(jwk: Self.jwk())
    let reordered = #"{ "alg" : "ES256", "y":"\#(Self.y)", "x":"\#(Self.x)", "crv":"P-256","kty":"EC"}"#
    #expect(try TrustedDeviceKey(jwk: reordered) == key)
    #expect(key.x963Representation.count == 65)
    #expect(try TrustedDeviceKey(x963Representation: key.x963Representation) == key)
    for point in [[], [4], Array(key.x963Representation.dropLast()), key.x963Representation + [0]] as [[UInt8]] {
      #expect(throws: TrustedDeviceVerificationError(.publicKey)) { try TrustedDeviceKey(x963Representation: point) }
    }
  }

  @Test func refusesEveryOtherKey() {
    let bends: [(inout JSONObject) -> Void] = [
      { $0["kty"] = "OKP" }, { $0["kty"] = nil }, { $0["crv"] = "P-384" }, { $0["crv"] = nil }, { $0["alg"] = "ES384" },
      { $0["alg"] = nil }, { $0["x"] = nil }, { $0["x"] = "" }, { $0["x"] = 5 }, { $0["x"] = .string(Self.x + "=") },
      { $0["x"] = .string(String(Self.x.dropLast())) }, { $0["x"] = .string(Self.x + "A") },
      { $0["x"] = $0["y"] },
      {
        $0["y"] = .string(Self.y.replacing("_", with: "/"))
        $0["y"] = "+"
      },
      { $0["d"] = .string(Self.x) }, { $0["kid"] = "1" }, { $0["use"] = "sig" }, { $0["x5c"] = [] },
      { $0["x"] = .string(String(repeating: "_", count: 42) + "8") }, { $0["x"] = ["nested": [[]]] },
    ]
    for (index, bend) in bends.enumerated() { #expect(keyCheck(Self.jwk(bend)) == .publicKey, "case \(index)") }
    let twice = Self.jwk().dropLast() + #","x":"\#(Self.x)"}"#
    for text in ["", "{}", "[]", "null", "x", String(twice), Self.jwk() + String(repeating: " ", count: 512)] {
      #expect(keyCheck(text) == .publicKey)
    }
  }

  @Test func refusesEveryPrefixAndFlippedBitOfAKey() {
    let text = Self.jwk()
    let bytes = Array(text.utf8)
    for length in 0..<bytes.count { #expect(keyCheck(String(text.prefix(length))) == .publicKey) }
    for index in bytes.indices {
      for bit in 0..<7 {
        var changed = bytes
        changed[index] ^= 1 << bit
        let isSame = keyCheck(String(decoding: changed, as: UTF8.self)) == nil
        #expect(!isSame, "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test func refusesEveryOtherMessage() throws {
    #expect(try check("") == .signature)
    #expect(try check(Self.message + " ") == .signature)
    let bytes = Array(Self.message.utf8)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(try check(String(decoding: changed, as: UTF8.self)) == .signature)
    }
  }

  @Test func refusesEveryOtherSignature() throws {
    for length in 0..<86 { #expect(try check(Self.message, String(Self.signature.prefix(length))) == .signatureForm) }
    let bytes = try Base64URL.decode(Self.signature)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(try check(Self.message, Base64URL.encode(changed)) != nil, "byte \(index)")
    }
    let der = try Signature(raw: bytes, algorithm: .es256).derRepresentation
    for text in [
      Self.signature + "=", Self.signature + "==", Self.signature + "A", " " + Self.signature,
      Self.signature.replacing("_", with: "/"), Base64URL.encode(der),
      Base64URL.encode([UInt8](repeating: 0, count: 64)),
      Base64URL.encode([UInt8](repeating: 255, count: 64)), String(repeating: "A", count: 1 << 16),
    ] { #expect(try check(Self.message, text) == .signatureForm) }
  }

  @Test(arguments: ["", "es256", "ES384", "none", "ES256 "]) func refusesEveryOtherAlgorithm(_ word: String) throws {
    #expect(try check(Self.message, Self.signature, word) == .algorithm)
  }
}
