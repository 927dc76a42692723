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
  let material: [UInt8]
  let secrets: [UInt8]?
  let index: KeyIndex
}

/// The immutable half of a record, in its stored form.
struct RecordHalf {
  private static let format: UInt8 = 1

  var record: KeyRecord
  var storage: MaterialStorage
  var secretsLikeKey: [SecretName]
  var secretsLikeRecord: [SecretName]

  func encoded() -> [UInt8] {
    var fields = FieldWriter(capacity: 384)
    fields.write(byte: Self.format)
    fields.write(record.owner.instance)
    fields.write(record.owner.family.rawValue)
    fields.write(record.owner.party)
    fields.write(optional: record.owner.account)
    fields.write(record.authenticator.rawValue)
    record.access.write(to: &fields)
    fields.write(record.protection.residence.rawValue)
    fields.write(record.protection.isHardware)
    fields.write(record.protection.isSecretWrapped)
    fields.write(storage == .external)
    fields.write(record.algorithm.rawValue)
    fields.write(record.publicKey.subjectPublicKeyInfo)
    fields.write(record.counter == .rising)
    fields.write(record.attributes)
    fields.write(optional: record.slot.map { Array($0.utf8) })
    fields.write(optional: record.enrollmentState?.digest)
    fields.write(record.createdAt.milliseconds)
    for names in [secretsLikeKey, secretsLikeRecord] {
      fields.write(Int64(names.count))
      for name in names { fields.write(name.rawValue) }
    }
    return fields.bytes
  }

  /// Reads what `encoded()` wrote; state, version and the like are placeholders until the mutable half fills them.
  init(tag: String, from bytes: [UInt8]) throws {
    var fields = FieldReader(bytes)
    guard try fields.readByte() == Self.format else { throw FieldReader.malformed }
    let owner = KeyOwner(
      instance: try fields.readText(), family: ProtocolFamily(rawValue: try fields.readText()),
      party: try fields.readText(), account: try fields.readOptionalBytes())
    let authenticator = AuthenticatorType(rawValue: try fields.readText())
    let access = try KeyAccess(from: &fields)
    let protection = KeyProtection(
      residence: .init(rawValue: try fields.readText()), isHardware: try fields.readFlag(),
      isSecretWrapped: try fields.readFlag())
    storage = try fields.readFlag() ? .external : .blob
    let algorithm = SignatureAlgorithm(rawValue: try fields.readText())
    let spki = try fields.readBytes()
    let isRising = try fields.readFlag()
    let attributes = try fields.readBytes()
    let slot = try fields.readOptionalBytes().map { bytes in
      guard let text = String(validating: bytes, as: UTF8.self) else { throw FieldReader.malformed }
      return text
    }
    let enrollmentState = try fields.readOptionalBytes().map { EnrollmentState(digest: $0) }
    let createdAt = UnixTime(milliseconds: try fields.readNumber())
    func readNames() throws -> [SecretName] {
      let count = try fields.readNumber()
      guard (0...Int64(StoreLimits.secrets)).contains(count) else { throw FieldReader.malformed }
      return try (0..<count).map { _ in SecretName(rawValue: try fields.readText()) }
    }
    secretsLikeKey = try readNames()
    secretsLikeRecord = try readNames()
    try fields.expectEnd()
    guard let publicKey = try? PublicKey(subjectPublicKeyInfo: spki) else { throw FieldReader.malformed }
    record = KeyRecord(
      tag: KeyTag(rawValue: tag), owner: owner, authenticator: authenticator, access: access, protection: protection,
      algorithm: algorithm, publicKey: publicKey, counter: isRising ? .rising : .zero, attributes: attributes,
      slot: slot, enrollmentState: enrollmentState, createdAt: createdAt, state: .staged, externalID: nil,
      details: [], journal: [], version: 0, lastUsedAt: nil)
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
      fields.write(Int64(methods.count))
      for method in methods.map(\.rawValue).sorted() { fields.write(method) }
    case .secret(let domain):
      fields.write(byte: 2)
      fields.write(domain.rawValue)
    }
    fields.write(enrollment.rawValue)
    fields.write(requiresHardware)
  }

  fileprivate init(from fields: inout FieldReader) throws {
    let gate: Gate
    switch try fields.readByte() {
    case 0:
      gate = .open
    case 1:
      let count = try fields.readNumber()
      guard (0...Int64(StoreLimits.methods)).contains(count) else { throw FieldReader.malformed }
      gate = .verified(Set(try (0..<count).map { _ in VerificationMethod(rawValue: try fields.readText()) }))
    case 2:
      gate = .secret(SecretDomain(rawValue: try fields.readText()))
    default:
      throw FieldReader.malformed
    }
    guard let enrollment = EnrollmentPolicy(rawValue: try fields.readText()) else { throw FieldReader.malformed }
    self.init(gate: gate, enrollment: enrollment, requiresHardware: try fields.readFlag())
  }
}
