import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestVectors
import Testing

@Suite struct DeviceProofTests {
  let verifier = DeviceBindingVerifier(applicationIDs: [ProofBuilder.application])

  private func isAccepted(_ text: String, key: BoundKey) -> Bool {
    do throws(DeviceBindingVerificationError) {
      try verifier.verifySigning(
        DeviceProof(text), key: key, userID: ProofBuilder.userID, challenge: ProofBuilder.challenge,
        now: ProofBuilder.now)
      return true
    } catch {
      return false
    }
  }

  @Test func refusesEveryPrefix() throws {
    let builder = try ProofBuilder(binding: false)
    let key = BoundKey(keyID: "3F0C", publicKey: builder.key.publicKey)
    let text = try builder.text()
    #expect(isAccepted(text, key: key))
    for length in 0..<text.utf8.count {
      #expect(!isAccepted(String(text.prefix(length)), key: key), "cut after \(length) bytes")
    }
  }

  @Test func refusesEveryChangedCharacter() throws {
    let builder = try ProofBuilder(binding: false)
    let key = BoundKey(keyID: "3F0C", publicKey: builder.key.publicKey)
    let bytes = Array(try builder.text().utf8)
    for index in bytes.indices {
      for bit in [1, 2, 32] as [UInt8] {
        var changed = bytes
        changed[index] ^= bit
        #expect(!isAccepted(String(decoding: changed, as: UTF8.self), key: key), "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test func refusesWhatIsTooLong() throws {
    var builder = try ProofBuilder(binding: false)
    builder.claims["pad"] = .string(String(repeating: "x", count: DeviceProof.maximumBytes))
    let text = try builder.text()
    #expect(throws: DeviceBindingVerificationError(.size)) { try DeviceProof(text) }
  }

  @Test func refusesDeepAndDuplicateMembers() throws {
    let builder = try ProofBuilder(binding: false)
    let header = Base64URL.encode(builder.header.serialized())
    for payload in [
      String(repeating: "[", count: 5000), "{\"sub\":\"a\",\"sub\":\"b\"}",
      "{\"a\":" + String(repeating: "[", count: 20),
      "[]", "null", "\"text\"", "", "{}{}", "\u{FEFF}{}",
    ] {
      let text = try builder.sign("\(header).\(Base64URL.encode(Array(payload.utf8)))")
      #expect(throws: DeviceBindingVerificationError(.form)) { try DeviceProof(text) }
    }
  }

  @Test(arguments: [0, 1, 63, 65, 70]) func refusesSignaturesOfAnotherLength(count: Int) throws {
    let builder = try ProofBuilder(binding: false)
    let parts = try builder.text().split(separator: ".")
    let text = "\(parts[0]).\(parts[1]).\(Base64URL.encode([UInt8](repeating: 1, count: count)))"
    #expect(!isAccepted(text, key: BoundKey(keyID: "3F0C", publicKey: builder.key.publicKey)))
  }

  // MARK: Vectors

  /// Every token of the collection that is meant for a device's verifier gets the verdict the collection states.
  @Test func givesThePublishedVerdicts() throws {
    let vectors = try JSONValue.parse(
      try Vectors.bytes("jws-negative.json"), limits: JSONLimits(bytes: 1 << 24, textBytes: 1 << 23))
    let settings = try #require(vectors["verifiers"]?["device"])
    let now = Int64(try #require(vectors["now"]?.intValue))
    let challenge = try #require(settings["expected_challenge"]?.stringValue)
    let subject = try #require(settings["expected_sub"]?.stringValue)
    let issuers = try #require(settings["iss_allowed"]?.arrayValue).compactMap(\.stringValue)
    let keys = try #require(settings["keys"]?.objectValue)
    let verifier = DeviceBindingVerifier(applicationIDs: issuers)

    func verdict(_ token: String) throws -> Bool {
      do throws(DeviceBindingVerificationError) {
        let proof = try DeviceProof(token)
        // A revoked key is not in the registry any more.
        guard var entry = keys[proof.keyID]?.objectValue, entry["revoked"] != true else { return false }
        guard let owner = entry["owner"]?.stringValue, owner == subject else { return false }
        entry["d"] = nil
        let key = try BoundKey(jwk: .object(entry), keyID: proof.keyID)
        try verifier.verifySigning(proof, key: key, userID: owner, challenge: challenge, now: now)
        return true
      } catch {
        return false
      }
    }

    var checked = 0
    for element in try #require(vectors["cases"]?.arrayValue) where element["verifier"] == "device" {
      // The replay of a token that was right once is the server's affair: it consumes challenges.
      guard element["group"] != "replay", element["expect"] != "either" else { continue }
      let token = try #require(element["token"]?.stringValue)
      let id = element["id"]?.stringValue ?? ""
      let why = element["why"]?.stringValue ?? ""
      #expect(try verdict(token) == (element["expect"] == "accept"), "\(id): \(why)")
      checked += 1
    }
    #expect(checked > 120)
  }
}
