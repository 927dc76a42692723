import AuthenticatorCore
import AuthenticatorCrypto

/// How key rows are sealed and opened.
extension StoreCipher {
  func index(of record: KeyRecord) -> KeyIndex {
    let instance = Array(record.owner.instance.utf8)
    return KeyIndex(
      instance: lookUp("instance", instance),
      party: lookUp("party", instance, Array(record.owner.party.utf8)),
      account: lookUp("account", instance, record.owner.account),
      slot: record.slot.map { lookUp("slot", instance, Array($0.utf8)) },
      name: record.externalID.map { lookUp("name", instance, $0) })
  }

  /// The most selective filter that a query allows; what it finds is still to be compared with the query.
  func filter(for query: KeyQuery) -> KeyFilter {
    let instance = query.instance.map { Array($0.utf8) }
    let column: KeyFilter.Column =
      if let instance, let name = query.externalID {
        .name(lookUp("name", instance, name))
      } else if let instance, let slot = query.slot {
        .slot(lookUp("slot", instance, Array(slot.utf8)))
      } else if let instance, let account = query.account {
        .account(lookUp("account", instance, account))
      } else if let instance, let party = query.party {
        .party(lookUp("party", instance, Array(party.utf8)))
      } else if let instance {
        .instance(lookUp("instance", instance))
      } else {
        .all
      }
    return KeyFilter(column: column, states: query.states.mask)
  }

  // MARK: Reading

  /// Opens both halves of a row; for more than one, keep a `RowOpener`.
  /// - Throws: `integrityFailed` when either, or a look-up value, is not what the store wrote.
  func open(_ row: KeyRow) throws -> StoredKey { try RowOpener(self).open(row) }

  /// The material of a key and the secrets sealed with it.
  func openMaterial(_ key: StoredKey, domainKey: SecretBytes?) throws -> (KeyMaterial, [SecretName: SecretBytes]) {
    let sealingKey = try materialKey(key.record.access.gate, domainKey: domainKey)
    let content = try open(secret: key.material, sealingKey, nonceOf: key.recordBox, materialData("material", key))
    let header = content.withUnsafeBytes { $0.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
    let count = Int(header & ~Self.omitsPoint)
    guard content.count == 4 + count + 32 * key.secretsLikeKey.count, var material = content.part(4..<4 + count) else {
      throw FieldReader.malformed
    }
    if header & Self.omitsPoint != 0 {
      material = material.joined(with: key.record.publicKey.x963Representation.map { SecretBytes($0) })
    }
    var secrets: [SecretName: SecretBytes] = [:]
    for (position, name) in key.secretsLikeKey.enumerated() {
      secrets[name] = content.part(4 + count + 32 * position..<4 + count + 32 * (position + 1))
    }
    return (key.storage == .external ? .external(name: key.record.tag) : .blob(material), secrets)
  }

  /// The secrets that need no more than the store.
  func openSecrets(_ key: StoredKey) throws -> [SecretName: SecretBytes] {
    guard let box = key.secrets else { return [:] }
    let content = try open(secret: box, storeSecretsKey, nonceOf: key.recordBox, materialData("secrets", key))
    guard content.count == 32 * key.secretsLikeRecord.count else { throw FieldReader.malformed }
    var secrets: [SecretName: SecretBytes] = [:]
    for (position, name) in key.secretsLikeRecord.enumerated() {
      secrets[name] = content.part(32 * position..<32 * (position + 1))
    }
    return secrets
  }

  /// Marks material that ends with the public point, which the record holds already.
  private static let omitsPoint: UInt32 = 1 << 31

  // MARK: Writing

  /// Seals a new key.
  func seal(_ half: RecordHalf, material: KeyMaterial, domainKey: SecretBytes?) throws -> KeyRow {
    let record = half.record
    let encoded = half.encoded()
    let digest = SHA256.hash(encoded)
    var row = KeyRow(
      tag: record.tag.rawValue, index: index(of: record), state: record.state.code, version: Int64(record.version),
      record: try seal(encoded, .record, Array(record.tag.rawValue.utf8)), status: [], material: [], secrets: nil)
    row.status = try sealStatus(of: record, in: row)

    let sealingKey = try materialKey(record.access.gate, domainKey: domainKey)
    var bytes: SecretBytes? = if case .blob(let bytes) = material { bytes } else { nil }
    var header: UInt32 = 0
    if let whole = bytes, let point = record.publicKey.x963Representation, whole.ends(with: point) {
      bytes = whole.part(0..<whole.count - point.count)
      header = Self.omitsPoint
    }
    let count = bytes?.count ?? 0
    guard count <= StoreLimits.fieldBytes else {
      throw AuthenticatorError(.keyGenerationFailed, stage: "store.stage", reason: "the key material is too long")
    }
    header |= UInt32(count)
    var content = SecretBytes(withUnsafeBytes(of: header.bigEndian) { Array($0) }).joined(with: bytes)
    for _ in half.secretsLikeKey { content = content.joined(with: SecretBytes(try randomBytes(32))) }
    row.material = try seal(
      secret: content, sealingKey, nonceOf: row.record, materialData("material", tag: row.tag, digest: digest))

    if !half.secretsLikeRecord.isEmpty {
      let content = SecretBytes(try randomBytes(32 * half.secretsLikeRecord.count))
      row.secrets = try seal(
        secret: content, storeSecretsKey, nonceOf: row.record,
        materialData("secrets", tag: row.tag, digest: digest))
    }
    return row
  }

  /// The row after a change of the mutable half.
  func reseal(_ record: KeyRecord, over row: KeyRow) throws -> KeyRow {
    var row = row
    row.state = record.state.code
    row.version = Int64(record.version)
    row.index.name = record.externalID.map { lookUp("name", Array(record.owner.instance.utf8), $0) }
    row.status = try sealStatus(of: record, in: row)
    return row
  }

  private func sealStatus(of record: KeyRecord, in row: KeyRow) throws -> [UInt8] {
    var fields = FieldWriter(capacity: 64 + record.details.count + record.journal.count)
    fields.write(optional: record.externalID)
    fields.write(record.details)
    fields.write(record.journal)
    fields.write(optional: record.lastUsedAt?.milliseconds)
    if record.isInvalidated { fields.write(true) }
    return try seal(fields.bytes, .status, statusData(row))
  }

  /// Binds the mutable half to its row: the tag, the columns that are plain, and the look-up values.
  func statusData(_ row: KeyRow) -> [UInt8] {
    var fields = FieldWriter(capacity: 128)
    fields.write(row.tag)
    fields.write(row.state)
    fields.write(row.version)
    fields.write(row.index.instance)
    fields.write(row.index.party)
    fields.write(row.index.account)
    fields.write(optional: row.index.slot)
    fields.write(optional: row.index.name)
    return fields.bytes
  }

  private func materialData(_ label: String, _ key: StoredKey) -> [UInt8] {
    materialData(label, tag: key.record.tag.rawValue, digest: key.digest)
  }

  private func materialData(_ label: String, tag: String, digest: [UInt8]) -> [UInt8] {
    var fields = FieldWriter(capacity: 96)
    fields.write(label)
    fields.write(tag)
    fields.write(digest)
    return fields.bytes
  }
}
