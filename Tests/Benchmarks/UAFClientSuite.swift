import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorKeyStore
import AuthenticatorSQLite
import AuthenticatorUAF
import DeviceAuthenticators
import Foundation

/// The UAF client from the server's message to the response, against OpenSSL's own signature with a kept key, and the
/// match of a large policy against reading the message it came in.
struct UAFClientSuite: Suite {
  let name = "uaf-client"
  let workspace: Workspace

  func benchmarks(_ effort: Effort) async throws -> [Benchmark] {
    let signing = try Floor.signing()
    let warm = try await UAFClientBench(store: try InMemoryKeyStore(environment: BenchKeys.environment))
    let verified = try await UAFClientBench(
      store: try InMemoryKeyStore(environment: BenchKeys.environment), behavior: .biometricWithState)
    let durable = try await UAFClientBench(
      store: try await SQLiteKeyStore.open(
        path: workspace.disk.appendingPathComponent("uaf-client.keys").path, environment: BenchKeys.environment))
    let policy = try LargeClientPolicy()
    return [
      Benchmark(
        id: "uaf-authenticate",
        what: "UAF authentication response from the message's text; warm key, in-memory store, silent, ES256",
        unit: "1/s", ours: warm.authentications, floor: signing, goal: 0.55),
      Benchmark(
        id: "uaf-authenticate-verified", what: "the same with biometrics, by a verifier that answers at once",
        unit: "1/s", ours: verified.authentications, floor: signing),
      Benchmark(
        id: "uaf-authenticate-sqlite",
        what: "the same, silent, with look-up in SQLite, counters reserved in durable blocks", unit: "1/s",
        ours: durable.authentications, floor: signing, goal: 0.4),
      Benchmark(
        id: "uaf-register",
        what: "UAF registration response, surrogate, in-memory store, and the key removed as after a refusal",
        unit: "1/s", ours: .rate { try await warm.register($0) }, floor: signing),
      Benchmark(
        id: "uaf-client-policy", what: "100 criteria matched with 20 authenticators, beside reading the message",
        unit: "µs",
        ours: .time { count in
          for _ in 0..<count where policy.matcher.choices(for: policy.policy).map(\.members.first?.candidate) != [19] {
            throw Floor.Failed(what: "the last criterion matches the last authenticator")
          }
        },
        floor: .time { count in for _ in 0..<count { _ = try UAFRequest(policy.message) } }, goal: 2, aim: .atMost),
    ]
  }

  /// In a process of its own, for a profiler: so many responses.
  static func authenticate(_ count: Int, path: String?) async throws {
    let environment = BenchKeys.environment
    let store: any KeyStore
    if let path {
      store = try await SQLiteKeyStore.open(path: path, environment: environment)
    } else {
      store = try InMemoryKeyStore(environment: environment)
    }
    if case .rate(let perform) = try await UAFClientBench(store: store).authentications { try await perform(count) }
  }
}

/// A client with one registered key among the usual six models, and what is measured with it.
private struct UAFClientBench: Sendable {
  private let client: UAFClient
  private let message: UAFMessage
  private let registration: UAFMessage
  private static let facet = "https://rp.example"

  init(store: any KeyStore, behavior: UAFBehavior = .silent) async throws {
    let environment = BenchKeys.environment
    let behaviors: [UAFBehavior] = [
      .passcode, .biometricWithState, .biometricWithKeyDeletion, .biometricOrPasscode, .presence, .silent,
    ]
    let models = behaviors.enumerated().compactMap { index, behavior in
      AAID("FFFF#000\(index + 1)").map { UAFAuthenticatorModel(aaid: $0, behavior: behavior) }
    }
    guard let aaid = models.first(where: { $0.behavior == behavior })?.aaid else { throw Floor.Failed(what: "model") }
    client = try UAFClient(
      UAFClientConfiguration(
        context: AuthenticatorContext(
          instance: BenchKeys.instance, keyStore: store, verifier: PromptlyYes(environment: environment),
          environment: environment),
        authenticators: models,
        devices: UAFDeviceAuthenticators(
          biometric: BiometricAuthenticatorConfig(allowsSoftwareKeys: true),
          devicePasscode: DevicePasscodeConfig(allowsSoftwareKeys: true))))
    registration = Self.message("Reg", ["aaid": [.string(aaid.rawValue)]])
    let response = try await client.process(registration, facetID: Self.facet)
    try await client.notify(status: .ok, of: response, facetID: Self.facet)
    guard let key = try await client.registrations(facetID: Self.facet).first?.keys.first else {
      throw Floor.Failed(what: "no key")
    }
    message = Self.message("Auth", ["aaid": [.string(aaid.rawValue)], "keyIDs": [.string(key.keyID.description)]])
  }

  /// As a server sends it: an app ID on the caller's host, data of its own, and a policy of one criterion.
  private static func message(_ op: String, _ criterion: JSONObject) -> UAFMessage {
    var entry: JSONObject = [
      "header": [
        "upv": ["major": 1, "minor": 1], "op": .string(op), "appID": "https://rp.example/uaf/facets",
        "serverData": .string(String(repeating: "QUJD", count: 50)),
      ],
      "challenge": "kzZauv2hljZLV9-vxAyxtKyLZ_SJW8bVGz3WkOXN1P0", "policy": ["accepted": [[.object(criterion)]]],
    ]
    if op == "Reg" { entry["username"] = "mira" }
    return UAFMessage(JSONValue.array([.object(entry)]).serializedString())
  }

  var authentications: Benchmark.Quantity {
    .rate { [client, message] count in
      for _ in 0..<count { _ = try await client.process(message, facetID: Self.facet) }
    }
  }

  func register(_ count: Int) async throws {
    for _ in 0..<count {
      let response = try await client.process(registration, facetID: Self.facet)
      try await client.notify(status: UAFServerStatus(rawValue: 1400), of: response, facetID: Self.facet)
    }
  }
}

/// A message with 100 criteria, of which the last one alone matches, and 20 authenticators.
private struct LargeClientPolicy: Sendable {
  let message: String
  let policy: UAFPolicy
  let matcher: PolicyMatcher

  init() throws {
    var accepted: [JSONValue] = (0..<99).map { index in
      [
        [
          "vendorID": [.string("A\(index / 10)\(index % 10)0")], "authenticationAlgorithms": [1, 2, 8],
          "assertionSchemes": ["UAFV1TLV"], "userVerification": 1023, "keyProtection": 16,
        ]
      ]
    }
    accepted.append([["aaid": ["FFFF#0019"]]])
    let entry: JSONValue = [
      "header": ["upv": ["major": 1, "minor": 1], "op": "Reg", "appID": "https://rp.example/uaf/facets"],
      "challenge": "kzZauv2hljZLV9-vxAyxtKyLZ_SJW8bVGz3WkOXN1P0", "username": "mira",
      "policy": ["accepted": .array(accepted)],
    ]
    message = JSONValue.array([entry]).serializedString()
    guard case .registration(let request) = try UAFRequest(message) else { throw Floor.Failed(what: "a registration") }
    policy = request.policy
    let candidates = try (0..<20).map { index in
      guard let aaid = AAID("FFFF#00\(index / 10)\(index % 10)") else { throw Floor.Failed(what: "an AAID") }
      return PolicyCandidate(
        information: UAFAuthenticatorInformation(
          aaid: aaid, authenticationAlgorithm: .secp256r1ECDSASHA256Raw, attestationTypes: [.basicSurrogate],
          userVerification: .fingerprint, keyProtection: [.hardware], matcherProtection: .software,
          attachmentHint: .internal, tcDisplay: .any))
    }
    matcher = PolicyMatcher(candidates)
  }
}
