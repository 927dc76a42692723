internal import AuthenticatorCBOR
internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// Speaks CTAP2 for a platform authenticator, message by message (CTAP 2.1 section 6), so that any CTAP2 client can
/// drive it. The frames around messages are not its concern; `CTAPHIDDevice` has those.
///
/// Verification by the wrapped authenticator is the option `uv`; a PIN of CTAP2's own can be set besides and opens keys
/// that have no gate. Not `Sendable`: it runs on its caller's actor.
public final class CTAP2Authenticator {
  /// What makes and uses the credentials.
  public let authenticator: WebAuthnPlatformAuthenticator
  /// How long a person has for each operation.
  public var timeout: Duration
  var pin: ClientPIN
  /// The assertions that are still to be had after a `getAssertion`.
  var remaining: RemainingAssertions?

  /// The greatest number of entries in a list of credentials.
  public static let maximumListCount = 64
  /// The greatest length of a message.
  public static let maximumMessageBytes = 7609

  /// A device that has just been switched on.
  ///
  /// - Throws: `keyGenerationFailed` when no key for agreement can be made.
  public init(_ authenticator: WebAuthnPlatformAuthenticator, timeout: Duration = .seconds(30)) throws {
    self.authenticator = authenticator
    self.timeout = timeout
    do { pin = try ClientPIN(authenticator) } catch {
      throw AuthenticatorError(.keyGenerationFailed, stage: "ctap2", underlying: error)
    }
  }

  var environment: AuthenticatorEnvironment { authenticator.environment }
  var deadline: Duration { environment.uptime() + timeout }

  /// Answers one message: a command byte and its parameters in, a status byte and its results out.
  public func respond(to message: [UInt8]) async -> [UInt8] {
    do {
      guard message.count <= Self.maximumMessageBytes else { throw CTAP2Status.requestTooLarge }
      guard let first = message.first, let command = CTAP2Command(rawValue: first) else {
        throw CTAP2Status.invalidCommand
      }
      let result = try await perform(command, message.dropFirst())
      let answer = [CTAP2Status.ok.rawValue] + (result?.encoded() ?? [])
      // No transport carries more, and half an answer is none.
      guard answer.count <= Self.maximumMessageBytes else { throw CTAP2Status.other }
      return answer
    } catch { return [CTAP2Status(error).rawValue] }
  }

  private func perform(_ command: CTAP2Command, _ body: ArraySlice<UInt8>) async throws -> CBORValue? {
    let earlier = remaining
    remaining = nil
    switch command {
    case .makeCredential: return .map(try await makeCredential(try CTAP2Parameters(message: body)))
    case .getAssertion: return .map(try await getAssertion(try CTAP2Parameters(message: body)))
    case .getNextAssertion:
      try requireNone(body)
      return .map(try await getNextAssertion(earlier))
    case .getInfo:
      try requireNone(body)
      return .map(try await info())
    case .clientPIN: return .map(try await clientPIN(try CTAP2Parameters(message: body)))
    case .reset:
      try requireNone(body)
      try await reset()
      return nil
    case .selection:
      try requireNone(body)
      try await touch()
      return nil
    }
  }

  private func requireNone(_ body: ArraySlice<UInt8>) throws(CTAP2Status) {
    guard body.isEmpty else { throw .invalidLength }
  }

  // MARK: - Commands without parameters

  /// Whether the wrapped authenticator can verify the person now.
  func canVerify() async -> Bool { await authenticator.availability() == .available(.verified) }

  /// CTAP 2.1 section 6.4.
  private func info() async throws -> CBORMap {
    let configuration = authenticator.configuration
    var options: CBORMap = [
      "rk": .bool(configuration.supportsDiscoverableCredentials), "up": true, "plat": false,
      "clientPin": .bool(try await pin.isSet()), "pinUvAuthToken": true, "makeCredUvNotRqd": true,
    ]
    if await canVerify() { options["uv"] = true }
    let order: [COSEAlgorithmIdentifier] = [.es256, .edDSA, .es384, .es512, .rs256, .ps256]
    let algorithms = order.filter(configuration.algorithms.contains).map { algorithm -> CBORValue in
      ["alg": .integer(algorithm.rawValue), "type": "public-key"]
    }
    return [
      1: ["FIDO_2_0", "FIDO_2_1"],
      2: ["credBlob", "credProtect", "hmac-secret", "minPinLength", "uvm"],
      3: .bytes(configuration.aaguid.bytes), 4: .map(options), 5: .integer(Self.maximumMessageBytes),
      6: [2, 1], 7: .integer(Self.maximumListCount), 8: .integer(CredentialID.maximumSize), 9: ["internal"],
      10: .array(algorithms), 13: .integer(configuration.minimumPINLength),
      15: .integer(configuration.maximumCredentialBlobBytes),
    ]
  }

  /// A sign that somebody is there.
  func touch() async throws {
    let ceremony = CeremonyDescription(kind: .touch, relyingPartyID: "")
    try await authenticator.agree(
      to: ceremony, try OperationID(in: environment), deadline, owner: authenticator.owner("", account: nil))
  }

  /// Forgets every credential and the PIN (CTAP 2.1 section 6.6).
  private func reset() async throws {
    try await touch()
    try await authenticator.deleteAllCredentials()
    try await pin.reset()
  }
}
