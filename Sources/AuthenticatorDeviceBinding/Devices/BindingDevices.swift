import AuthenticatorCore
import AuthenticatorJourney

/// The bound devices of the signed-in user, on the server and here.
///
/// Needs a session in the journey. Nothing here concerns keys of other users, realms or servers.
public struct BindingDevices: Sendable {
  private let journey: Journey
  let context: AuthenticatorContext

  /// - Parameter context: its `instance` must be the journey's server.
  /// - Throws: `invalidRequest`.
  public init(_ journey: Journey, context: AuthenticatorContext) throws {
    guard context.instance == journey.configuration.instance else {
      throw AuthenticatorError(
        .invalidRequest, stage: "devices", reason: "the context's instance is not the journey's server")
    }
    self.journey = journey
    self.context = context
  }

  var realm: String { journey.configuration.realm.description }

  // MARK: Asking the server

  /// Who is signed in.
  /// - Throws: `invalidRequest` when nobody is; `serverRefused`; `invalidMessage`; as the transport.
  public func user() async throws -> SessionUser { try await resources.user() }

  /// The user's bound devices, all of them.
  /// - Throws: as `user()`; `invalidMessage` also for a list that is not complete, from which nothing must be
  ///   concluded.
  public func list() async throws -> [BindingDevice] { try await list(of: try await user()) }

  func list(of user: SessionUser) async throws -> [BindingDevice] {
    try await resources.list(of: user).map { entry in
      guard let device = BindingDevice(entry) else {
        throw AuthenticatorError(
          .invalidMessage, stage: "devices", reason: "an entry of the device list has no id")
      }
      return device
    }
  }

  /// Deletes one entry on the server; false: there was none.
  func deleteRemote(_ id: String, of user: SessionUser) async throws -> Bool {
    try await resources.delete(id, of: user)
  }

  private var resources: DeviceResources { DeviceResources(journey: journey, family: "binding") }

  // MARK: Unbinding

  /// Unbinds a key: the server's entry first, then the key here.
  ///
  /// The key here goes only when the server's entry is certainly gone, unless `force` is given. When nobody can tell
  /// (no answer), the key is no longer offered, and `reconcile()` finishes both halves. After a refusal it stays as it
  /// was. Forced, the key stops working at once; its row stays until the server's half is done.
  /// - Parameter keyID: the `kid`, of a key on this device or of another device of the user.
  /// - Throws: `invalidRequest` when nobody is signed in; `storageFailed` before anything was done.
  public func delete(_ keyID: String, force: Bool = false) async throws -> BindingRemoval {
    let user: SessionUser
    do {
      user = try await self.user()
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .transportFailed, stage: "devices")
      guard force, let record = try await ownRecord(keyID, of: nil) else { throw error }
      return BindingRemoval(remote: .pending(error), local: await retire(record))
    }
    let record = try await ownRecord(keyID, of: user)
    let remote: BindingRemoval.Half
    do {
      remote = try await deleteRemote(keyID, of: user) ? .removed : .absent
    } catch {
      let error = AuthenticatorError.wrapping(error, as: .transportFailed, stage: "devices")
      guard let record else { return BindingRemoval(remote: .pending(error), local: .absent) }
      if !force, error.code == .serverRefused {
        return BindingRemoval(remote: .pending(error), local: .pending(error))
      }
      return BindingRemoval(remote: .pending(error), local: await retire(record))
    }
    guard let record else { return BindingRemoval(remote: remote, local: .absent) }
    return BindingRemoval(remote: remote, local: await destroy(record))
  }

  /// The record of a key on this device. Without user, only a key that no other user's session could mean.
  private func ownRecord(_ keyID: String, of user: SessionUser?) async throws -> KeyRecord? {
    let query = KeyQuery(
      instance: context.instance, family: .deviceBinding, party: realm, externalID: Array(keyID.utf8),
      states: Set(KeyRecord.State.allCases))
    let records = try await context.keyStore.records(matching: query)
    guard let user else { return records.count == 1 ? records[0] : nil }
    return records.first { Self.isOwned($0, by: user) }
  }

  /// Takes a key out of use and keeps its row, so that the server's half is not forgotten.
  private func retire(_ record: KeyRecord) async -> BindingRemoval.Half {
    guard record.state == .active || record.state == .retired else { return await destroy(record) }
    let store = context.keyStore
    do {
      try await Ceremony.settled { try await store.beginRevoking(record.tag) }
      return .pending(AuthenticatorError(.transportFailed, stage: "devices", reason: "the server's half is open"))
    } catch {
      return .pending(AuthenticatorError.wrapping(error, as: .storageFailed, stage: "devices"))
    }
  }

  private func destroy(_ record: KeyRecord) async -> BindingRemoval.Half {
    do {
      try await remove(record)
      return .removed
    } catch {
      return .pending(AuthenticatorError.wrapping(error, as: .storageFailed, stage: "devices"))
    }
  }

  /// Destroys a key in any state, and with it a PIN that opened nothing else.
  func remove(_ record: KeyRecord) async throws {
    let store = context.keyStore
    try await Ceremony.settled {
      if record.state == .staged { try await store.discard(record.tag) } else { try await store.delete(record.tag) }
      guard case .secret(let domain) = record.access.gate else { return }
      let query = KeyQuery(instance: record.owner.instance, states: Set(KeyRecord.State.allCases))
      let others = try await store.records(matching: query)
      guard !others.contains(where: { $0.access.gate == .secret(domain) }), try await store.damagedTags().isEmpty
      else { return }
      try await store.remove(domain)
    }
  }

  static func isOwned(_ record: KeyRecord, by user: SessionUser) -> Bool {
    record.owner.account == Array(user.universalID.utf8) || record.owner.account == Array(user.id.utf8)
  }
}
