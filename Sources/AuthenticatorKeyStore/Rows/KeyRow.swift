/// One key as a backend keeps it: what it must find rows by, and sealed bytes.
package struct KeyRow: Hashable, Sendable {
  /// The order of creation; given by the backend at insertion.
  package var order: Int64
  package var tag: String
  package var index: KeyIndex
  /// `KeyRecord.State.code`.
  package var state: Int64
  package var version: Int64
  /// The immutable half, encrypted.
  package var record: [UInt8]
  /// The mutable half, encrypted.
  package var status: [UInt8]
  /// The key material and its like-protected secrets, encrypted and bound to the immutable half.
  package var material: [UInt8]
  /// The secrets that need no more than the store; nil: there are none.
  package var secrets: [UInt8]?

  package init(
    order: Int64 = 0, tag: String, index: KeyIndex, state: Int64, version: Int64, record: [UInt8], status: [UInt8],
    material: [UInt8], secrets: [UInt8]?
  ) {
    self.order = order
    self.tag = tag
    self.index = index
    self.state = state
    self.version = version
    self.record = record
    self.status = status
    self.material = material
    self.secrets = secrets
  }
}

/// The blind look-up values of a key: keyed hashes of identities, so that a file shows which rows belong together and
/// not to whom. Short, because whatever they find is compared in full afterwards.
package struct KeyIndex: Hashable, Sendable {
  package var instance: Int64
  /// Of instance and party.
  package var party: Int64
  /// Of instance and account; an absent account has a value of its own.
  package var account: Int64
  /// Of instance and slot.
  package var slot: Int64?
  /// Of instance and external ID.
  package var name: Int64?

  package init(instance: Int64, party: Int64, account: Int64, slot: Int64?, name: Int64?) {
    self.instance = instance
    self.party = party
    self.account = account
    self.slot = slot
    self.name = name
  }
}

/// Which rows to read: those with one look-up value, in some states.
package struct KeyFilter: Hashable, Sendable {
  package enum Column: Hashable, Sendable {
    case all
    case instance(Int64)
    case party(Int64)
    case account(Int64)
    case slot(Int64)
    case name(Int64)
  }

  package var column: Column
  /// Bit n admits the state with code n; -1 admits any, also a code that there is not.
  package var states: Int64
  /// Where to read on from, and how far; nil: everything.
  package var page: Page?

  /// The rows that were made last, of those before some place.
  package struct Page: Hashable, Sendable {
    /// The order of a row that was read; nil: begin with the last row.
    package var before: Int64?
    package var count: Int

    package init(before: Int64? = nil, count: Int) {
      self.before = before
      self.count = count
    }
  }

  package init(column: Column, states: Int64, page: Page? = nil) {
    self.column = column
    self.states = states
    self.page = page
  }

  /// Every row.
  package static let everything = KeyFilter(column: .all, states: -1)

  /// Whether the filter admits a row.
  package func admits(_ row: KeyRow) -> Bool {
    guard states == -1 || (0..<62).contains(row.state) && states >> row.state & 1 == 1 else { return false }
    return switch column {
    case .all: true
    case .instance(let value): row.index.instance == value
    case .party(let value): row.index.party == value
    case .account(let value): row.index.account == value
    case .slot(let value): row.index.slot == value
    case .name(let value): row.index.name == value
    }
  }
}
