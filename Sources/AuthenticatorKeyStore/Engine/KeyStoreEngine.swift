import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import Synchronization

/// The life cycle of keys over some backend of rows: the one implementation behind every key store of the package.
///
/// It seals and checks records, enforces gates, spends tickets, pays attempts and reserves counters. Nothing here is
/// an actor: signatures of different tasks run side by side, and what must be exclusive happens in the backend's
/// transactions.
public final class KeyStoreEngine: Sendable {
  let backend: any RowBackend
  let cipher: StoreCipher
  let environment: AuthenticatorEnvironment
  let providers: [any KeyProvider]
  let attemptPolicy: AttemptPolicy
  let scrypt: ScryptParameters
  let scryptBounds: ScryptBounds
  let counterBlock: UInt32
  let derivation = KeyDerivation()
  let warm = Mutex(WarmState())

  /// - Parameter providers: in order of preference among equals; hardware goes first whatever the order.
  package init(
    backend: any RowBackend, cipher: StoreCipher, environment: AuthenticatorEnvironment,
    providers: [any KeyProvider], scrypt: ScryptParameters, scryptBounds: ScryptBounds = .standard,
    attemptPolicy: AttemptPolicy = .standard, counterBlock: UInt32 = StoreLimits.counterBlock
  ) throws {
    do { try scryptBounds.check(scrypt) } catch {
      throw AuthenticatorError(
        .invalidRequest, stage: "store.open", reason: "the scrypt parameters are out of bounds", underlying: error)
    }
    self.backend = backend
    self.cipher = cipher
    self.environment = environment
    self.providers = providers.filter(\.isHardware) + providers.filter { !$0.isHardware }
    self.attemptPolicy = attemptPolicy
    self.scrypt = scrypt
    self.scryptBounds = scryptBounds
    self.counterBlock = max(1, counterBlock)
  }

  /// Whether the store can be written.
  public var isWritable: Bool { backend.isWritable }

  // MARK: Common steps

  /// What this process remembers, when nobody else has written since.
  func ifCurrent<Value: Sendable>(_ body: (inout WarmState) -> Value?) async throws -> Value? {
    var version = try backend.foreignVersion()
    if version == nil {
      // Another task is at the backend; waiting in line is still cheaper than reading and decrypting anew.
      version = try await backend.read { try $0.foreignVersion() }
    }
    guard let version else { return nil }
    return warm.withLock { state in
      state.synchronize(version)
      return body(&state)
    }
  }

  /// Begins a read whose result is to be remembered.
  func beginReading() throws -> WarmState.Token {
    let version = try backend.foreignVersion()
    return warm.withLock { state in
      if let version { state.synchronize(version) }
      return state.token
    }
  }

  /// Writes durably, and forgets what was known of the keys concerned whatever the outcome.
  func change<Result: Sendable>(
    _ tags: [KeyTag], _ body: @Sendable (any RowTransaction) throws -> Result
  ) async throws -> Result {
    defer { warm.withLock { state in for tag in tags { state.forget(tag) } } }
    return try await backend.write(.durable, body)
  }

  /// The provider that holds a record's key.
  func provider(of record: KeyRecord) throws -> any KeyProvider {
    guard
      let provider = providers.first(where: {
        $0.residence == record.protection.residence && $0.isHardware == record.protection.isHardware
      })
    else {
      throw AuthenticatorError(
        .storageFailed, stage: "store.provider", reason: "no key provider for \(record.protection.residence)")
    }
    return provider
  }

  func emit(_ event: AuthenticatorEvent) { environment.emit(event) }

  static func notFound(_ stage: String) -> AuthenticatorError { AuthenticatorError(.keyNotFound, stage: stage) }

  static func check(_ size: Int, _ limit: Int, _ name: StaticString) throws {
    guard size <= limit else {
      throw AuthenticatorError(.invalidRequest, stage: "store", reason: "\(name) is longer than \(limit) bytes")
    }
  }
}

extension RowTransaction {
  /// The row of a key, opened; nil: there is none.
  func open(_ tag: KeyTag, with cipher: StoreCipher) throws -> (row: KeyRow, key: StoredKey)? {
    guard let row = try key(tag.rawValue) else { return nil }
    return (row, try cipher.open(row))
  }

  /// The rows that a query means, opened; those that cannot be are left out and counted.
  func open(
    _ query: KeyQuery, with cipher: StoreCipher
  ) throws -> (found: [(row: KeyRow, key: StoredKey)], damaged: Int) {
    var filter = cipher.filter(for: query)
    guard let limit = query.limit else { return try open(try keys(filter), query, with: cipher) }
    var page = KeyFilter.Page(count: max(limit, 1))
    var found: [(row: KeyRow, key: StoredKey)] = []
    var damaged = 0
    // What is damaged or not meant takes no place among the records asked for: reading goes on until they are all
    // there.
    while found.count < limit {
      filter.page = page
      let rows = try keys(filter)
      // A damaged file is read as a whole, whatever page is asked for.
      guard let first = rows.first, let last = rows.last, last.order < page.before ?? .max else { break }
      let opened = try open(rows, query, with: cipher)
      found = opened.found + found
      damaged += opened.damaged
      guard rows.count == page.count else { break }
      page.before = first.order
    }
    return (found.suffix(max(limit, 0)), damaged)
  }

  private func open(
    _ rows: [KeyRow], _ query: KeyQuery, with cipher: StoreCipher
  ) throws -> (found: [(row: KeyRow, key: StoredKey)], damaged: Int) {
    var found: [(row: KeyRow, key: StoredKey)] = []
    var damaged = 0
    if rows.isEmpty { return ([], 0) }
    let opener = try RowOpener(cipher)
    for row in rows {
      do {
        let key = try opener.open(row)
        if query.admits(key.record) { found.append((row, key)) }
      } catch let error as AuthenticatorError where error.code == .integrityFailed {
        damaged += 1
      }
    }
    return (found, damaged)
  }
}

extension KeyQuery {
  /// Whether a record is meant by this query.
  func admits(_ record: KeyRecord) -> Bool {
    func matches<Value: Equatable>(_ wanted: Value?, _ value: Value?) -> Bool { wanted.map { $0 == value } ?? true }
    // Texts by their bytes: what is encoded differently is another name.
    func matches(_ wanted: String?, _ value: String?) -> Bool {
      wanted.map { wanted in value.map { wanted.isIdentical(to: $0) } ?? false } ?? true
    }
    return states.contains(record.state)
      && matches(instance, record.owner.instance) && matches(family, record.owner.family)
      && matches(party, record.owner.party) && matches(account, record.owner.account)
      && matches(authenticator, record.authenticator) && matches(slot, record.slot)
      && matches(externalID, record.externalID)
  }
}
