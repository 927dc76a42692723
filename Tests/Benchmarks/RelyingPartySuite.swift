import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import BenchmarkFloors
import Foundation

/// What a relying party does, against OpenSSL importing the stored key and verifying the signature.
struct RelyingPartySuite: Suite {
  let name = "relying-party"
  let workspace: Workspace

  func benchmarks(_ effort: Effort) async throws -> [Benchmark] {
    let ceremony = try Ceremony()
    let floor = try ceremony.floor()
    let expectation = AuthenticationExpectation(ceremony: ceremony.expectation)
    let registration = RegistrationExpectation(ceremony: ceremony.expectation, algorithms: [-7])
    let peer = PythonPeer(seconds: effort.isQuick ? 0.3 : 1)
    let file = workspace.disk.appendingPathComponent("assertion.json")
    try Data(ceremony.assertionJSON.serialized()).write(to: file)
    let verified = Benchmark.Quantity.rate { count in
      for _ in 0..<count {
        let record = WebAuthnCredentialRecord(
          id: ceremony.id, publicKey: try WebAuthnPublicKey(coseBytes: ceremony.coseKey))
        _ = try expectation.verify(ceremony.assertion, with: record)
      }
    }
    return [
      Benchmark(
        id: "P6", what: "ES256 assertion verified, key read from its COSE bytes each time", unit: "1/s",
        ours: verified, floor: floor, goal: 0.75),
      Benchmark(
        id: "P6-webauthn", what: "the same assertion beside py_webauthn", unit: "1/s", ours: verified,
        floor: peer.reading("verify-webauthn", file.path), goal: 1),
      Benchmark(
        id: "P6-fido2", what: "the same assertion beside python-fido2", unit: "1/s", ours: verified,
        floor: peer.reading("verify-fido2", file.path)),
      Benchmark(
        id: "rp-none", what: "registration without attestation verified, ES256", unit: "1/s",
        ours: .rate { count in
          for _ in 0..<count { _ = try registration.verify(ceremony.registration, at: 0) }
        }),
      Benchmark(
        id: "rp-self", what: "registration with self attestation verified, ES256", unit: "1/s",
        ours: .rate { count in
          for _ in 0..<count { _ = try registration.verify(ceremony.selfAttested, at: 0) }
        }, floor: floor),
      Benchmark(
        id: "cbor-decode", what: "attestation object decoded to values, strictly", unit: "1/s",
        ours: .rate { count in
          for _ in 0..<count {
            _ = try CBORValue.decode(ceremony.selfAttested.attestationObject, limits: .attestationObject)
          }
        }),
      Benchmark(
        id: "cbor-encode", what: "attestation object encoded", unit: "1/s",
        ours: .rate { count in for _ in 0..<count { _ = ceremony.object.encoded() } }),
      Benchmark(
        id: "size-bombs",
        what: "slowest refusal of a registration that announces or holds too much; floor: an honest one verified",
        unit: "µs", ours: .reading { try slowestRefusal(ceremony.sizeBombs, registration) },
        floor: .reading { try microseconds { _ = try registration.verify(ceremony.selfAttested, at: 0) } },
        aim: .atMost),
    ]
  }

  private func slowestRefusal(
    _ bombs: [ReceivedRegistration], _ expectation: RegistrationExpectation
  ) throws -> Double {
    var slowest = 0.0
    for bomb in bombs {
      let time = try microseconds {
        do { _ = try expectation.verify(bomb, at: 0) } catch is WebAuthnVerificationError { return }
        throw Floor.Failed(what: "a refusal")
      }
      slowest = max(slowest, time)
    }
    return slowest
  }

  private func microseconds(_ work: () throws -> Void) throws -> Double {
    try ContinuousClock().measure { try work() }.inSeconds * 1e6
  }
}

/// A registration and a sign-in as a client sends them.
private struct Ceremony: Sendable {
  let id = [UInt8](repeating: 0xC0, count: 32)
  let coseKey: [UInt8]
  let point: [UInt8]
  let assertion: ReceivedAuthentication
  let registration: ReceivedRegistration
  let selfAttested: ReceivedRegistration
  let object: CBORValue
  let expectation: CeremonyExpectation

  init() throws {
    let key = try PrivateKey.generate(.es256)
    let challenge = [UInt8](1...32)
    guard case .ec(_, let x, let y) = key.publicKey.kind, let point = key.publicKey.x963Representation else {
      throw Floor.Failed(what: "P-256")
    }
    self.point = point
    coseKey = CBORValue.map([1: 2, 3: -7, -1: 1, -2: .bytes(x), -3: .bytes(y)]).encoded()
    func clientData(_ type: String) -> [UInt8] {
      Array(
        """
        {"type":"\(type)","challenge":"\(Base64URL.encode(challenge))","origin":"https://example.org",\
        "crossOrigin":false}
        """.utf8)
    }
    let hash = SHA256.hash(Array("example.org".utf8))
    let signedIn = hash + [0x05, 0, 0, 0, 1]
    assertion = ReceivedAuthentication(
      id: id, clientDataJSON: clientData("webauthn.get"), authenticatorData: signedIn,
      signature: try key.sign(signedIn + SHA256.hash(clientData("webauthn.get"))).derRepresentation)
    let registered = hash + [0x45, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 16) + [0, 32] + id + coseKey
    let signature = try key.sign(registered + SHA256.hash(clientData("webauthn.create"))).derRepresentation
    let none: CBORValue = ["fmt": "none", "attStmt": [:], "authData": .bytes(registered)]
    object = [
      "fmt": "packed", "attStmt": ["alg": -7, "sig": .bytes(signature)], "authData": .bytes(registered),
    ]
    registration = ReceivedRegistration(
      id: id, clientDataJSON: clientData("webauthn.create"), attestationObject: none.encoded())
    selfAttested = ReceivedRegistration(
      id: id, clientDataJSON: clientData("webauthn.create"), attestationObject: object.encoded())
    expectation = CeremonyExpectation(
      challenge: challenge, origins: ["https://example.org"], relyingPartyID: "example.org")
  }

  /// Up to 2^64 elements announced, and as much held as a response may hold.
  var sizeBombs: [ReceivedRegistration] {
    func holding(_ object: [UInt8]) -> ReceivedRegistration {
      ReceivedRegistration(id: id, clientDataJSON: registration.clientDataJSON, attestationObject: object)
    }
    let announced = ([0x5A, 0x5B, 0x7A, 0x7B, 0x9A, 0x9B, 0xBA, 0xBB] as [UInt8]).map { head in
      [0xA3, 0x63, 0x66, 0x6D, 0x74, head, 0x7F] + [UInt8](repeating: 0xFF, count: head & 1 == 0 ? 3 : 7)
    }
    let many = CBORValue.array([CBORValue](repeating: .bytes([0x30, 0]), count: 20_000))
    let long = CBORValue.array([.bytes([0x30, 0x82, 0xFF, 0xFF] + [UInt8](repeating: 0x30, count: 60_000))])
    let held = [many, long].map { chain in
      CBORValue.map([
        "fmt": "packed", "attStmt": ["alg": -7, "sig": .bytes([1]), "x5c": chain],
        "authData": object["authData"] ?? .bytes([]),
      ]).encoded()
    }
    let texts = [String(repeating: "[", count: 60_000), "{\"a\":\"" + String(repeating: "\\u0000", count: 10_000)]
    return (announced + held).map(holding)
      + texts.map { text in
        ReceivedRegistration(
          id: id, clientDataJSON: Array(text.utf8), attestationObject: registration.attestationObject)
      }
  }

  /// The assertion for other programs, bytes as base64.
  var assertionJSON: JSONValue {
    func text(_ bytes: [UInt8]) -> JSONValue { .string(Data(bytes).base64EncodedString()) }
    return [
      "id": text(id), "publicKey": text(coseKey), "challenge": text([UInt8](1...32)),
      "rpIdHash": text(SHA256.hash(Array("example.org".utf8))), "clientDataJSON": text(assertion.clientDataJSON),
      "authenticatorData": text(assertion.authenticatorData), "signature": text(assertion.signature),
    ]
  }

  /// The same signature in OpenSSL's hands.
  func floor() throws -> Benchmark.Quantity {
    let message = assertion.authenticatorData + SHA256.hash(assertion.clientDataJSON)
    let made = floor_verifier_new(
      point, assertion.signature, assertion.signature.count, message, message.count)
    guard let made else { throw Floor.Failed(what: "floor_verifier_new") }
    let verifier = Handle(made, free: floor_verifier_free)
    return .rate { count in
      guard floor_import_and_verify(verifier.pointer, count) == count else {
        throw Floor.Failed(what: "EVP_PKEY_verify")
      }
    }
  }
}
