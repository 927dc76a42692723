import AuthenticatorCore
import AuthenticatorJourney

/// Less than `reconcile()`: both leave every key alone that is in use, or whose fate is open.
extension BindingDevices {
  /// Finishes unbindings of the signed-in user that were begun: the server's half, then the key here.
  /// - Returns: the keys that are gone.
  /// - Throws: as `list()`, and what removing a half throws; the rest is left for the next time.
  package func finishUnbindings() async throws -> [KeyTag] {
    let user = try await user()
    let listed = Set(try await list(of: user).map(\.keyID))
    var finished: [KeyTag] = []
    for key in try await keys(of: user, in: .revoking) {
      if listed.contains(key.keyID) { _ = try await deleteRemote(key.keyID, of: user) }
      try await remove(key.record)
      finished.append(key.tag)
    }
    return finished
  }

  /// Removes the server's half of keys that others of this device have replaced, when the server lists those others, so
  /// that a limit on a user's devices leaves room. The keys stay here as they are.
  /// - Returns: the keys whose entries are certainly gone.
  /// - Throws: as `finishUnbindings()`.
  package func releaseReplaced() async throws -> [KeyTag] {
    let user = try await user()
    let listed = Set(try await list(of: user).map(\.keyID))
    let accepted = try await keys(of: user, in: .active).filter { listed.contains($0.keyID) }.map(\.record)
    var released: [KeyTag] = []
    for key in try await keys(of: user, in: .retired) {
      let (slot, owner) = (key.record.slot, key.record.owner)
      guard slot != nil, accepted.contains(where: { $0.slot == slot && $0.owner == owner }) else { continue }
      if listed.contains(key.keyID) { _ = try await deleteRemote(key.keyID, of: user) }
      released.append(key.tag)
    }
    return released
  }

  private func keys(of user: SessionUser, in state: KeyRecord.State) async throws -> [UserKey] {
    let query = KeyQuery(instance: context.instance, family: .deviceBinding, party: realm, states: [state])
    return try await context.keyStore.records(matching: query).filter { Self.isOwned($0, by: user) }
      .compactMap(UserKey.init)
  }
}
