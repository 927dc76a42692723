import AuthenticatorCrypto

/// Keeps keys and their records, together. Silent throughout: a store never shows a prompt.
///
/// Three answers: present, absent (`nil`, `[]`, `keyNotFound`), cannot tell (`storageFailed`, `storeDamaged`,
/// `busy`). "Cannot tell" never leads to a deletion or to a write.
///
/// Life cycle: `stage` → `commit` (the slot's holder retires in the same transaction) → `delete`; `discard` undoes a
/// stage, `restore` undoes a commit, `exchange` undoes it for the time being. Each call is atomic and durable when it
/// returns, and safe against other processes on the same store.
public protocol KeyStore: Ledger, SecretDomains {
  /// Nil: no such key.
  /// - Throws: `integrityFailed` when the record was altered.
  func record(_ tag: KeyTag) async throws -> KeyRecord?

  /// Records in order of creation. Damaged rows are left out, reported as `recordSetAside` and listed by
  /// `damagedTags()`; nothing is erased.
  func records(matching query: KeyQuery) async throws -> [KeyRecord]

  /// The tags of rows that cannot be read.
  func damagedTags() async throws -> [KeyTag]

  /// Whether the key material is really there: asks the provider, not only the row.
  func presence(of tag: KeyTag) async throws -> Bool

  /// Whether some provider can make a key for this request under this access rule, and how it would be protected.
  /// Nil: none can. Silent, makes nothing.
  func prospectiveProtection(for request: KeyRequest, access: KeyAccess) async -> KeyProtection?

  /// Makes a key: durable on return, not offered, may sign.
  /// - Parameter ticket: needed when the gate is `.secret`, to wrap the key; not spent.
  /// - Throws: `hardwareRequired`, `unsupportedAlgorithm`, `keyGenerationFailed`, `invalidRequest`.
  func stage(
    _ request: KeyRequest, as authenticator: AuthenticatorType, access: KeyAccess,
    enrollmentState: EnrollmentState?, ticket: VerificationTicket?
  ) async throws -> KeyRecord

  /// Staged → active; the slot's former holder becomes retired, in one transaction. Committing an active key again
  /// with the same external ID changes nothing.
  /// - Throws: `keyNotFound`, `invalidKeyState`.
  @discardableResult
  func commit(_ tag: KeyTag, externalID: [UInt8]?, details: [UInt8]) async throws -> KeyRecord

  /// Destroys a staged key; one that is gone already is no error.
  /// - Throws: `invalidKeyState` for a key that is not staged.
  func discard(_ tag: KeyTag) async throws

  /// Retired → active; the slot's present holder is destroyed in the same transaction.
  func restore(_ tag: KeyTag) async throws

  /// Retired → active; the slot's present holder retires in the same transaction, so that either can still be the one
  /// that is kept.
  /// - Throws: `keyNotFound`, `invalidKeyState`; a key that is active already is no error.
  func exchange(_ tag: KeyTag) async throws

  /// Active or retired → revoking: not offered; the row stays as a tombstone until `delete`.
  func beginRevoking(_ tag: KeyTag) async throws

  /// Marks a key that must never sign again, in whatever state it is; one that is gone already is no error.
  func invalidate(_ tag: KeyTag) async throws

  /// Destroys the key, then its row, items and counters; one that is gone already is no error.
  func delete(_ tag: KeyTag) async throws

  /// Replaces the display data when the record is still at `version`.
  /// - Throws: `busy` when someone else changed it first.
  @discardableResult
  func update(_ tag: KeyTag, details: [UInt8], expecting version: Int) async throws -> KeyRecord

  /// Signs a whole message; the provider hashes. Checks the gate against the ticket and spends it.
  /// - Throws: `keyNotFound`, `verificationInsufficient`, `verificationSpent`, `integrityFailed`, `invalidKeyState`
  ///   (retired and revoking keys do not sign), `keyInvalidated`.
  func sign(_ message: [UInt8], with tag: KeyTag, ticket: VerificationTicket?) async throws -> Signature

  /// An extra secret of the key, 32 bytes; does not spend the ticket.
  func secret(_ name: SecretName, of tag: KeyTag, ticket: VerificationTicket?) async throws -> SecretBytes

  /// The provider's own statement about the key; nil: it makes none.
  func certify(_ tag: KeyTag, qualifyingData: [UInt8]) async throws -> KeyCertification?

  /// Refuses when it is certain that nothing can be written: asked before a person is, where a key must write to sign.
  /// Never waits and writes nothing, so a later write may fail all the same.
  /// - Throws: what a write would.
  func checkWritable() throws
}

extension KeyStore {
  /// Nothing is known against it.
  public func checkWritable() throws {}
}

/// A provider's signed statement that a key is held by it (TPM 2.0 `TPM2_Certify`).
public struct KeyCertification: Hashable, Sendable {
  /// What was signed, as the provider encodes it (`TPMS_ATTEST`).
  public var statement: [UInt8]
  /// The signature over the statement, in the form protocols use: DER for ECDSA.
  public var signature: [UInt8]
  /// What signed the statement.
  public var algorithm: SignatureAlgorithm
  /// The certified key's public half, as the provider encodes it (`TPMT_PUBLIC`); empty when the statement holds it.
  public var publicArea: [UInt8]
  /// DER certificates, leaf first.
  public var chain: [[UInt8]]

  /// Makes a certification.
  public init(
    statement: [UInt8], signature: [UInt8], algorithm: SignatureAlgorithm = .es256, publicArea: [UInt8] = [],
    chain: [[UInt8]]
  ) {
    self.statement = statement
    self.signature = signature
    self.algorithm = algorithm
    self.publicArea = publicArea
    self.chain = chain
  }
}
