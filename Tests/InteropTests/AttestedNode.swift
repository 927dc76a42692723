import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import AuthenticatorRelyingParty
import Synchronization

/// Where the page under test is; known only once its server listens.
final class PageOrigin: Sendable {
  private let text = Mutex("")
  var value: String { text.withLock { $0 } }
  func set(_ value: String) { text.withLock { $0 = value } }
}

/// Asks for a passkey that says who made it, and tells what our relying party makes of the statement: without an
/// anchor, and with the statement's last certificate as one.
struct AttestedNode: TreeNode {
  static let nodeType = "AttestedNode"
  let outcomes: [NodeOutcome] = [.outcome]
  let algorithm: Int
  let userVerification: String
  let origin: PageOrigin

  func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let answers = context.answers else {
      return .ask([
        .metadata([
          "_action": "webauthn_registration", "_type": "WebAuthn",
          "challenge": .string(Base64.encode(ProbeJourneys.challenge)), "attestationPreference": "direct",
          "userName": "probe", "userId": "cHJvYmU", "displayName": "Probe", "relyingPartyName": "Kit",
          "_relyingPartyId": "localhost", "_authenticatorSelection": ["userVerification": .string(userVerification)],
          "_pubKeyCredParams": [["type": "public-key", "alg": .integer(Int64(algorithm))]], "timeout": "60000",
          "_excludeCredentials": [], "extensions": [:],
        ]), .hiddenValue(id: "webAuthnOutcome", value: "false"),
      ])
    }
    do {
      context.state.shared["outcome"] = .string(try judge(answers.last?.text() ?? "", at: context.now.seconds))
    } catch let error as WebAuthnVerificationError {
      context.state.shared["outcome"] = .string("refused \(error.code.rawValue)")
    }
    return .done(.outcome)
  }

  private func judge(_ outcome: String, at time: Int64) throws -> String {
    let parts = outcome.split(separator: "::").map(String.init)
    guard parts.count == 3 else { return outcome }
    let received = ReceivedRegistration(
      id: try Base64URL.decode(parts[2]), clientDataJSON: Array(parts[0].utf8),
      attestationObject: parts[1].split(separator: ",").compactMap { Int8($0).map(UInt8.init(bitPattern:)) })
    var expectation = RegistrationExpectation(
      ceremony: CeremonyExpectation(
        challenge: ProbeJourneys.challenge, origins: [origin.value], relyingPartyID: "localhost",
        requiresUserVerification: userVerification == "required"),
      algorithms: [algorithm], attestation: .none)
    let alone = try expectation.verify(received, at: time)
    guard let last = alone.attestationCertificates.last else { return "\(alone.credential.attestation.format) alone" }
    expectation.attestation = .direct
    expectation.trustAnchors = try TrustAnchors([last])
    let vouched = try expectation.verify(received, at: time).credential.attestation
    let trust = [alone.credential.attestation.isTrusted, vouched.isTrusted]
    return "\(vouched.format) \(vouched.type.rawValue) \(trust)"
  }
}
