internal import AuthenticatorCBOR
internal import AuthenticatorCoding
internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// The PIN of a CTAP2 device with its keys and tokens (CTAP 2.1 section 6.5).
///
/// The PIN opens a domain of the store, so its attempts are paid durably before it is compared, and what is stored of
/// it can only be checked by the slow derivation. Keys for agreement and tokens live in memory: a new object is a
/// device that was switched on.
struct ClientPIN {
  /// Consecutive failures that block the PIN for good.
  static let maximumAttempts = 8
  /// Consecutive failures that block it until the device is switched off.
  private static let maximumFailures = 3

  private let authenticator: WebAuthnPlatformAuthenticator
  private let store: any KeyStore
  private let environment: AuthenticatorEnvironment
  private let domain: SecretDomain
  private var agreementKeys: [PINUVAuthProtocol: PrivateKey] = [:]
  /// One token, good under both protocols.
  private(set) var token: PINUVAuthToken?
  private var failures = 0

  init(_ authenticator: WebAuthnPlatformAuthenticator) throws {
    self.authenticator = authenticator
    store = authenticator.store
    environment = authenticator.environment
    let digest = SHA256.hash(Array("ctap2 pin".utf8) + [0] + Array(authenticator.context.instance.utf8))
    domain = SecretDomain(rawValue: "ctap2-pin-" + Base64URL.encode(digest))
    for version in PINUVAuthProtocol.allCases { try regenerate(version) }
  }

  /// Makes a new key for agreement, as after every wrong PIN.
  mutating func regenerate(_ version: PINUVAuthProtocol) throws {
    agreementKeys[version] = try PrivateKey.generate(.es256)
  }

  func isSet() async throws -> Bool { try await store.isSet(domain) }

  func agreementKey(_ version: PINUVAuthProtocol) -> CBORValue? {
    agreementKeys[version].flatMap { PINUVAuthProtocol.coseKey($0.publicKey) }
  }

  /// What this device and the other side agree on.
  func sharedSecret(
    _ version: PINUVAuthProtocol, _ peer: CBORValue
  ) throws -> PINUVAuthProtocol.SharedSecret {
    guard let key = agreementKeys[version] else { throw CTAP2Status.invalidParameter }
    return try version.derive(try key.sharedSecret(with: try PINUVAuthProtocol.publicKey(peer)))
  }

  // MARK: - The PIN

  /// How many attempts are left, and whether the device must be switched off first.
  func retries() async throws -> (count: Int, needsPowerCycle: Bool) {
    guard try await isSet() else { return (Self.maximumAttempts, false) }
    let attempts = try await store.attempts(of: domain)
    let count = max(0, min(attempts.remaining, Self.maximumAttempts - attempts.failures))
    return (count, failures >= Self.maximumFailures || attempts.retryAfter != nil)
  }

  /// Takes a new PIN out of its 64 padded bytes.
  private func newPIN(_ padded: SecretBytes) throws(CTAP2Status) -> SecretBytes {
    guard padded.count == 64 else { throw .invalidParameter }
    var bytes = padded.withUnsafeBytes { Array($0) }
    defer { ConstantTime.wipe(&bytes) }
    let end = bytes.firstIndex(of: 0) ?? bytes.endIndex
    guard end < 64, let text = String(validating: bytes[..<end], as: UTF8.self),
      text.unicodeScalars.count >= authenticator.configuration.minimumPINLength
    else { throw .pinPolicyViolation }
    var hash = SHA256.hash(bytes[..<end])
    defer { ConstantTime.wipe(&hash) }
    return SecretBytes(Array(hash.prefix(16)))
  }

  func set(_ padded: SecretBytes) async throws {
    _ = try await store.create(domain, secret: try newPIN(padded))
  }

  /// Compares the left half of a PIN's hash; on a failure the key for agreement is made anew.
  private mutating func check(
    _ version: PINUVAuthProtocol, _ body: (any KeyStore, SecretDomain) async throws -> Void
  ) async throws {
    let (count, needsPowerCycle) = try await retries()
    guard count > 0 else { throw CTAP2Status.pinBlocked }
    guard !needsPowerCycle else { throw CTAP2Status.pinAuthBlocked }
    do {
      try await body(store, domain)
      failures = 0
    } catch let error as AuthenticatorError where error.code == .userVerificationFailed {
      failures += 1
      try regenerate(version)
      if try await retries().count == 0 { throw CTAP2Status.pinBlocked }
      throw failures >= Self.maximumFailures ? CTAP2Status.pinAuthBlocked : CTAP2Status.pinInvalid
    } catch let error as AuthenticatorError where error.code == .lockedOut {
      throw error.retryAfter == nil ? CTAP2Status.pinBlocked : CTAP2Status.pinAuthBlocked
    } catch let error as AuthenticatorError where error.code == .keyNotFound {
      throw CTAP2Status.pinNotSet
    }
  }

  mutating func change(
    _ version: PINUVAuthProtocol, from hash: SecretBytes, to padded: SecretBytes
  ) async throws {
    // The new PIN is looked at last, so that nothing is learned without the old one.
    try await check(version) { store, domain in _ = try await store.unlock(domain, with: hash) }
    let new = try newPIN(padded)
    try await check(version) { store, domain in try await store.change(domain, from: hash, to: new) }
    token = nil
  }

  mutating func unlock(_ version: PINUVAuthProtocol, with hash: SecretBytes) async throws {
    try await check(version) { store, domain in _ = try await store.unlock(domain, with: hash) }
  }

  mutating func reset() async throws {
    if try await isSet() { try await store.remove(domain) }
    token = nil
    failures = 0
    for version in PINUVAuthProtocol.allCases { try regenerate(version) }
  }

  // MARK: - Tokens

  /// Makes a new token, in place of the one before it.
  mutating func makeToken(
    _ permissions: PINUVAuthToken.Permissions, relyingPartyID: String?, verification: UserVerification
  ) throws -> SecretBytes {
    let secret = try SystemRandom.secret(32)
    token = PINUVAuthToken(
      secret: secret, permissions: permissions, relyingPartyID: relyingPartyID, verification: verification,
      at: environment.uptime())
    return secret
  }

  /// Checks a code under the token and uses it.
  mutating func useToken(
    _ version: PINUVAuthProtocol, code: [UInt8], over message: [UInt8], for permission: PINUVAuthToken.Permissions,
    relyingPartyID: String, isSpent: Bool
  ) throws(CTAP2Status) -> UserVerification {
    guard var token, version.verify(code, over: message, key: token.secret) else { throw .pinAuthInvalid }
    let verification = try token.use(
      for: permission, relyingPartyID: relyingPartyID, isSpent: isSpent, at: environment.uptime())
    self.token = token
    return verification
  }
}
