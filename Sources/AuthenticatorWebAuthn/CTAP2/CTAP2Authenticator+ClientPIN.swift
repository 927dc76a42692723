internal import AuthenticatorCBOR
internal import AuthenticatorCore
internal import AuthenticatorCrypto

extension CTAP2Authenticator {
  private enum Subcommand: Int {
    case getPINRetries = 1
    case getKeyAgreement = 2
    case setPIN = 3
    case changePIN = 4
    case getPINToken = 5
    case getTokenUsingUV = 6
    case getUVRetries = 7
    case getTokenUsingPIN = 9
  }

  /// CTAP 2.1 section 6.5.5.
  func clientPIN(_ parameters: CTAP2Parameters) async throws -> CBORMap {
    guard let subcommand = Subcommand(rawValue: try parameters.required(try parameters.integer(2))) else {
      throw CTAP2Status.invalidSubcommand
    }
    switch subcommand {
    case .getPINRetries:
      let (count, needsPowerCycle) = try await pin.retries()
      return [3: .integer(count), 4: .bool(needsPowerCycle)]
    case .getUVRetries:
      // The wrapped authenticator counts by itself and locks itself.
      return [5: .integer(await canVerify() ? ClientPIN.maximumAttempts : 0)]
    case .getKeyAgreement:
      guard let key = pin.agreementKey(try version(parameters)) else { throw CTAP2Status.other }
      return [1: key]
    case .setPIN: return try await setPIN(parameters)
    case .changePIN: return try await changePIN(parameters)
    case .getPINToken:
      guard parameters.value(9) == nil, parameters.value(10) == nil else { throw CTAP2Status.invalidParameter }
      return try await tokenUsingPIN(parameters, [.makeCredential, .getAssertion], relyingPartyID: nil)
    case .getTokenUsingPIN:
      let (permissions, id) = try permissions(parameters)
      return try await tokenUsingPIN(parameters, permissions, relyingPartyID: id)
    case .getTokenUsingUV: return try await tokenUsingUV(parameters)
    }
  }

  /// The protocol a message uses.
  func version(_ parameters: CTAP2Parameters, key: CBORValue = 1) throws(CTAP2Status) -> PINUVAuthProtocol {
    guard let version = PINUVAuthProtocol(rawValue: try parameters.required(try parameters.integer(key))) else {
      throw .invalidParameter
    }
    return version
  }

  private func setPIN(_ parameters: CTAP2Parameters) async throws -> CBORMap {
    let version = try version(parameters)
    let peer = try parameters.required(parameters.value(3))
    let code = try parameters.required(try parameters.bytes(4))
    let newPIN = try parameters.required(try parameters.bytes(5))
    guard try await !pin.isSet() else { throw CTAP2Status.pinAuthInvalid }
    let secret = try pin.sharedSecret(version, peer)
    guard version.verify(code, over: newPIN, key: secret.authenticationKey) else { throw CTAP2Status.pinAuthInvalid }
    try await pin.set(try version.decrypt(newPIN, with: secret))
    return [:]
  }

  private func changePIN(_ parameters: CTAP2Parameters) async throws -> CBORMap {
    let version = try version(parameters)
    let peer = try parameters.required(parameters.value(3))
    let code = try parameters.required(try parameters.bytes(4))
    let newPIN = try parameters.required(try parameters.bytes(5))
    let hash = try parameters.required(try parameters.bytes(6))
    guard try await pin.isSet() else { throw CTAP2Status.pinNotSet }
    let secret = try pin.sharedSecret(version, peer)
    guard version.verify(code, over: newPIN + hash, key: secret.authenticationKey) else {
      throw CTAP2Status.pinAuthInvalid
    }
    try await pin.change(
      version, from: try version.decrypt(hash, with: secret), to: try version.decrypt(newPIN, with: secret))
    return [:]
  }

  private func permissions(
    _ parameters: CTAP2Parameters
  ) throws(CTAP2Status) -> (PINUVAuthToken.Permissions, String?) {
    let number = try parameters.required(try parameters.integer(9))
    guard number > 0 else { throw .invalidParameter }
    let known: PINUVAuthToken.Permissions = [.makeCredential, .getAssertion]
    let permissions = PINUVAuthToken.Permissions(rawValue: number)
    guard permissions.isSubset(of: known) else { throw .unauthorizedPermission }
    return (permissions, try parameters.required(try parameters.text(10)))
  }

  private func tokenUsingPIN(
    _ parameters: CTAP2Parameters, _ permissions: PINUVAuthToken.Permissions, relyingPartyID: String?
  ) async throws -> CBORMap {
    let version = try version(parameters)
    let peer = try parameters.required(parameters.value(3))
    let hash = try parameters.required(try parameters.bytes(6))
    guard try await pin.isSet() else { throw CTAP2Status.pinNotSet }
    let secret = try pin.sharedSecret(version, peer)
    try await pin.unlock(version, with: try version.decrypt(hash, with: secret))
    let verification = UserVerification(level: .verified, methods: [.applicationPIN], time: environment.now())
    let token = try pin.makeToken(permissions, relyingPartyID: relyingPartyID, verification: verification)
    return [2: .bytes(try version.encrypt(token, with: secret, random: environment.random))]
  }

  private func tokenUsingUV(_ parameters: CTAP2Parameters) async throws -> CBORMap {
    let version = try version(parameters)
    let peer = try parameters.required(parameters.value(3))
    let (permissions, id) = try permissions(parameters)
    guard await canVerify() else { throw CTAP2Status.notAllowed }
    let secret = try pin.sharedSecret(version, peer)
    let ceremony = CeremonyDescription(kind: .touch, relyingPartyID: id ?? "")
    let ticket = try await authenticator.wrapped.verify(
      VerificationRequest(
        operation: try OperationID(in: environment), level: .verified,
        owner: authenticator.owner(id ?? "", account: nil), prompt: authenticator.configuration.makePrompt(ceremony),
        deadline: deadline, keys: []))
    let token = try pin.makeToken(permissions, relyingPartyID: id, verification: ticket.verification)
    return [2: .bytes(try version.encrypt(token, with: secret, random: environment.random))]
  }
}
