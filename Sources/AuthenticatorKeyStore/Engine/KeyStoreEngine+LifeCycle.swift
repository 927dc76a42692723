import AuthenticatorCore
import AuthenticatorCrypto

extension KeyStoreEngine {
  func commit(_ tag: KeyTag, externalID: [UInt8]?, details: [UInt8]) async throws -> KeyRecord {
    try Self.check(details.count, StoreLimits.fieldBytes, "details")
    try Self.check(externalID?.count ?? 0, StoreLimits.nameBytes, "the external ID")
    guard externalID != [] else {
      throw AuthenticatorError(.invalidRequest, stage: "store.commit", reason: "the external ID is empty")
    }
    // The holder of the slot is known only inside the transaction; whoever it is, its warm copies must go.
    defer { warm.withLock { $0.forget() } }
    let (record, retired, isChanged) = try await backend.write(.durable) { [cipher] rows in
      try rows.commit(tag, externalID: externalID, details: details, with: cipher)
    }
    if isChanged { emit(.keyCommitted(tag, retired: retired)) }
    return record
  }

  func restore(_ tag: KeyTag) async throws {
    defer { warm.withLock { $0.forget() } }
    let (successors, isChanged) = try await backend.write(.durable) { [cipher, environment] rows in
      guard let (row, key) = try rows.open(tag, with: cipher) else { throw Self.notFound("store.restore") }
      if key.record.state == .active { return ([Doomed](), false) }
      guard key.record.state == .retired else { throw Self.invalidState("store.restore") }
      let successors = try rows.holders(of: key.record, with: cipher)
      var doomed: [Doomed] = []
      for (row, key) in successors { doomed.append(try rows.condemn(row, key, with: cipher, at: environment)) }
      var record = key.record
      record.state = .active
      record.version &+= 1
      try rows.update(try cipher.reseal(record, over: row))
      return (doomed, true)
    }
    try await finish(successors)
    for successor in successors { emit(.keyDeleted(successor.tag)) }
    if isChanged { emit(.keyRestored(tag)) }
  }

  func exchange(_ tag: KeyTag) async throws {
    defer { warm.withLock { $0.forget() } }
    let isChanged = try await backend.write(.durable) { [cipher] rows in
      guard let (row, key) = try rows.open(tag, with: cipher) else { throw Self.notFound("store.exchange") }
      if key.record.state == .active { return false }
      guard key.record.state == .retired else { throw Self.invalidState("store.exchange") }
      _ = try rows.retireHolders(of: key.record, with: cipher)
      var record = key.record
      record.state = .active
      record.version &+= 1
      try rows.update(try cipher.reseal(record, over: row))
      return true
    }
    if isChanged { emit(.keyRestored(tag)) }
  }

  func beginRevoking(_ tag: KeyTag) async throws {
    try await change([tag]) { [cipher] rows in
      guard let (row, key) = try rows.open(tag, with: cipher) else { throw Self.notFound("store.revoke") }
      if key.record.state == .revoking { return }
      guard key.record.state != .staged else { throw Self.invalidState("store.revoke") }
      var record = key.record
      record.state = .revoking
      record.version &+= 1
      try rows.update(try cipher.reseal(record, over: row))
    }
  }

  func invalidate(_ tag: KeyTag) async throws {
    try await change([tag]) { [cipher] rows in
      guard let (row, key) = try rows.open(tag, with: cipher), !key.record.isInvalidated else { return }
      var record = key.record
      record.isInvalidated = true
      record.version &+= 1
      try rows.update(try cipher.reseal(record, over: row))
    }
  }

  static func invalidState(_ stage: String) -> AuthenticatorError {
    AuthenticatorError(.invalidKeyState, stage: stage)
  }
}

extension RowTransaction {
  /// The active keys in a record's slot, except itself.
  fileprivate func holders(of record: KeyRecord, with cipher: StoreCipher) throws -> [(row: KeyRow, key: StoredKey)] {
    guard let slot = record.slot else { return [] }
    let query = KeyQuery(instance: record.owner.instance, family: record.owner.family, slot: slot, states: [.active])
    return try open(query, with: cipher).found.filter { $0.key.record.tag != record.tag }
  }

  /// The key that was retired; nil when the slot was free.
  fileprivate func retireHolders(of record: KeyRecord, with cipher: StoreCipher) throws -> KeyTag? {
    var retired: KeyTag?
    for holder in try holders(of: record, with: cipher) {
      var former = holder.key.record
      former.state = .retired
      former.version &+= 1
      try update(try cipher.reseal(former, over: holder.row))
      retired = former.tag
    }
    return retired
  }

  fileprivate func commit(
    _ tag: KeyTag, externalID: [UInt8]?, details: [UInt8], with cipher: StoreCipher
  ) throws -> (record: KeyRecord, retired: KeyTag?, isChanged: Bool) {
    guard let (row, key) = try open(tag, with: cipher) else { throw KeyStoreEngine.notFound("store.commit") }
    var record = key.record
    if record.state == .active, externalID == nil || externalID == record.externalID { return (record, nil, false) }
    guard record.state == .staged else { throw KeyStoreEngine.invalidState("store.commit") }
    if let externalID, externalID != record.externalID {
      guard record.externalID == nil else {
        throw AuthenticatorError(.invalidRequest, stage: "store.commit", reason: "the external ID is set already")
      }
      try checkUnused(externalID, for: record, with: cipher)
      record.externalID = externalID
    }
    let retired = try retireHolders(of: record, with: cipher)
    record.state = .active
    record.details = details
    // What was needed to settle the key is settled; its challenge has no business in the store any longer.
    record.journal = []
    record.version &+= 1
    try update(try cipher.reseal(record, over: row))
    return (record, retired, true)
  }
}
