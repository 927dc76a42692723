import AuthenticatorCore

/// The credentials of one app and server on this installation. Silent: nothing here asks the person.
package struct CredentialShelf: Sendable {
  package let context: AuthenticatorContext
  package let scope: CredentialScope
  package let authenticators: TrustedDeviceAuthenticators
  package let emit: @Sendable (TrustedDeviceEvent) -> Void

  package init(
    context: AuthenticatorContext, scope: CredentialScope, authenticators: TrustedDeviceAuthenticators,
    emit: @escaping @Sendable (TrustedDeviceEvent) -> Void
  ) {
    self.context = context
    self.scope = scope
    self.authenticators = authenticators
    self.emit = emit
  }

  package var store: any KeyStore { context.keyStore }

  /// What a credential's key is worth now.
  package enum Condition: Hashable, Sendable {
    case usable
    /// There is no key.
    case missing
    /// There is a key that can never be used again.
    case void
    /// It could be used at another time.
    case unusable(Obstacle)

    var isPresent: Bool { self != .missing && self != .void }
  }

  // MARK: Reading

  /// The offered credentials, newest first. One that cannot be read is reported and left out; the others count.
  /// - Throws: `storageFailed` and its like, when it cannot be told.
  package func active(userID: String? = nil, id: String? = nil) async throws -> [LocalCredential] {
    guard !scope.party.isEmpty else { return [] }
    return LocalCredential.sorted(read(try await store.records(matching: scope.query(user: userID, id: id))))
  }

  /// The offered credentials that fit, newest first, as far as they must be looked at.
  /// - Returns: `isComplete`: whether there are no others.
  package func candidates(
    id: String?, hint: String?
  ) async throws -> (credentials: [LocalCredential], isComplete: Bool) {
    guard !scope.party.isEmpty else { return ([], true) }
    if id != nil { return (try await all(id: id, hint: hint), true) }
    let latest = try await store.records(matching: scope.query(limit: CredentialIndex.window))
    // A store that knows no limits returns more: all there are.
    guard latest.count == CredentialIndex.window else { return (fitting(latest, id: nil, hint: hint), true) }
    let index = CredentialIndex(store, scope: scope)
    guard let hint = IdentifierHint.normalized(hint) else {
      guard try await index.isOrdered() else { return (try await all(id: nil, hint: nil), true) }
      return (fitting(latest, id: nil, hint: nil), false)
    }
    guard let users = try await index.users(withHint: hint), users.count <= CredentialIndex.window else {
      return (try await all(id: nil, hint: hint), true)
    }
    var records: [KeyRecord] = []
    for userID in users { records += try await store.records(matching: scope.query(user: userID)) }
    return (fitting(records, id: nil, hint: hint), true)
  }

  /// The same from a look at every record.
  package func all(id: String?, hint: String?) async throws -> [LocalCredential] {
    guard !scope.party.isEmpty else { return [] }
    return fitting(try await store.records(matching: scope.query(id: id)), id: id, hint: hint)
  }

  /// Those of one user; nil: nobody's.
  package func own(_ userID: String?, id: String?, hint: String?) async throws -> [LocalCredential] {
    guard !scope.party.isEmpty, let userID else { return [] }
    return fitting(
      try await store.records(matching: scope.query(user: userID, id: id)).filter { record in
        record.owner.account == Array(userID.utf8)
      }, id: id, hint: hint)
  }

  private func fitting(_ records: [KeyRecord], id: String?, hint: String?) -> [LocalCredential] {
    LocalCredential.sorted(
      read(records).filter { credential in
        (id == nil || credential.id == id) && IdentifierHint.matches(credential.attributes.hint, asked: hint)
      })
  }

  package func read(_ records: [KeyRecord]) -> [LocalCredential] {
    records.compactMap { record in
      do {
        return try LocalCredential(record)
      } catch {
        emit(.recordSetAside(reason: Self.code(of: error)))
        return nil
      }
    }
  }

  /// - Throws: when it cannot be told whether there is a key; nothing follows from that.
  package func condition(of credential: LocalCredential) async throws -> Condition {
    guard try await store.presence(of: credential.tag) else { return .missing }
    let authenticator: any DeviceAuthenticator
    do {
      authenticator = try await authenticators.signing.make(credential.record.authenticator, context)
    } catch {
      return .unusable(Obstacle(.unsupportedPlatform, .unsupported))
    }
    switch await authenticator.health(of: credential.record).state {
    case .usable: return .usable
    case .gone: return .missing
    case .changed: return .void
    case .lockedOut:
      // The authenticator knows whether the passcode would unlock the sensor.
      if case .available = await authenticator.availability() { return .usable }
      return .unusable(Obstacle(.biometricAuthenticationLockedOut, .lockedOut))
    case .damaged: return .unusable(Obstacle(.biometricAuthenticationUnavailable, .integrityFailed))
    default: return .unusable(await obstacle(to: credential.record.access))
    }
  }

  // MARK: Removing

  /// Destroys a credential's key and record.
  func remove(_ credential: LocalCredential, _ reason: TrustedDeviceEvent.RemovalReason) async throws {
    let (store, tag) = (store, credential.tag)
    try await Turnstile.shielded { try await store.delete(tag) }
    emit(.removed(id: credential.id, reason: reason))
  }

  /// Removes as far as that works now. What does not work is tried again: the credential is no longer offered then, if
  /// at least that can be written, and listed for removal.
  /// - Returns: whether the key is gone.
  @discardableResult
  package func removeOrPostpone(
    _ credential: LocalCredential, _ reason: TrustedDeviceEvent.RemovalReason
  ) async -> Bool {
    await tryRemoving(credential, reason) == nil
  }

  /// The same.
  /// - Returns: why it could not be done now; nil: the key is gone.
  func tryRemoving(
    _ credential: LocalCredential, _ reason: TrustedDeviceEvent.RemovalReason
  ) async -> AuthenticatorError? {
    do {
      try await remove(credential, reason)
      return nil
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .storageFailed, stage: "trustedDevice")
      emit(.postponed(.removal, code: error.code))
      await listForRemoval(credential.tag)
      return error
    }
  }

  /// Notes that a key is to be destroyed as soon as that works.
  package func listForRemoval(_ tag: KeyTag) async {
    let (store, scope) = (store, scope)
    do {
      try await Turnstile.shielded { try await PendingWork(store, scope: scope).add(.removal(tag: tag)) }
    } catch {
      emit(.postponed(.saving, code: Self.code(of: error)))
    }
    do {
      try await Turnstile.shielded { try await store.beginRevoking(tag) }
    } catch let error as AuthenticatorError where error.code == .invalidKeyState || error.code == .keyNotFound {
      // Staged, and so not offered anyway; or gone.
    } catch {
      // Nothing can be written: the record stays, and the server's list will tell what it is worth.
      emit(.postponed(.saving, code: Self.code(of: error)))
    }
  }

  /// Destroys a credential whose key is void. Its name is kept until the server's credential is revoked, unless that
  /// may be another installation's.
  /// - Returns: whether key and record are gone. Otherwise the credential is no longer offered, as far as that can be
  ///   written, and they go later.
  package func condemn(
    _ credential: LocalCredential, _ reason: TrustedDeviceEvent.RemovalReason, keepsForRevocation: Bool
  ) async -> Bool {
    guard keepsForRevocation, !credential.details.isUnproven else {
      let isGone = await removeOrPostpone(credential, reason)
      if credential.details.isUnproven { emit(.unclaimed(id: credential.id)) }
      return isGone
    }
    guard await queueRevocation(of: credential) else { return await bury(credential, reason) }
    return await removeOrPostpone(credential, reason)
  }

  /// Notes that the server's credential is to be revoked in a session of its user.
  /// - Returns: whether that is written; otherwise only its row can remember it.
  package func queueRevocation(of credential: LocalCredential) async -> Bool {
    let work = PendingWork(store, scope: scope)
    do {
      try await Turnstile.shielded { try await work.add(.revocation(id: credential.id, userID: credential.userID)) }
      return true
    } catch {
      emit(.postponed(.saving, code: Self.code(of: error)))
      return false
    }
  }

  /// Keeps a credential's row as the memory of what is to be revoked on the server; it is not offered.
  /// - Returns: whether there is no key any more.
  func bury(_ credential: LocalCredential, _ reason: TrustedDeviceEvent.RemovalReason) async -> Bool {
    let (store, tag) = (store, credential.tag)
    do {
      try await Turnstile.shielded { try await store.beginRevoking(tag) }
      emit(.postponed(.revocation, code: .storageFailed))
    } catch let error as AuthenticatorError where error.code == .keyNotFound {
      emit(.removed(id: credential.id, reason: reason))
      return true
    } catch {
      emit(.postponed(.removal, code: Self.code(of: error)))
    }
    return false
  }

  /// Whether no process can be at work on a staged key any more.
  func isPast(_ record: KeyRecord) -> Bool {
    let deadline = EnrollmentJournal(record.journal)?.deadline ?? record.createdAt.advanced(by: .seconds(3600))
    let now = context.environment.now()
    // A clock that was set back must not keep it for ever.
    return deadline.advanced(by: LocalCleanUp.grace) < now || now.advanced(by: .seconds(3600)) < record.createdAt
  }

  package static func code(of error: any Error) -> AuthenticatorError.Code {
    AuthenticatorError.wrapping(error, as: .storageFailed, stage: "trustedDevice").code
  }
}
