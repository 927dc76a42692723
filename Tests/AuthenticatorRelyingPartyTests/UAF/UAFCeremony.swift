import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// One registration or authentication: a relying party, an authenticator, and the request between them. Valid until a
/// test bends one part.
struct UAFCeremony {
  static let now: Int64 = 1_767_225_600_000
  static let seconds = now / 1000

  var authenticator: TestUAFAuthenticator
  var client = TestUAFClient()
  var party: UAFRelyingParty
  var policy: UAFAcceptancePolicy?
  var roots: [[UInt8]] = []
  var transactions: [UAFTransactionContent] = []
  /// Changes the statement of the authenticator's model.
  var metadata: (inout JSONObject) -> Void = { _ in }

  init(_ adjust: (inout TestUAFAuthenticator) -> Void = { _ in }) throws {
    authenticator = try TestUAFAuthenticator()
    adjust(&authenticator)
    party = UAFRelyingParty(
      appID: "https://rp.example/uaf/facets", facets: ["https://rp.example", "ios:bundle-id:com.example.app"],
      policy: UAFAcceptancePolicy(anyOf: [authenticator.aaid]), models: UAFModels(),
      key: SecretBytes([UInt8](repeating: 7, count: 32)))
  }

  /// The relying party with the statement of the authenticator's model.
  func prepared() throws -> UAFRelyingParty {
    var party = party
    var statement = authenticator.metadata(roots: roots)
    metadata(&statement)
    if party.models.isEmpty { party.models = try UAFModels(json: [.object(statement)]) }
    if let policy { party.policy = policy }
    return party
  }

  /// What a message says, and what a test wants of it otherwise.
  struct Bends {
    var assertion: TestUAFAuthenticator.Bend = { _ in }
    var final: (inout JSONObject) -> Void = { _ in }
    var response: (inout JSONObject) -> Void = { _ in }
    var expectation: (inout UAFExpectation) -> Void = { _ in }
    /// Takes the place of the assertion's bytes.
    var bytes: ([UInt8]) -> [UInt8] = { $0 }
  }

  // MARK: Registration

  func register(
    knowing registered: [UAFRegistrationRecord] = [], _ bend: (inout Bends) -> Void = { _ in }
  ) throws -> UAFRegistrationVerdict {
    var bends = Bends()
    bend(&bends)
    let party = try prepared()
    let issued = try party.registrationRequest(for: "u1", username: "mira", at: Self.now)
    let request = try JSONValue.parse(issued.message)
    let final = client.finalChallenge(for: request, bend: bends.final)
    let assertion = bends.bytes(
      try authenticator.registration(finalChallengeHash: final.hash, bends.assertion))
    var response = client.response(to: request, finalChallenge: final.text, assertions: [assertion])
    bends.response(&response)
    let received = try UAFReceivedResponse(message: JSONValue.array([.object(response)]).serializedString())
    var expectation = try party.expectation(try party.pending(received, at: Self.now))
    bends.expectation(&expectation)
    return try expectation.verifyRegistration(received, registered: registered, at: Self.seconds)
  }

  /// The record that a registration of this authenticator leaves.
  func record() throws -> UAFRegistrationRecord { try #require(try register().registrations.first) }

  // MARK: Authentication

  func authenticate(
    _ records: [UAFRegistrationRecord]? = nil, content: [UInt8]? = nil, _ bend: (inout Bends) -> Void = { _ in }
  ) throws -> UAFAuthenticationVerdict {
    var bends = Bends()
    bend(&bends)
    let party = try prepared()
    let records = try records ?? [record()]
    let issued = try party.authenticationRequest(
      for: "u1", registered: records, transactions: transactions, at: Self.now)
    let request = try JSONValue.parse(issued.message)
    let final = client.finalChallenge(for: request, bend: bends.final)
    let assertion = bends.bytes(
      try authenticator.authentication(finalChallengeHash: final.hash, content: content, bends.assertion))
    var response = client.response(to: request, finalChallenge: final.text, assertions: [assertion])
    bends.response(&response)
    let received = try UAFReceivedResponse(message: JSONValue.array([.object(response)]).serializedString())
    var expectation = try party.expectation(try party.pending(received, at: Self.now), registered: records)
    bends.expectation(&expectation)
    return try expectation.verifyAuthentication(received, registered: records)
  }
}

/// The check that refuses; nil: nothing was refused.
func uafRefusal<Value>(_ body: () throws -> Value) throws -> UAFVerificationError.Code? {
  do {
    _ = try body()
    return nil
  } catch let error as UAFVerificationError { return error.code }
}
