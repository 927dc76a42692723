import AuthenticatorCore
import AuthenticatorCrypto

/// A key whose row is gone, or whose object outside the store must go before its row can.
struct Doomed: Sendable {
  let tag: KeyTag
  /// What holds the object; nil: the row was all there was.
  let residence: KeyProtection.Residence?
}

/// What is about to happen outside the store, written down before it does.
struct Intent: Sendable {
  enum Kind: UInt8, Sendable {
    case creation = 1
    case destruction = 2
  }

  var kind: Kind
  var residence: KeyProtection.Residence
  var isHardware: Bool
  var wall: UnixTime
  var uptime: Duration
}

extension KeyStoreEngine {
  func discard(_ tag: KeyTag) async throws {
    guard try await destroy(tag, only: .staged) else { return }
    emit(.keyDiscarded(tag))
  }

  func delete(_ tag: KeyTag) async throws {
    guard try await destroy(tag, only: nil) else { return }
    emit(.keyDeleted(tag))
  }

  /// Destroys a key in this state, or in any; false when there is none.
  private func destroy(_ tag: KeyTag, only state: KeyRecord.State?) async throws -> Bool {
    let doomed = try await change([tag]) { [cipher, environment] rows -> Doomed? in
      guard let row = try rows.key(tag.rawValue) else { return nil }
      let key: StoredKey
      do { key = try cipher.open(row) } catch {
        // A damaged row goes only when the caller names it for deletion.
        guard state == nil else { throw error }
        try rows.removeKey(tag.rawValue)
        return Doomed(tag: tag, residence: nil)
      }
      if let state, key.record.state != state { throw Self.invalidState("store.discard") }
      return try rows.condemn(row, key, with: cipher, at: environment)
    }
    guard let doomed else { return false }
    try await finish([doomed])
    return true
  }

  /// Destroys the objects of condemned keys, then their rows, and removes their traces.
  func finish(_ doomed: [Doomed]) async throws {
    guard !doomed.isEmpty else { return }
    for key in doomed {
      guard let residence = key.residence else { continue }
      try await destroyObject(key.tag, residence: residence)
    }
    try await backend.scrub()
  }

  private func destroyObject(_ tag: KeyTag, residence: KeyProtection.Residence) async throws {
    guard let provider = providers.first(where: { $0.residence == residence && $0.storage == .external }) else {
      throw AuthenticatorError(
        .storageFailed, stage: "store.destroy", reason: "no key provider for \(residence); the object remains")
    }
    let material = KeyMaterial.external(name: tag)
    try await provider.destroy(material)
    // Some tokens forget the handle before the object; look again before the row, the last trace, goes.
    guard try await provider.presence(of: material) == false else {
      throw AuthenticatorError(.storageFailed, stage: "store.destroy", reason: "the object is still there")
    }
    try await change([tag]) { rows in
      try rows.removeKey(tag.rawValue)
      try rows.setIntent(tag.rawValue, to: nil)
    }
  }

  // MARK: Intents

  /// Writes down that an object of this name is about to be made.
  func announce(_ kind: Intent.Kind, of tag: KeyTag, at provider: any KeyProvider) async throws {
    let intent = Intent(
      kind: kind, residence: provider.residence, isHardware: provider.isHardware, wall: environment.now(),
      uptime: environment.uptime())
    try await backend.write(.durable) { [cipher] rows in
      try rows.setIntent(tag.rawValue, to: try cipher.seal(intent, tag.rawValue))
    }
  }

  /// Undoes an announced creation as far as that works now; recovery does the rest.
  func abandon(_ tag: KeyTag, at provider: any KeyProvider) async {
    do {
      try await provider.destroy(.external(name: tag))
      guard try await provider.presence(of: .external(name: tag)) == false else { return }
      try await backend.write(.durable) { rows in try rows.setIntent(tag.rawValue, to: nil) }
    } catch {
      // The intent stays in the store and is taken up again at the next opening.
      return
    }
  }

  /// Finishes what a crash interrupted: objects announced and never recorded, and keys condemned and not yet gone.
  /// Called when a store is opened; safe to repeat and to interrupt.
  package func recover() async throws {
    guard isWritable else { return }
    let intents = try await backend.read { try $0.intents() }
    for row in intents {
      do { try await recover(row) } catch {
        // A missing token or an altered intent must not keep the other keys from being used; it stays for next time.
        emit(
          .recordSetAside(reason: AuthenticatorError.wrapping(error, as: .storageFailed, stage: "store.recover").code))
      }
    }
  }

  private func recover(_ row: IntentRow) async throws {
    let tag = KeyTag(rawValue: row.tag)
    let intent = try cipher.open(intent: row)
    guard intent.isDue(at: environment) else { return }
    guard let provider = providers.first(where: { $0.residence == intent.residence && $0.storage == .external }) else {
      throw AuthenticatorError(.storageFailed, stage: "store.recover", reason: "no provider for \(intent.residence)")
    }
    try await provider.destroy(.external(name: tag))
    guard try await provider.presence(of: .external(name: tag)) == false else { return }
    try await change([tag]) { rows in
      if intent.kind == .destruction { try rows.removeKey(tag.rawValue) }
      try rows.setIntent(tag.rawValue, to: nil)
    }
  }
}

extension Intent {
  /// How long a creation may take before another process gives it up.
  static let patience: Duration = .seconds(120)

  /// Whether nobody can be at work on it any more.
  func isDue(at environment: AuthenticatorEnvironment) -> Bool {
    if kind == .destruction { return true }
    let now = environment.uptime()
    return now < uptime || now - uptime >= Self.patience
  }
}

extension RowTransaction {
  /// Takes a key out of use: its row goes at once when it holds the key, and otherwise once the object is gone.
  func condemn(
    _ row: KeyRow, _ key: StoredKey, with cipher: StoreCipher, at environment: AuthenticatorEnvironment
  ) throws -> Doomed {
    let tag = key.record.tag
    guard key.storage == .external else {
      try removeKey(tag.rawValue)
      return Doomed(tag: tag, residence: nil)
    }
    var record = key.record
    record.state = .revoking
    record.version &+= 1
    try update(try cipher.reseal(record, over: row))
    let intent = Intent(
      kind: .destruction, residence: record.protection.residence, isHardware: record.protection.isHardware,
      wall: environment.now(), uptime: environment.uptime())
    try setIntent(tag.rawValue, to: try cipher.seal(intent, tag.rawValue))
    return Doomed(tag: tag, residence: record.protection.residence)
  }
}

extension StoreCipher {
  func seal(_ intent: Intent, _ tag: String) throws -> [UInt8] {
    var fields = FieldWriter(capacity: 64)
    fields.write(byte: intent.kind.rawValue)
    fields.write(intent.residence.rawValue)
    fields.write(intent.isHardware)
    fields.write(intent.wall.milliseconds)
    fields.write(intent.uptime.milliseconds)
    return try seal(fields.bytes, .intent, Array(tag.utf8))
  }

  func open(intent row: IntentRow) throws -> Intent {
    var fields = FieldReader(try open(row.content, .intent, Array(row.tag.utf8)))
    guard let kind = Intent.Kind(rawValue: try fields.readByte()) else { throw FieldReader.malformed }
    let intent = Intent(
      kind: kind, residence: .init(rawValue: try fields.readText()), isHardware: try fields.readFlag(),
      wall: UnixTime(milliseconds: try fields.readNumber()), uptime: .milliseconds(try fields.readNumber()))
    try fields.expectEnd()
    return intent
  }
}

extension Duration {
  /// Whole milliseconds, rounded down, held at the ends of the range.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? (seconds < 0 ? .min : .max) : scaled &+ attoseconds / 1_000_000_000_000_000
  }
}
