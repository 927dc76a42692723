import AuthenticatorCrypto

/// A key opened for one use. Holds no key bytes; the ticket is spent when it signs.
public struct SigningKey: Sendable {
  /// The key's record as it was when it was opened.
  public let record: KeyRecord
  /// What was verified to open it; nil for a key that asks for nothing.
  public var verification: UserVerification? { ticket?.verification }
  private let ticket: VerificationTicket?
  private let store: any KeyStore

  /// Made by an authenticator's `authenticate`; `store` is the one that holds the key.
  public init(record: KeyRecord, ticket: VerificationTicket?, store: any KeyStore) {
    self.record = record
    self.ticket = ticket
    self.store = store
  }

  /// The next signature counter: 0 for a `.zero` key; otherwise durable, or inside a durable reservation, on return.
  public func nextCounter() async throws -> UInt32 {
    record.counter == .zero ? 0 : try await store.advance(.key(record.tag))
  }

  /// An extra secret of the key; does not spend the ticket.
  public func secret(_ name: SecretName) async throws -> SecretBytes {
    try await store.secret(name, of: record.tag, ticket: ticket)
  }

  /// Signs a whole message, once.
  /// - Throws: `verificationSpent` the second time for a gated key.
  public func sign(_ message: [UInt8]) async throws -> Signature {
    try await store.sign(message, with: record.tag, ticket: ticket)
  }

  /// The provider's statement about the key; nil: it makes none.
  public func certify(qualifyingData: [UInt8]) async throws -> KeyCertification? {
    try await store.certify(record.tag, qualifyingData: qualifyingData)
  }
}
