internal import AuthenticatorCore
internal import AuthenticatorCrypto
internal import AuthenticatorJOSE
internal import Synchronization

/// The keys of step tokens: the newest makes tokens, the others are accepted until every token made with them is over.
final class TokenKeyRing: Sendable {
  /// The keys as they are at one moment.
  struct Snapshot: Sendable {
    let keys: TokenKeys
    /// What the state is sealed with, by `kid`; derived from the same secrets.
    let stateKeys: [String: SecretBytes]
    let newest: UnixTime
  }

  private struct State {
    var snapshot: Snapshot
    var lastReload: UnixTime
  }

  private let registry: any JourneyRegistry
  private let environment: AuthenticatorEnvironment
  private let interval: Duration
  private let overlap: Duration
  private let state: Mutex<State>

  /// - Parameters:
  ///   - interval: a key older than this is followed by a new one.
  ///   - overlap: how long a key is still accepted after it was followed: the longest life of a token.
  init(
    registry: any JourneyRegistry, environment: AuthenticatorEnvironment, interval: Duration, overlap: Duration
  ) async throws {
    self.registry = registry
    self.environment = environment
    self.interval = interval
    self.overlap = overlap
    let now = environment.now()
    var records = try await registry.tokenKeys()
    if records.isEmpty {
      try await registry.addTokenKey(try Self.newKey(environment), forgettingBefore: UnixTime(milliseconds: 0))
      // Another server may have added one at the same moment; whichever is the newest is used by both.
      records = try await registry.tokenKeys()
    }
    state = Mutex(State(snapshot: try Self.snapshot(of: records), lastReload: now))
  }

  private static func newKey(_ environment: AuthenticatorEnvironment) throws -> TokenKeyRecord {
    TokenKeyRecord(
      id: UUIDText.make(from: try environment.random(16)), secret: SecretBytes(try environment.random(32)),
      createdAt: environment.now())
  }

  private static func snapshot(of records: [TokenKeyRecord]) throws -> Snapshot {
    guard let newest = records.first else { throw RegistryError(.damaged, "there is no token key") }
    var secrets: [String: SecretBytes] = [:]
    var stateKeys: [String: SecretBytes] = [:]
    for record in records {
      secrets[record.id] = record.secret
      stateKeys[record.id] = try HKDFSHA256.derive(
        from: record.secret, salt: [], info: Array("journey state".utf8), outputCount: AESGCM.keyCount)
    }
    return Snapshot(
      keys: try TokenKeys(current: newest.id, keys: secrets), stateKeys: stateKeys, newest: newest.createdAt)
  }

  /// The keys, with a new one when the newest is due.
  func current() async throws -> Snapshot {
    let snapshot = state.withLock { $0.snapshot }
    let now = environment.now()
    guard now >= snapshot.newest.advanced(by: interval) else { return snapshot }
    // Reload first: another server may have been here already.
    let reloaded = try await reload(at: now)
    guard now >= reloaded.newest.advanced(by: interval) else { return reloaded }
    let oldest = reloaded.newest.advanced(by: .zero - interval - overlap)
    try await registry.addTokenKey(try Self.newKey(environment), forgettingBefore: oldest)
    return try await reload(at: now)
  }

  /// The keys as the registry has them, read anew at most once a second.
  func reloaded() async throws -> Snapshot {
    let (snapshot, lastReload) = state.withLock { ($0.snapshot, $0.lastReload) }
    let now = environment.now()
    guard now >= lastReload.advanced(by: .seconds(1)) || now < lastReload else { return snapshot }
    return try await reload(at: now)
  }

  private func reload(at now: UnixTime) async throws -> Snapshot {
    let snapshot = try Self.snapshot(of: try await registry.tokenKeys())
    state.withLock { $0 = State(snapshot: snapshot, lastReload: now) }
    return snapshot
  }
}
