import AuthenticatorCore
import AuthenticatorCrypto

extension KeyStoreEngine {
  func advance(_ counter: CounterID) async throws -> UInt32 {
    if let value = try await ifCurrent({ $0.next(of: counter) }) { return value }
    if case .named(let instance, let name) = counter {
      try Self.check(instance.utf8.count, StoreLimits.nameBytes, "the instance")
      try Self.check(name.utf8.count, StoreLimits.nameBytes, "the counter's name")
    }
    let token = try beginReading()
    let size = reservation(of: counter)
    let (values, version) = try await backend.write(.durable) { [cipher] rows in
      (try rows.reserve(size, of: counter, with: cipher), try rows.foreignVersion())
    }
    keep(WarmState.Block(values, at: environment.uptime()), of: counter, read: version, token)
    return values.lowerBound
  }

  // Not inlined for the reason that `forgetRecord` has.
  @inline(never)
  private func reservation(of counter: CounterID) -> UInt32 {
    // Protocols count rare events by name, and others judge the number: nothing of it is skipped.
    if case .named = counter { return 1 }
    let uptime = environment.uptime()
    return warm.withLock { $0.reservation(of: counter, standard: counterBlock, at: uptime) }
  }

  @inline(never)
  private func keep(_ block: WarmState.Block, of counter: CounterID, read version: Int64, _ token: WarmState.Token) {
    warm.withLock { $0.insert(block, of: counter, read: version, token) }
  }

  func takeAttempt(_ subject: AttemptSubject, limit: Int) async throws -> Int {
    let (wall, uptime) = (environment.now(), environment.uptime())
    return try await backend.write(.durable) { [cipher] rows in
      var record = try rows.attempts(of: subject, with: cipher) ?? AttemptRecord()
      guard record.failures < limit else { throw AuthenticatorError(.lockedOut, stage: "store.attempt") }
      record.add(wall, uptime)
      try rows.setAttempts(record, of: subject, with: cipher)
      return limit - record.failures
    }
  }

  func resetAttempts(_ subject: AttemptSubject) async throws {
    try await backend.write(.durable) { [cipher] rows in
      guard let record = try rows.attempts(of: subject, with: cipher), record.failures != 0 else { return }
      try rows.setAttempts(AttemptRecord(), of: subject, with: cipher)
    }
  }

  func item(_ name: ItemName) async throws -> [UInt8]? {
    if let known = try await ifCurrent({ $0.item(name) }) { return known }
    let token = try beginReading()
    let key = cipher.ledgerName(name)
    let (item, version) = try await backend.read { [cipher] rows in
      (
        try rows.value(.item, key).map { try cipher.open($0, .ledger, cipher.ledgerData(.item, key)) },
        try rows.foreignVersion()
      )
    }
    keep(item, of: name, read: version, token)
    return item
  }

  // Not inlined for the reason that `forgetRecord` has.
  @inline(never)
  private func keep(_ item: [UInt8]?, of name: ItemName, read version: Int64, _ token: WarmState.Token) {
    warm.withLock { $0.insert(item, of: name, read: version, token) }
  }

  @inline(never)
  private func forget(_ item: ItemName) { warm.withLock { $0.forget(item) } }

  func setItem(_ name: ItemName, to value: [UInt8]?) async throws {
    let key = try ledgerName(checked: name, value)
    defer { forget(name) }
    let isGone = try await backend.write(.durable) { [cipher] rows in
      let former = try rows.value(.item, key)
      if former == nil, value == nil { return false }
      try rows.setItem(name, key, to: value, with: cipher)
      return value == nil
    }
    if isGone { try await backend.scrub() }
  }

  func exchangeItem(
    _ name: ItemName, expecting expected: [UInt8]?, with value: [UInt8]?
  ) async throws -> [UInt8]? {
    let key = try ledgerName(checked: name, value)
    defer { forget(name) }
    let (present, isGone) = try await backend.write(.durable) { [cipher] rows in
      let former = try rows.value(.item, key).map { try cipher.open($0, .ledger, cipher.ledgerData(.item, key)) }
      guard former == expected, former != value else { return (former, false) }
      try rows.setItem(name, key, to: value, with: cipher)
      return (value, value == nil)
    }
    if isGone { try await backend.scrub() }
    return present
  }

  private func ledgerName(checked name: ItemName, _ value: [UInt8]?) throws -> [UInt8] {
    try Self.check(name.name.utf8.count, StoreLimits.nameBytes, "the item's name")
    try Self.check(value?.count ?? 0, StoreLimits.fieldBytes, "an item")
    return cipher.ledgerName(name)
  }
}

extension StoreCipher {
  func ledgerName(_ counter: CounterID) -> [UInt8] {
    switch counter {
    case .key(let tag): name("counter.key", Array(tag.rawValue.utf8))
    case .named(let instance, let text): name("counter.named", Array(instance.utf8), Array(text.utf8))
    }
  }

  func ledgerName(_ subject: AttemptSubject) -> [UInt8] {
    switch subject {
    case .domain(let domain): name("attempts.domain", Array(domain.rawValue.utf8))
    case .sensor(let sensor): name("attempts.sensor", Array(sensor.utf8))
    }
  }

  func ledgerName(_ item: ItemName) -> [UInt8] {
    name("item", item.owner.map { Array($0.rawValue.utf8) }, Array(item.name.utf8))
  }

  /// Binds a ledger value to its kind and name, so that two values cannot change places.
  func ledgerData(_ kind: LedgerKind, _ name: [UInt8]) -> [UInt8] {
    var fields = FieldWriter(capacity: 32)
    fields.write(kind.rawValue)
    fields.write(name)
    return fields.bytes
  }
}

// MARK: - Items

extension RowTransaction {
  /// - Throws: `keyNotFound` for an item of no key.
  fileprivate func setItem(_ name: ItemName, _ key: [UInt8], to value: [UInt8]?, with cipher: StoreCipher) throws {
    if value != nil, let owner = name.owner, try self.key(owner.rawValue) == nil {
      throw KeyStoreEngine.notFound("store.item")
    }
    let box = try value.map { try cipher.seal($0, .ledger, cipher.ledgerData(.item, key)) }
    try setValue(.item, key, owner: name.owner?.rawValue, to: box)
  }
}

// MARK: - Counters

extension RowTransaction {
  /// Reserves the next values of a counter.
  fileprivate func reserve(
    _ size: UInt32, of counter: CounterID, with cipher: StoreCipher
  ) throws -> ClosedRange<UInt32> {
    if case .key(let tag) = counter {
      guard let (_, key) = try open(tag, with: cipher) else { throw KeyStoreEngine.notFound("store.counter") }
      guard key.record.counter == .rising else {
        throw AuthenticatorError(.invalidRequest, stage: "store.counter", reason: "the key's counter stays at zero")
      }
      try key.record.checkMaySign("store.counter")
    }
    let present = try self.counter(counter, with: cipher)
    if present == nil, case .key = counter {
      // It was written with the key; starting again at one would repeat values.
      throw AuthenticatorError(.integrityFailed, stage: "store.counter", reason: "the key's counter is missing")
    }
    let reserved = present ?? 0
    guard reserved < UInt32.max else { throw AuthenticatorError(.counterExhausted, stage: "store.counter") }
    let last = reserved + min(size, UInt32.max - reserved)
    try setCounter(counter, to: last, with: cipher)
    return reserved + 1...last
  }

  private func counter(_ counter: CounterID, with cipher: StoreCipher) throws -> UInt32? {
    let name = cipher.ledgerName(counter)
    guard let box = try value(.counter, name) else { return nil }
    var fields = FieldReader(try cipher.open(box, .ledger, cipher.ledgerData(.counter, name)))
    guard let value = UInt32(exactly: try fields.readNumber()) else { throw FieldReader.malformed }
    try fields.expectEnd()
    return value
  }

  /// Writes down up to which value a counter is reserved.
  func setCounter(_ counter: CounterID, to value: UInt32, with cipher: StoreCipher) throws {
    let name = cipher.ledgerName(counter)
    var fields = FieldWriter(capacity: 8)
    fields.write(Int64(value))
    let owner: String? = if case .key(let tag) = counter { tag.rawValue } else { nil }
    try setValue(
      .counter, name, owner: owner, to: try cipher.seal(fields.bytes, .ledger, cipher.ledgerData(.counter, name)))
  }
}
