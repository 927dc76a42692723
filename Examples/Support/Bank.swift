import AuthenticatorCoding
import AuthenticatorKit
import AuthenticatorRelyingParty
import AuthenticatorTestSupport

/// What the UAF examples share: a scripted device with one enrolled finger, a client, and a bank that asks and
/// verifies.
public final class Bank {
  public let device: TestDevice
  public let client: UAFClient
  private var party: UAFRelyingParty
  private var keys: [UAFRegistrationRecord] = []

  /// The caller, as the bank knows it.
  public static let facet = "linux:exe:com.example.bank"
  /// Test numbers; a vendor has its own.
  public static let models: [(aaid: String, behavior: UAFBehavior)] = [
    ("FFFF#B001", .passcode), ("FFFF#B002", .biometricWithState), ("FFFF#B003", .biometricWithKeyDeletion),
    ("FFFF#B004", .biometricOrPasscode),
  ]

  public init() async throws {
    device = try TestDevice(instance: "https://bank.example")
    client = try UAFClient(
      try UAFClientConfiguration(
        instance: device.instance,
        authenticators: Self.models.compactMap { model in
          AAID(model.aaid).map { UAFAuthenticatorModel(aaid: $0, behavior: model.behavior) }
        }, keyStore: device.store, verifier: device.verifier, environment: device.environment.environment))
    party = UAFRelyingParty(
      appID: nil, facets: [Self.facet], policy: UAFAcceptancePolicy(anyOf: Self.models.map(\.aaid)),
      models: try UAFModels(json: .array(await client.metadataStatements())),
      key: SecretBytes([UInt8](repeating: 7, count: 32)))
  }

  /// The person in front of the device.
  public var person: ScriptedUserVerifier { device.verifier }

  /// Registers with one model, which the bank's policy names.
  public func register(_ aaid: String) async throws -> String {
    party.policy = UAFAcceptancePolicy(anyOf: [aaid])
    let request = try party.registrationRequest(for: "mira", username: "mira@example.com", at: now)
    let result = await client.register(UAFMessage(request.message), facetID: Self.facet)
    guard let message = result.message else { return "\(result.outcome)" }
    let response = try UAFReceivedResponse(message: message.uafProtocolMessage)
    let expectation = try party.expectation(try party.pending(response, at: now))
    keys += try expectation.verifyRegistration(response, registered: keys, at: now / 1000).registrations
    try await client.notify(status: .ok, of: message, facetID: Self.facet)
    return "registered with \(keys.last?.aaid ?? "-")"
  }

  /// Signs in, or confirms a payment, with one of these models.
  public func signIn(_ aaids: String..., paying text: String? = nil, extras: UAFExtras = UAFExtras()) async throws
    -> String
  {
    party.policy = UAFAcceptancePolicy(anyOf: aaids)
    let transactions = try text.map { [try UAFTransactionContent(text: $0)] } ?? []
    let request = try party.authenticationRequest(
      for: "mira", registered: keys, transactions: transactions, at: now)
    let result = await client.authenticate(UAFMessage(request.message), facetID: Self.facet, extras: extras)
    guard let message = result.message else { return "\(result.outcome)" }
    let response = try UAFReceivedResponse(message: message.uafProtocolMessage)
    let expectation = try party.expectation(try party.pending(response, at: now), registered: keys)
    let verdict = try expectation.verifyAuthentication(response, registered: keys)
    for signer in verdict.signers {
      keys.removeAll { $0.keyID == signer.registration.keyID }
      keys.append(signer.registration)
    }
    if verdict.needsStepUp { return "signed in, and asked for more: the enrolled fingers have changed" }
    return verdict.confirmedHash == nil ? "signed in" : "paid"
  }

  /// Forgets all keys, here and there.
  public func deregister() async throws -> String {
    let message = UAFMessage(try party.deregistrationRequest(for: keys))
    _ = try await client.process(message, facetID: Self.facet)
    keys = []
    return "keys left: \(try await client.registrations(facetID: Self.facet).count)"
  }

  private var now: Int64 { device.environment.clock.now.milliseconds }
}
