import AuthenticatorCore
import AuthenticatorCrypto

extension KeyStoreEngine {
  func sign(_ message: [UInt8], with tag: KeyTag, ticket: VerificationTicket?) async throws -> Signature {
    if let key = try await ifCurrent({ $0.key(tag) }) {
      try key.access.check(ticket)
      try ticket?.spend(on: tag, at: environment.uptime())
      let signature = try await key.opened.sign(message, authorization: ticket?.authorization ?? .none)
      await noteUse(of: key)
      emit(.keyUsed(tag))
      return signature
    }
    let key = try await open(tag, ticket)
    try ticket?.spend(on: tag, at: environment.uptime())
    let signature = try await key.opened.sign(message, authorization: ticket?.authorization ?? .none)
    await noteUse(of: key)
    emit(.keyUsed(tag))
    return signature
  }

  func secret(_ name: SecretName, of tag: KeyTag, ticket: VerificationTicket?) async throws -> SecretBytes {
    let key = try await usableKey(tag)
    if key.secretsLikeRecord.contains(name), let secret = try cipher.openSecrets(key)[name] { return secret }
    guard key.secretsLikeKey.contains(name) else {
      throw AuthenticatorError(.invalidRequest, stage: "store.secret", reason: "the key has no such secret")
    }
    try key.record.access.check(ticket)
    if let ticket, !ticket.admits(tag, at: environment.uptime()) {
      throw AuthenticatorError(.verificationSpent, stage: "store.secret")
    }
    guard let secret = try cipher.openMaterial(key, domainKey: key.domainKey(ticket)).1[name] else {
      throw FieldReader.malformed
    }
    return secret
  }

  func certify(_ tag: KeyTag, qualifyingData: [UInt8]) async throws -> KeyCertification? {
    let key = try await usableKey(tag)
    guard let provider = try provider(of: key.record) as? any AttestingKeyProvider else { return nil }
    if key.storage == .external {
      return try await provider.certify(.external(name: tag), qualifyingData: qualifyingData)
    }
    // Without its PIN a wrapped key cannot be shown to its provider.
    if case .secret = key.record.access.gate {
      throw AuthenticatorError(.unsupported, stage: "store.certify", reason: "the key is wrapped by a PIN")
    }
    return try await provider.certify(
      try cipher.openMaterial(key, domainKey: nil).0, qualifyingData: qualifyingData)
  }

  /// The key's row, if it may sign.
  private func usableKey(_ tag: KeyTag) async throws -> StoredKey {
    let key = try await backend.read { [cipher] rows in try rows.open(tag, with: cipher)?.key }
    guard let key else { throw Self.notFound("store.use") }
    try key.record.checkMaySign("store.use")
    return key
  }

  /// Checks the gate, decrypts the key and makes it ready. Keys that a PIN wraps are never remembered.
  private func open(_ tag: KeyTag, _ ticket: VerificationTicket?) async throws -> WarmKey {
    let known = try await known(tag)
    let key = known.key
    try key.record.checkMaySign("store.sign")
    try key.record.access.check(ticket)
    let provider = try provider(of: key.record)
    let domainKey = try key.domainKey(ticket)
    let (material, _) = try cipher.openMaterial(key, domainKey: domainKey)
    let opened = try await provider.open(material, algorithm: key.record.algorithm)
    let warmKey = WarmKey(key.record, opened: opened)
    if domainKey == nil, opened.isReusable { keep(warmKey, known) }
    return warmKey
  }

  /// The key's row: as its look-up left it in memory, when nobody has written since, or read anew.
  private func known(_ tag: KeyTag) async throws -> WarmState.Known {
    if let known = try await ifCurrent({ $0.row(tag) }) { return known }
    let token = try beginReading()
    let (key, version) = try await backend.read { [cipher] rows in
      (try rows.open(tag, with: cipher)?.key, try rows.foreignVersion())
    }
    guard let key else { throw Self.notFound("store.sign") }
    return WarmState.Known(key: key, version: version, token: token)
  }

  // Not inlined for the reason that `forgetRecord` has.
  @inline(never)
  private func keep(_ key: WarmKey, _ known: WarmState.Known) {
    warm.withLock { $0.insert(key, read: known.version, known.token) }
  }

  // MARK: Last use

  /// How old `lastUsedAt` may become before it is written again, in milliseconds.
  fileprivate static let touchInterval: Int64 = 60_000

  /// Writes the time of use down, once in a while and without waiting for anything.
  private func noteUse(of key: WarmKey) async {
    let now = environment.now()
    guard key.takeTouch(at: now.milliseconds), backend.isWritable else { return }
    let tag = key.tag
    do {
      try await backend.write(.lazy) { [cipher] rows in
        guard let (row, key) = try rows.open(tag, with: cipher) else { return }
        var record = key.record
        record.lastUsedAt = now
        try rows.update(try cipher.reseal(record, over: row))
      }
      forgetRecord(tag)
    } catch {
      // The time of use is worth no failed signature; the next use tries again.
      forgetRecord(tag)
      key.returnTouch()
    }
  }

  // Swift 6.3 may address thread-local data through the thread from before a suspension, and `Mutex` keeps its owner
  // there: inlined after an `await`, a lock was taken in another thread's name and could not be given back.
  @inline(never)
  private func forgetRecord(_ tag: KeyTag) { warm.withLock { $0.forgetRecord(tag) } }
}

extension WarmKey {
  /// Whether the time of use is due to be written; the caller then owes it.
  @inline(never)
  fileprivate func takeTouch(at now: Int64) -> Bool {
    lastTouch.withLock { last in
      if let last, (now &- last).magnitude < KeyStoreEngine.touchInterval.magnitude { return false }
      last = now
      return true
    }
  }

  /// It could not be written.
  @inline(never)
  fileprivate func returnTouch() { lastTouch.withLock { $0 = nil } }
}

extension KeyRecord {
  /// Retired, revoked and invalidated keys do not sign.
  /// - Throws: `invalidKeyState`; `keyInvalidated`.
  func checkMaySign(_ stage: String) throws {
    guard state == .staged || state == .active else { throw KeyStoreEngine.invalidState(stage) }
    guard !isInvalidated else { throw AuthenticatorError(.keyInvalidated, stage: stage) }
  }
}

extension KeyAccess {
  /// Whether a ticket opens this gate.
  /// - Throws: `verificationInsufficient`.
  func check(_ ticket: VerificationTicket?) throws {
    func insufficient() -> AuthenticatorError { AuthenticatorError(.verificationInsufficient, stage: "store.gate") }
    switch gate {
    case .open:
      return
    case .verified(let methods):
      guard let ticket, ticket.verification.level >= level, !ticket.verification.methods.isDisjoint(with: methods)
      else { throw insufficient() }
    case .secret(let domain):
      guard let ticket, ticket.verification.level >= level, OpenedDomain(ticket.authorization, of: domain) != nil
      else { throw insufficient() }
    }
  }
}

extension StoredKey {
  /// The domain key that unwraps this key; nil for keys that no PIN wraps.
  func domainKey(_ ticket: VerificationTicket?) throws -> SecretBytes? {
    guard case .secret(let domain) = record.access.gate else { return nil }
    guard let ticket, let opened = OpenedDomain(ticket.authorization, of: domain) else {
      throw AuthenticatorError(.verificationInsufficient, stage: "store.unlock")
    }
    return opened.key
  }
}
