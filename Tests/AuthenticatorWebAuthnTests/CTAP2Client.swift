import AuthenticatorCBOR
import AuthenticatorCrypto
import AuthenticatorTestSupport
import Testing

@testable import AuthenticatorWebAuthn

/// The other side of CTAP2, as a platform speaks it.
struct CTAP2Client {
  let authenticator: CTAP2Authenticator
  let key: PrivateKey

  init(_ authenticator: CTAP2Authenticator) throws {
    self.authenticator = authenticator
    key = try PrivateKey.generate(.es256)
  }

  func send(_ command: UInt8, _ parameters: CBORValue? = nil) async -> (status: CTAP2Status, value: CBORValue?) {
    let answer = await authenticator.respond(to: [command] + (parameters?.encoded() ?? []))
    let value = try? CBORValue.decode(Array(answer.dropFirst()), limits: .attestationObject)
    return (CTAP2Status(rawValue: answer.first ?? 0xFF), value)
  }

  func status(_ command: UInt8, _ parameters: CBORValue? = nil) async -> CTAP2Status {
    await send(command, parameters).status
  }

  // MARK: clientPIN

  func secret(_ version: PINUVAuthProtocol) async throws -> PINUVAuthProtocol.SharedSecret {
    let answer = await send(6, [1: .integer(version.rawValue), 2: 2])
    let peer = try PINUVAuthProtocol.publicKey(try #require(answer.value?[1]))
    return try version.derive(try key.sharedSecret(with: peer))
  }

  var coseKey: CBORValue { PINUVAuthProtocol.coseKey(key.publicKey) ?? .null }

  func padded(_ pin: String) -> SecretBytes {
    SecretBytes(Array(pin.utf8) + [UInt8](repeating: 0, count: max(0, 64 - pin.utf8.count)))
  }

  func hash(_ pin: String) -> SecretBytes { SecretBytes(Array(SHA256.hash(Array(pin.utf8)).prefix(16))) }

  private func random(_ count: Int) throws -> [UInt8] { try SystemRandom.bytes(count) }

  func setPIN(_ pin: String, _ version: PINUVAuthProtocol = .two) async throws -> CTAP2Status {
    let secret = try await secret(version)
    let sealed = try version.encrypt(padded(pin), with: secret, random: random)
    let code = version.authenticate(sealed, key: secret.authenticationKey)
    return await status(
      6, [1: .integer(version.rawValue), 2: 3, 3: coseKey, 4: .bytes(code), 5: .bytes(sealed)])
  }

  func changePIN(
    from old: String, to new: String, _ version: PINUVAuthProtocol = .two
  ) async throws -> CTAP2Status {
    let secret = try await secret(version)
    let sealed = try version.encrypt(padded(new), with: secret, random: random)
    let hashed = try version.encrypt(hash(old), with: secret, random: random)
    let code = version.authenticate(sealed + hashed, key: secret.authenticationKey)
    return await status(
      6,
      [
        1: .integer(version.rawValue), 2: 4, 3: coseKey, 4: .bytes(code), 5: .bytes(sealed), 6: .bytes(hashed),
      ])
  }

  /// A token for a PIN; with permissions by the newer subcommand.
  func token(
    _ pin: String, _ version: PINUVAuthProtocol = .two, permissions: Int? = nil, relyingPartyID: String? = "example.org"
  ) async throws -> (status: CTAP2Status, token: SecretBytes?) {
    let secret = try await secret(version)
    let hashed = try version.encrypt(hash(pin), with: secret, random: random)
    var parameters: CBORMap = [
      1: .integer(version.rawValue), 2: permissions == nil ? 5 : 9, 3: coseKey, 6: .bytes(hashed),
    ]
    if let permissions {
      parameters[9] = .integer(permissions)
      parameters[10] = relyingPartyID.map(CBORValue.text)
    }
    let answer = await send(6, .map(parameters))
    let sealed = answer.value?[2]?.bytesValue
    return (answer.status, try sealed.map { try version.decrypt($0, with: secret) })
  }

  // MARK: Ceremonies

  static let hash: [UInt8] = SHA256.hash([9])

  static func creation(user: String = "alice", resident: Bool = true) -> CBORMap {
    [
      1: .bytes(hash), 2: ["id": "example.org", "name": "Example"],
      3: ["id": .bytes(Array(user.utf8)), "name": .text(user), "displayName": .text(user)],
      4: [["alg": -7, "type": "public-key"]], 7: ["rk": .bool(resident)],
    ]
  }

  static func assertion() -> CBORMap { [1: "example.org", 2: .bytes(hash)] }
}

extension CBORMap {
  func with(_ key: CBORValue, _ value: CBORValue?) -> CBORValue {
    var copy = self
    copy[key] = value
    return .map(copy)
  }
}
