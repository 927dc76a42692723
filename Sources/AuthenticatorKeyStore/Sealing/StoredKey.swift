import AuthenticatorCore
import AuthenticatorCrypto

/// A key as its row says, after both halves authenticated.
struct StoredKey: Sendable {
  var record: KeyRecord
  let storage: MaterialStorage
  /// Extra secrets in the order in which they are sealed.
  let secretsLikeKey: [SecretName]
  let secretsLikeRecord: [SecretName]
  /// Digest of the immutable half; the key material is bound to it.
  let digest: [UInt8]
  /// Holds the nonce of the boxes below.
  let recordBox: [UInt8]
  let material: [UInt8]
  let secrets: [UInt8]?
}

/// The words that records often hold. Part of the record format: words are added at the end and never removed.
private enum Words {
  static let families = ["device-binding", "webauthn", "uaf", "trusted-device"]
  static let authenticators = [
    "none", "biometricOnly", "biometricAllowFallback", "devicePasscode", "applicationPIN",
  ]
  static let residences = ["software", "tpm", "pkcs11", "secureEnclave"]
  static let algorithms = ["ES256", "ES384", "ES512", "EdDSA", "RS256", "PS256"]
  static let methods = ["fingerprint", "face", "passcode", "applicationPIN", "presence"]
  static let policies = ["ignored", "currentSet", "compared"]
}

/// The immutable half of a record, in its stored form.
struct RecordHalf {
  private static let format: UInt8 = 1

  /// Bits of the one byte that holds what is true or false of a key.
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let isHardware = Flags(rawValue: 1)
    static let isSecretWrapped = Flags(rawValue: 2)
    static let isExternal = Flags(rawValue: 4)
    static let isRising = Flags(rawValue: 8)
    static let requiresHardware = Flags(rawValue: 16)
    static let isPoint = Flags(rawValue: 32)
    static let all: Flags = [isHardware, isSecretWrapped, isExternal, isRising, requiresHardware, isPoint]
  }

  var record: KeyRecord
  var storage: MaterialStorage
  var secretsLikeKey: [SecretName]
  var secretsLikeRecord: [SecretName]

  func encoded() -> [UInt8] {
    var flags: Flags = []
    if record.protection.isHardware { flags.insert(.isHardware) }
    if record.protection.isSecretWrapped { flags.insert(.isSecretWrapped) }
    if storage == .external { flags.insert(.isExternal) }
    if record.counter == .rising { flags.insert(.isRising) }
    if record.access.requiresHardware { flags.insert(.requiresHardware) }
    // An uncompressed point says as much as its SubjectPublicKeyInfo.
    let point = record.publicKey.x963Representation
    if point != nil { flags.insert(.isPoint) }

    var fields = FieldWriter(capacity: 384)
    fields.write(byte: Self.format)
    fields.write(byte: flags.rawValue)
    fields.write(record.owner.instance)
    fields.write(record.owner.family.rawValue, from: Words.families)
    fields.write(record.owner.party)
    fields.write(optional: record.owner.account)
    fields.write(record.authenticator.rawValue, from: Words.authenticators)
    record.access.write(to: &fields)
    fields.write(record.protection.residence.rawValue, from: Words.residences)
    fields.write(record.algorithm.rawValue, from: Words.algorithms)
    fields.write(point ?? record.publicKey.subjectPublicKeyInfo)
    fields.write(record.attributes)
    fields.write(optional: record.slot.map { Array($0.utf8) })
    fields.write(optional: record.enrollmentState?.digest)
    fields.write(record.createdAt.milliseconds)
    for names in [secretsLikeKey, secretsLikeRecord] {
      fields.write(byte: UInt8(truncatingIfNeeded: names.count))
      for name in names { fields.write(name.rawValue) }
    }
    return fields.bytes
  }

  /// Reads what `encoded()` wrote; state, version and the like are placeholders until the mutable half fills them.
  init(tag: String, from bytes: [UInt8]) throws {
    var fields = FieldReader(bytes)
    guard try fields.readByte() == Self.format else { throw FieldReader.malformed }
    let flags = Flags(rawValue: try fields.readByte())
    guard Flags.all.isSuperset(of: flags) else { throw FieldReader.malformed }
    let owner = KeyOwner(
      instance: try fields.readText(), family: ProtocolFamily(rawValue: try fields.readText(from: Words.families)),
      party: try fields.readText(), account: try fields.readOptionalBytes())
    let authenticator = AuthenticatorType(rawValue: try fields.readText(from: Words.authenticators))
    let access = try KeyAccess(from: &fields, requiresHardware: flags.contains(.requiresHardware))
    let protection = KeyProtection(
      residence: .init(rawValue: try fields.readText(from: Words.residences)),
      isHardware: flags.contains(.isHardware), isSecretWrapped: flags.contains(.isSecretWrapped))
    let algorithm = SignatureAlgorithm(rawValue: try fields.readText(from: Words.algorithms))
    let publicKey = try Self.publicKey(try fields.readBytes(), isPoint: flags.contains(.isPoint))
    let attributes = try fields.readBytes()
    let slot = try fields.readOptionalBytes().map { bytes in
      guard let text = String(validating: bytes, as: UTF8.self) else { throw FieldReader.malformed }
      return text
    }
    let enrollmentState = try fields.readOptionalBytes().map { EnrollmentState(digest: $0) }
    let createdAt = UnixTime(milliseconds: try fields.readNumber())
    func readNames() throws -> [SecretName] {
      let count = Int(try fields.readByte())
      guard count <= StoreLimits.secrets else { throw FieldReader.malformed }
      return try (0..<count).map { _ in SecretName(rawValue: try fields.readText()) }
    }
    secretsLikeKey = try readNames()
    secretsLikeRecord = try readNames()
    try fields.expectEnd()
    storage = flags.contains(.isExternal) ? .external : .blob
    record = KeyRecord(
      tag: KeyTag(rawValue: tag), owner: owner, authenticator: authenticator, access: access, protection: protection,
      algorithm: algorithm, publicKey: publicKey, counter: flags.contains(.isRising) ? .rising : .zero,
      attributes: attributes, slot: slot, enrollmentState: enrollmentState, createdAt: createdAt, state: .staged,
      externalID: nil, details: [], journal: [], version: 0, lastUsedAt: nil)
  }

  private static func publicKey(_ bytes: [UInt8], isPoint: Bool) throws -> PublicKey {
    do {
      return isPoint
        ? try PublicKey(x963Representation: bytes) : try PublicKey(subjectPublicKeyInfo: bytes)
    } catch { throw FieldReader.malformed }
  }

  init(
    record: KeyRecord, storage: MaterialStorage, secretsLikeKey: [SecretName], secretsLikeRecord: [SecretName]
  ) {
    self.record = record
    self.storage = storage
    self.secretsLikeKey = secretsLikeKey
    self.secretsLikeRecord = secretsLikeRecord
  }
}

extension KeyAccess {
  fileprivate func write(to fields: inout FieldWriter) {
    switch gate {
    case .open:
      fields.write(byte: 0)
    case .verified(let methods):
      fields.write(byte: 1)
      fields.write(byte: UInt8(truncatingIfNeeded: methods.count))
      for method in methods.map(\.rawValue).sorted() { fields.write(method, from: Words.methods) }
    case .secret(let domain):
      fields.write(byte: 2)
      fields.write(domain.rawValue)
    }
    fields.write(enrollment.rawValue, from: Words.policies)
  }

  fileprivate init(from fields: inout FieldReader, requiresHardware: Bool) throws {
    let gate: Gate
    switch try fields.readByte() {
    case 0:
      gate = .open
    case 1:
      let count = Int(try fields.readByte())
      guard count <= StoreLimits.methods else { throw FieldReader.malformed }
      gate = .verified(
        Set(try (0..<count).map { _ in VerificationMethod(rawValue: try fields.readText(from: Words.methods)) }))
    case 2:
      gate = .secret(SecretDomain(rawValue: try fields.readText()))
    default:
      throw FieldReader.malformed
    }
    guard let enrollment = EnrollmentPolicy(rawValue: try fields.readText(from: Words.policies)) else {
      throw FieldReader.malformed
    }
    self.init(gate: gate, enrollment: enrollment, requiresHardware: requiresHardware)
  }
}
