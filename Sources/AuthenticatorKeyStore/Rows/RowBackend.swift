import AuthenticatorCrypto

/// Where rows live. The life-cycle engine is written once over this seam, and every backend runs the same behavior
/// suite.
///
/// Owed: transactions are serializable, also against other processes; a transaction whose body throws changes nothing;
/// a `durable` write has reached the medium when it returns. Errors are `AuthenticatorError` with `busy`,
/// `storageFailed` or `storeDamaged`; what a body throws passes through.
package protocol RowBackend: Sendable {
  var head: StoreHead { get }
  var isWritable: Bool { get }

  /// Refuses when it is certain that a write would fail. Never waits.
  /// - Throws: what the write would.
  func checkWritable() throws

  func read<Result: Sendable>(
    _ body: @Sendable (any RowTransaction) throws -> Result
  ) async throws -> Result

  func write<Result: Sendable>(
    _ durability: WriteDurability, _ body: @Sendable (any RowTransaction) throws -> Result
  ) async throws -> Result

  /// A number that differs from an earlier one when anybody else has written in between; own writes leave it alone.
  /// Never waits: nil when it would have to.
  func foreignVersion() throws -> Int64?

  /// Removes what deleted and replaced rows left behind in the medium.
  func scrub() async throws
}

/// How much a write is worth.
package enum WriteDurability: Sendable {
  /// Survives a power cut; waits for its turn, within bounds.
  case durable
  /// May be forgotten by a power cut; does not wait for another process.
  case lazy
}

/// What makes a store itself and no other.
package struct StoreHead: Sendable {
  /// 16 random bytes.
  package var id: [UInt8]
  /// 32 random bytes, from which the store's keys are derived.
  package var secret: SecretBytes

  package init(id: [UInt8], secret: SecretBytes) {
    self.id = id
    self.secret = secret
  }
}

/// Row access inside a transaction.
package protocol RowTransaction {
  /// `RowBackend.foreignVersion()` of the state this transaction sees.
  func foreignVersion() throws -> Int64

  func key(_ tag: String) throws -> KeyRow?
  /// In order of creation.
  func keys(_ filter: KeyFilter) throws -> [KeyRow]
  func insert(_ row: KeyRow) throws
  /// Replaces state, version, status and the name's look-up value of the row with this tag; the other look-up values
  /// are those of the row as it was inserted.
  func update(_ row: KeyRow) throws
  /// Removes the row and every ledger value it owns.
  func removeKey(_ tag: String) throws

  func domain(_ name: [UInt8]) throws -> DomainRow?
  func setDomain(_ name: [UInt8], to row: DomainRow?) throws

  func value(_ kind: LedgerKind, _ name: [UInt8]) throws -> [UInt8]?
  /// The owner of a value is the same every time.
  func setValue(_ kind: LedgerKind, _ name: [UInt8], owner: String?, to value: [UInt8]?) throws

  func intents() throws -> [IntentRow]
  func setIntent(_ tag: String, to content: [UInt8]?) throws
}
