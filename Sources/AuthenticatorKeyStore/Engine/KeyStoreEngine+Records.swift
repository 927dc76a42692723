import AuthenticatorCore
import AuthenticatorCrypto

extension KeyStoreEngine {
  func record(_ tag: KeyTag) async throws -> KeyRecord? {
    if let record = try await ifCurrent({ $0.record(tag) }) { return record }
    let token = try beginReading()
    let (key, version) = try await backend.read { [cipher] rows in
      (try rows.open(tag, with: cipher)?.key, try rows.foreignVersion())
    }
    if let key { keep(key, read: version, token) }
    return key?.record
  }

  func records(matching query: KeyQuery) async throws -> [KeyRecord] {
    guard !query.states.isEmpty else { return [] }
    if let result = try await ifCurrent({ $0.result(of: query) }) { return result }
    let token = try beginReading()
    let (keys, damaged, version) = try await backend.read { [cipher] rows in
      let result = try rows.open(query, with: cipher)
      return (result.found.map(\.key), result.damaged, try rows.foreignVersion())
    }
    for _ in 0..<damaged { emit(.recordSetAside(reason: .integrityFailed)) }
    if damaged == 0 { keep(keys, of: query, read: version, token) }
    return keys.map(\.record)
  }

  // Not inlined for the reason that `forgetRecord` has.
  @inline(never)
  private func keep(_ key: StoredKey, read version: Int64, _ token: WarmState.Token) {
    warm.withLock { $0.insert(key, read: version, token) }
  }

  @inline(never)
  private func keep(_ keys: [StoredKey], of query: KeyQuery, read version: Int64, _ token: WarmState.Token) {
    warm.withLock { $0.insert(keys, of: query, read: version, token) }
  }

  func damagedTags() async throws -> [KeyTag] {
    try await backend.read { [cipher] rows in
      let opener = try RowOpener(cipher)
      return try rows.keys(.everything).compactMap { row in
        do {
          _ = try opener.open(row)
          return nil
        } catch let error as AuthenticatorError where error.code == .integrityFailed {
          return KeyTag(rawValue: row.tag)
        }
      }
    }
  }

  func presence(of tag: KeyTag) async throws -> Bool {
    let token = try beginReading()
    let (found, version) = try await backend.read { [cipher] rows in
      (try rows.open(tag, with: cipher)?.key, try rows.foreignVersion())
    }
    guard let key = found else { return false }
    // Whoever asks for a key's health asks for its record next.
    keep(key, read: version, token)
    let provider = try provider(of: key.record)
    if key.storage == .external { return try await provider.presence(of: .external(name: tag)) }
    // What the PIN wraps cannot be looked into; that the row authenticates is all that can be known.
    if case .secret = key.record.access.gate { return true }
    return try await provider.presence(of: cipher.openMaterial(key, domainKey: nil).0)
  }

  func update(_ tag: KeyTag, details: [UInt8], expecting version: Int) async throws -> KeyRecord {
    try Self.check(details.count, StoreLimits.fieldBytes, "details")
    return try await change([tag]) { [cipher] rows in
      guard let (row, key) = try rows.open(tag, with: cipher) else { throw Self.notFound("store.update") }
      guard key.record.version == version else {
        throw AuthenticatorError(.busy, stage: "store.update", reason: "the record was changed by someone else")
      }
      var record = key.record
      record.details = details
      record.version &+= 1
      try rows.update(try cipher.reseal(record, over: row))
      return record
    }
  }
}
