/// A key that was made and awaits its server's verdict. Settled in the store that staged it.
public struct StagedKey: Sendable {
  public let record: KeyRecord
  /// Pass it to `authenticate`, so that the person is asked once; nil when registering asked nothing.
  public let ticket: VerificationTicket?
  private let store: any KeyStore

  public init(record: KeyRecord, ticket: VerificationTicket?, store: any KeyStore) {
    self.record = record
    self.ticket = ticket
    self.store = store
  }

  /// The server accepted: the key becomes active and the slot's former holder retires.
  @discardableResult
  public func commit(externalID: [UInt8]? = nil, details: [UInt8] = []) async throws -> KeyRecord {
    try await store.commit(record.tag, externalID: externalID, details: details)
  }

  /// The server refused, or anything failed: the key is destroyed.
  public func discard() async throws {
    try await store.discard(record.tag)
  }
}
