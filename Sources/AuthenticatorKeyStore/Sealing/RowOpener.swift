import AuthenticatorCore
import AuthenticatorCrypto

/// Opens rows one after the other with keys that are set up once. Lives inside one transaction.
final class RowOpener {
  private let cipher: StoreCipher
  private let recordOpener: AESGCMOpener
  private let statusOpener: AESGCMOpener

  init(_ cipher: StoreCipher) throws {
    self.cipher = cipher
    recordOpener = try cipher.opener(.record)
    statusOpener = try cipher.opener(.status)
  }

  /// Opens both halves of a row.
  /// - Throws: `integrityFailed` when either, or a look-up value, is not what the store wrote.
  func open(_ row: KeyRow) throws -> StoredKey {
    let encoded = try cipher.open(row.record, recordOpener, Array(row.tag.utf8))
    let half = try RecordHalf(tag: row.tag, from: encoded)
    var record = half.record
    guard let state = KeyRecord.State(code: row.state), let version = Int(exactly: row.version) else {
      throw FieldReader.malformed
    }
    var fields = FieldReader(try cipher.open(row.status, statusOpener, cipher.statusData(row)))
    record.externalID = try fields.readOptionalBytes()
    record.details = try fields.readBytes()
    record.journal = try fields.readBytes()
    record.lastUsedAt = try fields.readOptionalNumber().map { UnixTime(milliseconds: $0) }
    // Written only where it is true, so that records of earlier versions read as before.
    record.isInvalidated = fields.isAtEnd ? false : try fields.readFlag()
    try fields.expectEnd()
    record.state = state
    record.version = version
    return StoredKey(
      record: record, storage: half.storage, secretsLikeKey: half.secretsLikeKey,
      secretsLikeRecord: half.secretsLikeRecord, digest: SHA256.hash(encoded), recordBox: row.record,
      material: row.material, secrets: row.secrets)
  }
}
