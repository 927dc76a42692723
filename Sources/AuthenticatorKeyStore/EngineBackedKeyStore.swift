import AuthenticatorCore
import AuthenticatorCrypto

/// A key store on the life-cycle engine of this module: give an engine, the rest follows.
public protocol EngineBackedKeyStore: KeyStore {
  /// What does the work.
  var engine: KeyStoreEngine { get }
}

extension EngineBackedKeyStore {
  public func record(_ tag: KeyTag) async throws -> KeyRecord? { try await engine.record(tag) }

  public func records(matching query: KeyQuery) async throws -> [KeyRecord] {
    try await engine.records(matching: query)
  }

  public func damagedTags() async throws -> [KeyTag] { try await engine.damagedTags() }

  public func presence(of tag: KeyTag) async throws -> Bool { try await engine.presence(of: tag) }

  public func prospectiveProtection(for request: KeyRequest, access: KeyAccess) async -> KeyProtection? {
    engine.prospectiveProtection(for: request, access: access)
  }

  public func stage(
    _ request: KeyRequest, as authenticator: AuthenticatorType, access: KeyAccess,
    enrollmentState: EnrollmentState?, ticket: VerificationTicket?
  ) async throws -> KeyRecord {
    try await engine.stage(
      request, as: authenticator, access: access, enrollmentState: enrollmentState, ticket: ticket)
  }

  @discardableResult
  public func commit(_ tag: KeyTag, externalID: [UInt8]?, details: [UInt8]) async throws -> KeyRecord {
    try await engine.commit(tag, externalID: externalID, details: details)
  }

  public func discard(_ tag: KeyTag) async throws { try await engine.discard(tag) }

  public func restore(_ tag: KeyTag) async throws { try await engine.restore(tag) }

  public func exchange(_ tag: KeyTag) async throws { try await engine.exchange(tag) }

  public func beginRevoking(_ tag: KeyTag) async throws { try await engine.beginRevoking(tag) }

  public func invalidate(_ tag: KeyTag) async throws { try await engine.invalidate(tag) }

  public func delete(_ tag: KeyTag) async throws { try await engine.delete(tag) }

  @discardableResult
  public func update(_ tag: KeyTag, details: [UInt8], expecting version: Int) async throws -> KeyRecord {
    try await engine.update(tag, details: details, expecting: version)
  }

  public func sign(_ message: [UInt8], with tag: KeyTag, ticket: VerificationTicket?) async throws -> Signature {
    try await engine.sign(message, with: tag, ticket: ticket)
  }

  public func secret(_ name: SecretName, of tag: KeyTag, ticket: VerificationTicket?) async throws -> SecretBytes {
    try await engine.secret(name, of: tag, ticket: ticket)
  }

  public func certify(_ tag: KeyTag, qualifyingData: [UInt8]) async throws -> KeyCertification? {
    try await engine.certify(tag, qualifyingData: qualifyingData)
  }

  public func checkWritable() throws { try engine.backend.checkWritable() }
}

// MARK: - Ledger

extension EngineBackedKeyStore {
  public func advance(_ counter: CounterID) async throws -> UInt32 { try await engine.advance(counter) }

  public func takeAttempt(_ subject: AttemptSubject, limit: Int) async throws -> Int {
    try await engine.takeAttempt(subject, limit: limit)
  }

  public func resetAttempts(_ subject: AttemptSubject) async throws { try await engine.resetAttempts(subject) }

  public func item(_ name: ItemName) async throws -> [UInt8]? { try await engine.item(name) }

  public func setItem(_ name: ItemName, to value: [UInt8]?) async throws {
    try await engine.setItem(name, to: value)
  }

  public func exchangeItem(
    _ name: ItemName, expecting expected: [UInt8]?, with value: [UInt8]?
  ) async throws -> [UInt8]? {
    try await engine.exchangeItem(name, expecting: expected, with: value)
  }
}

// MARK: - Secret domains

extension EngineBackedKeyStore {
  public func isSet(_ domain: SecretDomain) async throws -> Bool { try await engine.isSet(domain) }

  public func create(_ domain: SecretDomain, secret: SecretBytes) async throws -> KeyAuthorization {
    try await engine.create(domain, secret: secret)
  }

  public func unlock(_ domain: SecretDomain, with secret: SecretBytes) async throws -> KeyAuthorization {
    try await engine.unlock(domain, with: secret)
  }

  public func change(_ domain: SecretDomain, from old: SecretBytes, to new: SecretBytes) async throws {
    try await engine.change(domain, from: old, to: new)
  }

  public func attempts(of domain: SecretDomain) async throws -> AttemptState {
    try await engine.attempts(of: domain)
  }

  public func remove(_ domain: SecretDomain) async throws { try await engine.remove(domain) }
}
