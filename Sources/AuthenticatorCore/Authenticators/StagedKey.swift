/// A key that was made and awaits its server's verdict. Settled in the store that staged it.
public struct StagedKey: Sendable {
  /// The new key's record, in state `staged`.
  public let record: KeyRecord
  /// Pass it to `authenticate`, so that the person is asked once; nil when registering asked nothing.
  public let ticket: VerificationTicket?
  private let store: any KeyStore
  private let undoneDomain: SecretDomain?

  /// Made by an authenticator's `register`; `store` is the one that staged the key.
  /// - Parameter undoneDomain: the PIN domain that came into being for this key; forgotten with it on `discard`.
  public init(
    record: KeyRecord, ticket: VerificationTicket?, store: any KeyStore, undoneDomain: SecretDomain? = nil
  ) {
    self.record = record
    self.ticket = ticket
    self.store = store
    self.undoneDomain = undoneDomain
  }

  /// The server accepted: the key becomes active and the slot's former holder retires.
  @discardableResult
  public func commit(externalID: [UInt8]? = nil, details: [UInt8] = []) async throws -> KeyRecord {
    try await store.commit(record.tag, externalID: externalID, details: details)
  }

  /// The server refused, or anything failed: the key is destroyed, and with it the PIN that was set for it alone.
  public func discard() async throws {
    try await store.discard(record.tag)
    guard let undoneDomain else { return }
    // Another key may have joined the domain meanwhile, and a row that cannot be read may name it.
    let query = KeyQuery(instance: record.owner.instance, states: Set(KeyRecord.State.allCases))
    let others = try await store.records(matching: query)
    guard !others.contains(where: { $0.access.gate == .secret(undoneDomain) }),
      try await store.damagedTags().isEmpty
    else { return }
    try await store.remove(undoneDomain)
  }
}
