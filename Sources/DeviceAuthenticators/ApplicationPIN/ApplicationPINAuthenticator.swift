import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto

/// A PIN that belongs to the app: the policy `APPLICATION_PIN`.
///
/// The PIN opens a domain of the store, one for each owner (instance, party and account), and the owner's keys are
/// encrypted under it: without the PIN there is no signature, whatever the program does. It is asked for once in a
/// binding, by `register(_:)`, whose ticket then opens the new key.
open class ApplicationPINAuthenticator: DefaultDeviceAuthenticator {
  /// May change between operations.
  public var config: ApplicationPINConfig

  /// An authenticator for one ceremony, or for as long as the app keeps it.
  public init(config: ApplicationPINConfig, context: AuthenticatorContext) {
    self.config = config
    super.init(context: context)
  }

  open override func type() -> AuthenticatorType { .applicationPIN }

  /// The PIN of the owner's domain.
  open override func keyAccess(for request: KeyRequest) async throws -> KeyAccess {
    KeyAccess(gate: .secret(Self.domain(of: request.owner)), requiresHardware: config.requiresHardware)
  }

  /// Opens the owner's domain: asks for its PIN; for a registration without one, for a new PIN.
  /// - Throws: `userVerificationFailed` with `attemptsRemaining` after too many wrong PINs; `lockedOut`, with
  ///   `retryAfter` when a wait helps; `keyNotFound` when no PIN is set; `pinRejected` for a new PIN that breaks the
  ///   policy; what the collector throws.
  open override func verify(
    _ request: VerificationRequest, by access: KeyAccess
  ) async throws -> VerificationTicket {
    guard case .secret(let domain) = access.gate else { return try await super.verify(request, by: access) }
    let authorization =
      request.isRegistration
      ? try await authorizeRegistration(in: domain, request: request)
      : try await openDomain(domain, prompt: request.prompt, deadline: request.deadline).authorization
    return VerificationTicket(
      verification: UserVerification(
        level: .verified, methods: [.applicationPIN], time: context.environment.now()),
      authorization: authorization, operation: request.operation, keys: request.keys, expires: request.deadline)
  }

  /// Makes a staged key under the owner's PIN. When the PIN was set for this key alone, it is forgotten with the key:
  /// here if staging fails, and by `StagedKey.discard()`.
  open override func register(_ request: RegistrationRequest) async throws -> StagedKey {
    let domain = Self.domain(of: request.key.owner)
    let isFirst = try await keys(of: domain, owner: request.key.owner).isEmpty
    do {
      let staged = try await super.register(request)
      return StagedKey(
        record: staged.record, ticket: staged.ticket, store: context.keyStore, undoneDomain: isFirst ? domain : nil)
    } catch {
      if isFirst { await forget(domain, owner: request.key.owner) }
      throw error
    }
  }

  /// Deletes this type's keys of this instance and the PINs that opened them.
  open override func deleteKeys() async throws {
    let query = KeyQuery(
      instance: context.instance, authenticator: type(), states: Set(KeyRecord.State.allCases))
    let domains = Set(try await context.keyStore.records(matching: query).compactMap(\.access.gate.domain))
    try await super.deleteKeys()
    for domain in domains { try await context.keyStore.remove(domain) }
  }

  /// Deletes this type's keys of one owner; the PIN goes with the last key it opens.
  open override func deleteKeys(of owner: KeyOwner) async throws {
    try await super.deleteKeys(of: owner)
    let domain = Self.domain(of: owner)
    guard try await keys(of: domain, owner: owner).isEmpty, try await context.keyStore.isSet(domain) else { return }
    try await context.keyStore.remove(domain)
  }

  /// Replaces the owner's PIN; keys stay bound. Asks for the present one, then for the new one.
  /// - Throws: `keyNotFound` when no PIN is set; `pinRejected`, and the old PIN stays; otherwise as `verify(_:by:)`.
  public func changePIN(of owner: KeyOwner, prompt: Prompt, deadline: Duration) async throws {
    try check(owner: owner)
    try check(deadline: deadline, stage: "pin.change")
    let domain = Self.domain(of: owner)
    guard try await context.keyStore.isSet(domain) else {
      throw AuthenticatorError(.keyNotFound, stage: "pin.change", reason: "no PIN is set")
    }
    let (old, _) = try await openDomain(domain, prompt: prompt, deadline: deadline)
    let new = try await collect(.change(config.policy), prompt: prompt, deadline: deadline)
    try PINText.check(new, against: config.policy)
    try await context.keyStore.change(domain, from: old, to: new)
  }

  /// How the attempts at the owner's PIN stand; nil when none is set. Silent.
  public func attempts(of owner: KeyOwner) async throws -> AttemptState? {
    let domain = Self.domain(of: owner)
    guard try await context.keyStore.isSet(domain) else { return nil }
    return try await context.keyStore.attempts(of: domain)
  }

  /// The domain of an owner: a digest, so that the store's file names no account.
  public static func domain(of owner: KeyOwner) -> SecretDomain {
    var hash = SHA256()
    for part in [Array(owner.instance.utf8), Array(owner.party.utf8), owner.account ?? []] {
      hash.update(withUnsafeBytes(of: UInt64(part.count).bigEndian) { Array($0) })
      hash.update(part)
    }
    hash.update([owner.account == nil ? 0 : 1])
    return SecretDomain(rawValue: "pin-" + Base64URL.encode(hash.finalized()))
  }
}
