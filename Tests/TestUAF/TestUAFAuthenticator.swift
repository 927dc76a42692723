import AuthenticatorCoding
import AuthenticatorCrypto

/// A UAF authenticator for tests, written from the specification and not with the package's client. What it emits is
/// valid; a test bends one part.
public struct TestUAFAuthenticator: Sendable {
  public var aaid = "FFFF#F001"
  /// The number of the algorithm of its signatures.
  public var algorithm: UInt16 = 0x0001
  /// The number of its keys' form.
  public var keyForm: UInt16 = 0x0100
  public var version: UInt16 = 1
  public var keyID = [UInt8](repeating: 0x4B, count: 32)
  public var signCounter: UInt32 = 0
  public var registrationCounter: UInt32 = 1
  /// The state of the enrolled set; nil: it tells none.
  public var state: [UInt8]?
  /// The key it makes.
  public var key: PrivateKey
  /// The key that attests, with its certificates; nil: the new key does.
  public var attestation: (key: PrivateKey, algorithm: UInt16, certificates: [[UInt8]])?

  public init(key: PrivateKey? = nil) throws { self.key = try key ?? PrivateKey.generate(.es256) }

  /// The two objects of an assertion before they are signed.
  public struct Parts: Sendable {
    public var tag: UInt16
    public var signedTag: UInt16
    public var signed: [TestTLV]
    /// Stands before the signed object.
    public var before: [TestTLV] = []
    /// Stands after it, with the signature.
    public var after: [TestTLV] = []
    /// Stands after everything.
    public var trailing: [UInt8] = []
    public var attestationTag: UInt16?
    public var certificates: [[UInt8]] = []
    /// Stands in the attestation besides signature and certificates.
    public var besideSignature: [TestTLV] = []
    /// Takes the place of the signature; gets the right one.
    public var signature: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// What is signed in place of the signed object.
    public var message: @Sendable ([UInt8]) -> [UInt8] = { $0 }
  }

  public typealias Bend = (inout Parts) -> Void

  /// A registration assertion.
  public func registration(finalChallengeHash hash: [UInt8], _ bend: Bend = { _ in }) throws -> [UInt8] {
    let signing = attestation.map { (key: $0.key, algorithm: $0.algorithm) } ?? (key: key, algorithm: algorithm)
    var signed = [
      TestTLV(0x2E0B, Array(aaid.utf8)),
      TestTLV(0x2E0E, TestTLV.number(version) + [1] + TestTLV.number(signing.algorithm) + TestTLV.number(keyForm)),
      TestTLV(0x2E0A, hash), TestTLV(0x2E09, keyID),
      TestTLV(0x2E0D, TestTLV.number(signCounter) + TestTLV.number(registrationCounter)),
      TestTLV(0x2E0C, try publicKey),
    ]
    if let state { signed.append(TestTLV(0x0106, state)) }
    var parts = Parts(tag: 0x3E01, signedTag: 0x3E03, signed: signed)
    parts.attestationTag = attestation == nil ? 0x3E08 : 0x3E07
    parts.certificates = attestation?.certificates ?? []
    bend(&parts)
    return try assemble(parts, by: signing.key, algorithm: signing.algorithm)
  }

  /// An authentication assertion with the counter as it is; `content` is what was shown and confirmed.
  public func authentication(
    finalChallengeHash hash: [UInt8], content: [UInt8]? = nil, _ bend: Bend = { _ in }
  ) throws -> [UInt8] {
    var signed = [
      TestTLV(0x2E0B, Array(aaid.utf8)),
      TestTLV(0x2E0E, TestTLV.number(version) + [content == nil ? 1 : 2] + TestTLV.number(algorithm)),
      TestTLV(0x2E0F, [1, 2, 3, 4, 5, 6, 7, 8]), TestTLV(0x2E0A, hash),
      TestTLV(0x2E10, content.map(SHA256.hash) ?? []), TestTLV(0x2E09, keyID),
      TestTLV(0x2E0D, TestTLV.number(signCounter)),
    ]
    if let state { signed.append(TestTLV(0x0106, state)) }
    var parts = Parts(tag: 0x3E02, signedTag: 0x3E04, signed: signed)
    bend(&parts)
    return try assemble(parts, by: key, algorithm: algorithm)
  }

  private func assemble(_ parts: Parts, by key: PrivateKey, algorithm: UInt16) throws -> [UInt8] {
    let signed = TestTLV(parts.signedTag, parts: parts.signed)
    let signature = parts.signature(try Self.sign(parts.message(signed.bytes), key, algorithm))
    var proof = TestTLV(0x2E06, signature)
    if let tag = parts.attestationTag {
      proof = TestTLV(
        tag, parts: [proof] + parts.certificates.map { TestTLV(0x2E05, $0) } + parts.besideSignature)
    }
    return TestTLV(parts.tag, parts: parts.before + [signed, proof] + parts.after).bytes + parts.trailing
  }

  /// A signature in the form of the algorithm's number.
  public static func sign(_ message: [UInt8], _ key: PrivateKey, _ algorithm: UInt16) throws -> [UInt8] {
    let signature = try key.sign(message)
    switch algorithm {
    case 0x0002: return signature.derRepresentation
    case 0x0004, 0x0009: return [0x04, 0x82, 0x01, 0x00] + signature.rawRepresentation
    default: return signature.rawRepresentation
    }
  }

  /// The key in the form of its number.
  public var publicKey: [UInt8] {
    get throws {
      let info = key.publicKey.subjectPublicKeyInfo
      switch (keyForm, key.publicKey.kind) {
      case (0x0100, _): return key.publicKey.x963Representation ?? []
      case (0x0102, .rsa(let modulus, let exponent)): return modulus + exponent
      // What follows the BIT STRING's head: 30 82 LL LL 30 0D … 05 00 03 82 LL LL 00.
      case (0x0103, .rsa): return Array(info[24...])
      default: return info
      }
    }
  }

  // MARK: - Metadata

  /// The statement of its model as JSON.
  public func metadata(roots: [[UInt8]] = []) -> JSONObject {
    [
      "aaid": .string(aaid), "description": "Test authenticator", "authenticatorVersion": .integer(Int64(version)),
      "upv": [["major": 1, "minor": 0], ["major": 1, "minor": 1]], "assertionScheme": "UAFV1TLV",
      "authenticationAlgorithm": .integer(Int64(algorithm)), "publicKeyAlgAndEncoding": .integer(Int64(keyForm)),
      "attestationTypes": attestation == nil ? [15880] : [15879],
      "userVerificationDetails": [[["userVerification": 2]]], "keyProtection": 1, "matcherProtection": 1,
      "attachmentHint": 1, "isSecondFactorOnly": false, "tcDisplay": 1, "tcDisplayContentType": "text/plain",
      "attestationRootCertificates": .array(roots.map { .string(Base64.encode($0)) }),
    ]
  }
}
