/// The wrapped key of one PIN domain.
package struct DomainRow: Hashable, Sendable {
  /// 16 random bytes; tells a domain from an earlier one of the same name.
  package var id: [UInt8]
  /// The derivation; `scrypt` is the only one so far.
  package var algorithm: String
  package var logN: Int64
  package var r: Int64
  package var p: Int64
  package var salt: [UInt8]
  /// The domain key under the derived key. Its tag is the only thing in the store that tells a right PIN.
  package var wrap: [UInt8]
  /// Authenticates all of the above under the store key, so that an altered row is no "wrong PIN".
  package var code: [UInt8]

  package init(
    id: [UInt8], algorithm: String, logN: Int64, r: Int64, p: Int64, salt: [UInt8], wrap: [UInt8], code: [UInt8]
  ) {
    self.id = id
    self.algorithm = algorithm
    self.logN = logN
    self.r = r
    self.p = p
    self.salt = salt
    self.wrap = wrap
    self.code = code
  }
}

/// What a ledger value is; the codes are part of the schema.
package enum LedgerKind: Int64, Sendable {
  case counter = 1
  case attempts = 2
  case item = 3
}

/// An announced change to an object outside the store.
package struct IntentRow: Hashable, Sendable {
  package var tag: String
  /// What is to be done, encrypted.
  package var content: [UInt8]

  package init(tag: String, content: [UInt8]) {
    self.tag = tag
    self.content = content
  }
}
