internal import AuthenticatorCore
public import AuthenticatorCrypto

extension PasswordAuthority {
  /// N = 2^13, r = 8, p = 1. A code has 60 random bits, so even this makes trying them hopeless.
  public static let defaultRecoveryCodeCost = ScryptParameters(logN: 13, r: 8, p: 1)
  static let recoveryCodeBounds = ScryptBounds(minimumLogN: 10)

  /// Makes recovery codes for a device that is about to be stored. The texts are for the person alone.
  ///
  /// All codes of a user share a salt where that is possible, so that one derivation compares with all of them.
  func makeRecoveryCodes(
    _ count: Int, for user: UserRecord, deviceUUID: String
  ) async throws -> [(text: String, record: RecoveryCodeRecord)] {
    guard count > 0 else { return [] }
    let stored = try await registry.recoveryCodes(ofUser: user.id, realm: user.realm)
    let shared = stored.first { $0.hash.parameters == recoveryCodeCost }?.hash.salt
    let salt = try shared ?? environment.random(PasswordHash.saltCount)
    return try await workers.withSlot { slot in
      var codes: [(text: String, record: RecoveryCodeRecord)] = []
      for _ in 0..<count {
        let text = RecoveryCode.make(from: try environment.random(RecoveryCode.count))
        let digest = try await derive(
          text, parameters: recoveryCodeCost, salt: salt, bounds: Self.recoveryCodeBounds, on: slot)
        let hash = PasswordHash(parameters: recoveryCodeCost, salt: salt, digest: digest)
        codes.append(
          (text, RecoveryCodeRecord(realm: user.realm, userID: user.id, deviceUUID: deviceUUID, hash: hash)))
      }
      return codes
    }
  }

  /// Decides about a name and a recovery code, and uses the code up.
  ///
  /// Attempts are counted with those at passwords; see `check(username:password:realm:peer:)`, also for what it throws.
  /// Of several posts of one code, one is accepted.
  public func useRecoveryCode(
    _ code: String, username: String, realm: Realm, peer: String = ""
  ) async throws -> Verdict {
    let code = RecoveryCode.normalized(code)
    return try await attempt(username, realm: realm, peer: peer) { user, slot in
      var stored: [RecoveryCodeRecord] = []
      if let user { stored = try await registry.recoveryCodes(ofUser: user.id, realm: realm) }
      guard let match = try await match(code, among: stored, on: slot), try await registry.useRecoveryCode(match) else {
        return nil
      }
      return user
    }
  }

  /// The record of a code; nil: none of these. Costs one derivation for each salt, and one when there is none.
  private func match(
    _ code: String?, among stored: [RecoveryCodeRecord], on slot: BoundedWorkers.Slot
  ) async throws -> RecoveryCodeRecord? {
    var rest = stored
    var match: RecoveryCodeRecord?
    repeat {
      let key = rest.first?.hash ?? PasswordHash(parameters: recoveryCodeCost, salt: dummy.salt, digest: dummy.digest)
      let digest = try await derive(
        code ?? "", parameters: key.parameters, salt: key.salt, bounds: Self.recoveryCodeBounds, on: slot)
      for record in rest where record.hash.salt == key.salt && record.hash.parameters == key.parameters {
        if ConstantTime.equals(digest, record.hash.digest), code != nil { match = record }
      }
      rest.removeAll { $0.hash.salt == key.salt && $0.hash.parameters == key.parameters }
    } while !rest.isEmpty
    return match
  }
}

/// The text of a recovery code: 12 of 32 letters and digits that are not taken for one another.
enum RecoveryCode {
  static let count = 12
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  /// Takes `count` random bytes.
  static func make(from random: [UInt8]) -> String {
    String(decoding: random.prefix(count).map { alphabet[Int($0 & 31)] }, as: UTF8.self)
  }

  /// What a person typed, as the code was made: in either case, with spaces and dashes, and with O, I and L for the
  /// digits they look like. Nil: not a code.
  static func normalized(_ text: String) -> String? {
    guard text.utf8.count <= 64 else { return nil }
    var code: [UInt8] = []
    for byte in text.lowercased().utf8 {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "-"): continue
      case UInt8(ascii: "o"): code.append(UInt8(ascii: "0"))
      case UInt8(ascii: "i"), UInt8(ascii: "l"): code.append(UInt8(ascii: "1"))
      default:
        guard alphabet.contains(byte) else { return nil }
        code.append(byte)
      }
    }
    return code.count == count ? String(decoding: code, as: UTF8.self) : nil
  }
}
