import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import BenchmarkFloors
import Foundation
import TestUAF

/// What a relying party of UAF does: verification against OpenSSL importing the stored key and verifying the signature,
/// and the match of a large policy against reading the message it came in.
struct UAFRelyingPartySuite: Suite {
  let name = "uaf-relying-party"
  let workspace: Workspace

  func benchmarks(_ effort: Effort) async throws -> [Benchmark] {
    let bench = try UAFBench()
    let policy = try LargePolicy()
    return [
      Benchmark(
        id: "uaf-verify-registration", what: "UAF registration response read and verified, surrogate, ES256",
        unit: "1/s",
        ours: .rate { count in
          for _ in 0..<count {
            _ = try bench.registration.verifyRegistration(
              UAFReceivedResponse(message: bench.registrationMessage), at: 0)
          }
        }, floor: try bench.floor()),
      Benchmark(
        id: "uaf-verify-authentication", what: "UAF authentication response read and verified, ES256", unit: "1/s",
        ours: .rate { count in
          for _ in 0..<count {
            _ = try bench.authentication.verifyAuthentication(
              UAFReceivedResponse(message: bench.authenticationMessage), registered: [bench.record])
          }
        }, floor: try bench.floor(), goal: 0.55),
      Benchmark(
        id: "uaf-server-policy", what: "server: 100 criteria matched with 20 models, beside reading the policy",
        unit: "µs",
        ours: .time { count in
          for _ in 0..<count where policy.policy.match(policy.candidates) != [policy.candidates.count - 1] {
            throw Floor.Failed(what: "the last criterion matches the last authenticator")
          }
        },
        floor: .time { count in
          for _ in 0..<count {
            let json = try JSONValue.parse(policy.message)
            _ = try UAFAcceptancePolicy(json: json[0]?["policy"] ?? .null)
          }
        }, goal: 2, aim: .atMost),
    ]
  }
}

/// One registration and one authentication as they arrive.
private struct UAFBench: Sendable {
  let registration: UAFExpectation
  let authentication: UAFExpectation
  let registrationMessage: String
  let authenticationMessage: String
  let record: UAFRegistrationRecord
  private let point: [UInt8]
  private let signature: [UInt8]
  private let signed: [UInt8]

  init() throws {
    var device = try TestUAFAuthenticator()
    let party = UAFRelyingParty(
      appID: "https://rp.example/uaf/facets", facets: ["https://rp.example"],
      policy: UAFAcceptancePolicy(anyOf: [device.aaid]), models: try UAFModels(json: [.object(device.metadata())]),
      key: SecretBytes([UInt8](repeating: 7, count: 32)))
    let client = TestUAFClient()
    let first = try party.registrationRequest(for: "u1", username: "mira", at: 0)
    registrationMessage = try client.register(device, try JSONValue.parse(first.message))
    let registered = try UAFReceivedResponse(message: registrationMessage)
    registration = try party.expectation(try party.pending(registered, at: 0))
    guard let record = try registration.verifyRegistration(registered, at: 0).registrations.first else {
      throw Floor.Failed(what: "a registration")
    }
    self.record = record
    let second = try party.authenticationRequest(for: "u1", registered: [record], at: 0)
    authenticationMessage = try client.authenticate(&device, try JSONValue.parse(second.message))
    let answered = try UAFReceivedResponse(message: authenticationMessage)
    authentication = try party.expectation(try party.pending(answered, at: 0), registered: [record])
    point = try device.publicKey
    // As long as the signed object of an authentication.
    signed = [UInt8](repeating: 0x5A, count: 146)
    signature = try device.key.sign(signed).derRepresentation
  }

  func floor() throws -> Benchmark.Quantity {
    let made = floor_verifier_new(point, signature, signature.count, signed, signed.count)
    guard let made else { throw Floor.Failed(what: "floor_verifier_new") }
    let verifier = Handle(made, free: floor_verifier_free)
    return .rate { count in
      guard floor_import_and_verify(verifier.pointer, count) == count else {
        throw Floor.Failed(what: "EVP_PKEY_verify")
      }
    }
  }
}

/// A message with 100 criteria, of which the last one alone matches, and 20 authenticators.
private struct LargePolicy: Sendable {
  let message: [UInt8]
  let policy: UAFAcceptancePolicy
  let candidates: [UAFCandidate]

  init() throws {
    var accepted: [[UAFAcceptanceCriteria]] = []
    for index in 0..<99 {
      var criterion = UAFAcceptanceCriteria()
      criterion.authenticationAlgorithms = [1, 2, 8]
      criterion.assertionSchemes = ["UAFV1TLV"]
      criterion.userVerification = 0x3FF
      criterion.keyProtection = 0x10
      criterion.vendorIDs = ["A" + String(index + 100, radix: 16).uppercased() + "0"].map { String($0.prefix(4)) }
      accepted.append([criterion])
    }
    accepted.append([UAFAcceptanceCriteria(aaids: ["FFFF#0013"])])
    policy = UAFAcceptancePolicy(accepted: accepted)
    let entry: JSONValue = [
      "header": ["upv": ["major": 1, "minor": 1], "op": "Reg", "appID": "https://rp.example/uaf/facets"],
      "challenge": "kzZauv2hljZLV9-vxAyxtKyLZ_SJW8bVGz3WkOXN1P0", "username": "mira", "policy": .object(policy.json),
    ]
    message = JSONValue.array([entry]).serialized()
    candidates = (0..<20).map { index in
      let number = String(index, radix: 16).uppercased()
      return UAFCandidate(
        aaid: "FFFF#" + String(repeating: "0", count: 4 - number.count) + number, assertionScheme: "UAFV1TLV",
        authenticationAlgorithm: 1, attestationTypes: [15880], userVerifications: [2], keyProtection: 2,
        matcherProtection: 2, attachmentHint: 1, tcDisplay: 1)
    }
  }
}
