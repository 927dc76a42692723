import AuthenticatorCore
import AuthenticatorCrypto
import Synchronization

/// A store that fails where a test says, in front of a real one: before the call reaches it, or after it took effect.
///
/// Every call is noted in `calls`, so that a test can run an operation once and then again with each of its calls
/// failing in turn.
public final class FaultInjectingKeyStore: KeyStore {
  /// One call of the key store's protocols, by the name of its method.
  public enum Call: String, Hashable, Sendable, CaseIterable {
    /// `record(_:)`
    case record
    /// `records(matching:)`
    case records
    /// `damagedTags()`
    case damagedTags
    /// `presence(of:)`
    case presence
    /// `stage(…)`
    case stage
    /// `commit(…)`
    case commit
    /// `discard(_:)`
    case discard
    /// `restore(_:)`
    case restore
    /// `exchange(_:)`
    case exchange
    /// `beginRevoking(_:)`
    case beginRevoking
    /// `invalidate(_:)`
    case invalidate
    /// `delete(_:)`
    case delete
    /// `update(…)`
    case update
    /// `sign(…)`
    case sign
    /// `secret(…)`
    case secret
    /// `certify(…)`
    case certify
    /// `advance(_:)`
    case advance
    /// `takeAttempt(…)`
    case takeAttempt
    /// `resetAttempts(_:)`
    case resetAttempts
    /// `item(_:)`
    case item
    /// `setItem(…)`
    case setItem
    /// `exchangeItem(…)`
    case exchangeItem
    /// `isSet(_:)`
    case isSet
    /// `create(…)`
    case create
    /// `unlock(…)`
    case unlock
    /// `change(…)`
    case change
    /// `attempts(of:)`
    case attempts
    /// `remove(_:)`
    case remove
  }

  /// When a call fails.
  public enum Moment: Hashable, Sendable, CaseIterable {
    /// Nothing has happened.
    case before
    /// It took effect; the answer is lost.
    case after
  }

  private struct Fault {
    var matches: @Sendable (Call, Int) -> Bool
    var moment: Moment
    var error: AuthenticatorError
  }
  private struct Plan {
    var calls: [Call] = []
    var isReadOnly = false
    var faults: [Fault] = []
    var interruption: (call: Call, body: @Sendable () async throws -> Void)?
  }

  private let base: any KeyStore
  private let plan = Mutex(Plan())

  /// Stands in front of `base`; nothing fails yet.
  public init(_ base: any KeyStore) { self.base = base }

  /// The calls so far.
  public var calls: [Call] { plan.withLock { $0.calls } }

  /// Lets every call of one method fail, until `repair()`.
  public func fail(
    _ call: Call, _ moment: Moment = .before, with error: AuthenticatorError = AuthenticatorError(.storageFailed)
  ) {
    plan.withLock { $0.faults.append(Fault(matches: { name, _ in name == call }, moment: moment, error: error)) }
  }

  /// Lets the call fail that has this place among all calls, counted from 0, since the last `repair()`.
  public func failCall(
    at place: Int, _ moment: Moment = .before, with error: AuthenticatorError = AuthenticatorError(.storageFailed)
  ) {
    plan.withLock { $0.faults.append(Fault(matches: { $1 == place }, moment: moment, error: error)) }
  }

  /// Lets something else happen right before the next call of one method, once: what another process might do there.
  public func interrupt(before call: Call, _ body: @escaping @Sendable () async throws -> Void) {
    plan.withLock { $0.interruption = (call, body) }
  }

  /// Lets the store say that it is read-only, until `repair()`; its calls go on working.
  public func saysItIsReadOnly() { plan.withLock { $0.isReadOnly = true } }

  public func checkWritable() throws {
    if plan.withLock({ $0.isReadOnly }) {
      throw AuthenticatorError(.storageFailed, stage: "store.write", reason: "the store is read-only")
    }
    try base.checkWritable()
  }

  /// Nothing fails from now on; counting starts anew.
  public func repair() { plan.withLock { $0 = Plan() } }

  private func run<Value>(_ call: Call, _ body: () async throws -> Value) async throws -> Value {
    let interruption = plan.withLock { plan -> (@Sendable () async throws -> Void)? in
      guard let planned = plan.interruption, planned.call == call else { return nil }
      plan.interruption = nil
      return planned.body
    }
    try await interruption?()
    let fault = plan.withLock { plan in
      plan.calls.append(call)
      let place = plan.calls.count - 1
      return plan.faults.first { $0.matches(call, place) }
    }
    if let fault, fault.moment == .before { throw fault.error }
    let value = try await body()
    if let fault { throw fault.error }
    return value
  }
}

extension FaultInjectingKeyStore {
  public func record(_ tag: KeyTag) async throws -> KeyRecord? { try await run(.record) { try await base.record(tag) } }

  public func records(matching query: KeyQuery) async throws -> [KeyRecord] {
    try await run(.records) { try await base.records(matching: query) }
  }

  public func damagedTags() async throws -> [KeyTag] {
    try await run(.damagedTags) { try await base.damagedTags() }
  }

  public func presence(of tag: KeyTag) async throws -> Bool {
    try await run(.presence) { try await base.presence(of: tag) }
  }

  public func prospectiveProtection(for request: KeyRequest, access: KeyAccess) async -> KeyProtection? {
    await base.prospectiveProtection(for: request, access: access)
  }

  public func stage(
    _ request: KeyRequest, as authenticator: AuthenticatorType, access: KeyAccess,
    enrollmentState: EnrollmentState?, ticket: VerificationTicket?
  ) async throws -> KeyRecord {
    try await run(.stage) {
      try await base.stage(
        request, as: authenticator, access: access, enrollmentState: enrollmentState, ticket: ticket)
    }
  }

  public func commit(_ tag: KeyTag, externalID: [UInt8]?, details: [UInt8]) async throws -> KeyRecord {
    try await run(.commit) { try await base.commit(tag, externalID: externalID, details: details) }
  }

  public func discard(_ tag: KeyTag) async throws { try await run(.discard) { try await base.discard(tag) } }

  public func restore(_ tag: KeyTag) async throws { try await run(.restore) { try await base.restore(tag) } }

  public func exchange(_ tag: KeyTag) async throws { try await run(.exchange) { try await base.exchange(tag) } }

  public func beginRevoking(_ tag: KeyTag) async throws {
    try await run(.beginRevoking) { try await base.beginRevoking(tag) }
  }

  public func invalidate(_ tag: KeyTag) async throws {
    try await run(.invalidate) { try await base.invalidate(tag) }
  }

  public func delete(_ tag: KeyTag) async throws { try await run(.delete) { try await base.delete(tag) } }

  public func update(_ tag: KeyTag, details: [UInt8], expecting version: Int) async throws -> KeyRecord {
    try await run(.update) { try await base.update(tag, details: details, expecting: version) }
  }

  public func sign(_ message: [UInt8], with tag: KeyTag, ticket: VerificationTicket?) async throws -> Signature {
    try await run(.sign) { try await base.sign(message, with: tag, ticket: ticket) }
  }

  public func secret(_ name: SecretName, of tag: KeyTag, ticket: VerificationTicket?) async throws -> SecretBytes {
    try await run(.secret) { try await base.secret(name, of: tag, ticket: ticket) }
  }

  public func certify(_ tag: KeyTag, qualifyingData: [UInt8]) async throws -> KeyCertification? {
    try await run(.certify) { try await base.certify(tag, qualifyingData: qualifyingData) }
  }
}

extension FaultInjectingKeyStore {
  public func advance(_ counter: CounterID) async throws -> UInt32 {
    try await run(.advance) { try await base.advance(counter) }
  }

  public func takeAttempt(_ subject: AttemptSubject, limit: Int) async throws -> Int {
    try await run(.takeAttempt) { try await base.takeAttempt(subject, limit: limit) }
  }

  public func resetAttempts(_ subject: AttemptSubject) async throws {
    try await run(.resetAttempts) { try await base.resetAttempts(subject) }
  }

  public func item(_ name: ItemName) async throws -> [UInt8]? { try await run(.item) { try await base.item(name) } }

  public func setItem(_ name: ItemName, to value: [UInt8]?) async throws {
    try await run(.setItem) { try await base.setItem(name, to: value) }
  }

  public func exchangeItem(
    _ name: ItemName, expecting expected: [UInt8]?, with value: [UInt8]?
  ) async throws -> [UInt8]? {
    try await run(.exchangeItem) { try await base.exchangeItem(name, expecting: expected, with: value) }
  }

  public func isSet(_ domain: SecretDomain) async throws -> Bool {
    try await run(.isSet) { try await base.isSet(domain) }
  }

  public func create(_ domain: SecretDomain, secret: SecretBytes) async throws -> KeyAuthorization {
    try await run(.create) { try await base.create(domain, secret: secret) }
  }

  public func unlock(_ domain: SecretDomain, with secret: SecretBytes) async throws -> KeyAuthorization {
    try await run(.unlock) { try await base.unlock(domain, with: secret) }
  }

  public func change(_ domain: SecretDomain, from old: SecretBytes, to new: SecretBytes) async throws {
    try await run(.change) { try await base.change(domain, from: old, to: new) }
  }

  public func attempts(of domain: SecretDomain) async throws -> AttemptState {
    try await run(.attempts) { try await base.attempts(of: domain) }
  }

  public func remove(_ domain: SecretDomain) async throws { try await run(.remove) { try await base.remove(domain) } }
}
