import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import Synchronization

/// A store to be checked, with a clock in the check's hand and builders that start valid.
public struct KeyStoreBench: Sendable {
  public typealias Factory =
    @Sendable (AuthenticatorEnvironment, [any KeyProvider]) async throws -> any KeyStore

  public let clock = BenchClock()
  public let events = EventLog()
  public let environment: AuthenticatorEnvironment
  /// Makes or reopens the store, with other providers if need be. Every call but the first one may return the same
  /// content (a file) or an empty store (memory).
  let factory: Factory
  /// Whether `factory` finds the same content again.
  let isPersistent: Bool

  public init(isPersistent: Bool, factory: @escaping Factory) {
    self.factory = factory
    self.isPersistent = isPersistent
    environment = AuthenticatorEnvironment(
      appIdentifier: "org.example.bench", deviceName: "Bench", now: { [clock] in clock.now },
      uptime: { [clock] in clock.uptime }, emit: { [events] in events.append($0) })
  }

  func store(_ providers: [any KeyProvider] = [SoftwareKeyProvider()]) async throws -> any KeyStore {
    try await factory(environment, providers)
  }

  // MARK: Builders

  func owner(
    instance: String = "https://am.example", family: ProtocolFamily = .deviceBinding, party: String = "/",
    account: String? = "alice"
  ) -> KeyOwner {
    KeyOwner(instance: instance, family: family, party: party, account: account.map { Array($0.utf8) })
  }

  func request(
    _ owner: KeyOwner? = nil, algorithms: [SignatureAlgorithm] = [.es256], slot: String? = nil,
    externalID: String? = nil, counter: CounterMode = .zero, requiresHardware: Bool = false,
    secrets: [SecretName: SecretProtection] = [:]
  ) -> KeyRequest {
    KeyRequest(
      owner: owner ?? self.owner(), algorithms: algorithms, slot: slot, externalID: externalID.map { Array($0.utf8) },
      counter: counter, requiresHardware: requiresHardware, secrets: secrets)
  }

  /// Stages a key that asks for nothing.
  func stage(
    _ store: any KeyStore, _ request: KeyRequest? = nil, access: KeyAccess = KeyAccess(gate: .open),
    as authenticator: AuthenticatorType = .none, ticket: VerificationTicket? = nil
  ) async throws -> KeyRecord {
    try await store.stage(
      request ?? self.request(), as: authenticator, access: access, enrollmentState: nil, ticket: ticket)
  }

  func active(
    _ store: any KeyStore, _ request: KeyRequest? = nil, access: KeyAccess = KeyAccess(gate: .open)
  ) async throws -> KeyRecord {
    try await store.commit(try await stage(store, request, access: access).tag, externalID: nil, details: [])
  }

  func ticket(
    _ methods: Set<VerificationMethod> = [.fingerprint], level: VerificationLevel = .verified,
    authorization: KeyAuthorization = .none, keys: Set<KeyTag>? = nil, lasting lifetime: Duration = .seconds(60)
  ) throws -> VerificationTicket {
    VerificationTicket(
      verification: UserVerification(level: level, methods: methods, time: clock.now), authorization: authorization,
      operation: try OperationID(in: environment), keys: keys, expires: clock.uptime + lifetime)
  }

  static func pin(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

  static func verify(_ signature: Signature, of message: [UInt8], by record: KeyRecord) throws {
    try demand(
      try Verifier(record.publicKey, algorithm: record.algorithm).isValidSignature(signature, for: message),
      "the signature does not verify")
  }
}

/// A clock that moves when it is told to.
public final class BenchClock: Sendable {
  private let state = Mutex((now: Int64(1_900_000_000_000), uptime: Duration.seconds(5000)))

  public init() {}

  public var now: UnixTime { UnixTime(milliseconds: state.withLock { $0.now }) }
  public var uptime: Duration { state.withLock { $0.uptime } }

  /// Time goes by.
  public func pass(_ duration: Duration) {
    state.withLock {
      $0.now += Int64(duration / .milliseconds(1))
      $0.uptime += duration
    }
  }

  /// Somebody sets the wall clock.
  public func setBack(_ duration: Duration) { state.withLock { $0.now -= Int64(duration / .milliseconds(1)) } }

  /// The machine is switched off for a while; afterwards it has been up for `uptime`.
  public func restart(off duration: Duration, uptime: Duration) {
    state.withLock {
      $0.now += Int64((duration + uptime) / .milliseconds(1))
      $0.uptime = uptime
    }
  }
}

/// What was emitted.
public final class EventLog: Sendable {
  private let list = Mutex<[AuthenticatorEvent]>([])
  public init() {}
  func append(_ event: AuthenticatorEvent) { list.withLock { $0.append(event) } }
  public var all: [AuthenticatorEvent] { list.withLock { $0 } }
  public func contains(_ event: AuthenticatorEvent) -> Bool { all.contains(event) }
}
