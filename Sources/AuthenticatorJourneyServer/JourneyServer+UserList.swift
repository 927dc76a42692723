internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// What bringing a user up to date came to, all realms taken together.
public enum UserChange: Hashable, Sendable {
  /// At least one realm did not have the user.
  case added
  /// Every realm had the user, and at least one with another password or activity.
  case changed
  /// All was as it should be.
  case unchanged
}

extension JourneyServer {
  /// Makes sure that these realms have a user of this name with this password.
  ///
  /// Costs one derivation where the realms share a stored password or have none, and may be repeated: what is right
  /// stays as it is. Another password replaces the stored one and ends the user's sessions there.
  /// - Parameter isActive: nil leaves a user's activity as it is; new ones are active.
  /// - Throws: as `addUser(named:password:in:)`; `CancellationError` between two derivations.
  @discardableResult
  public func setUser(
    named name: String, password: String, isActive: Bool? = nil, in realms: [Realm]
  ) async throws -> UserChange {
    guard (1...PasswordAuthority.maximumUsernameBytes).contains(name.utf8.count),
      realms.allSatisfy(configuration.realms.contains)
    else {
      throw AuthenticatorError(.invalidRequest, stage: "users", reason: "the name or the realm is not usable")
    }
    var stored: [Realm: UserRecord] = [:]
    for realm in realms { stored[realm] = try await registry.user(named: name, in: realm) }
    let known = Set(stored.values.compactMap(\.password))
    let own = try await passwords.hashes(of: password, among: known)
    var shared = own.first { $0.parameters == configuration.passwordCost }
    var change = UserChange.unchanged
    for realm in realms {
      let user = stored[realm]
      if let user, let hash = user.password, own.contains(hash) {
        guard let isActive, user.isActive != isActive else { continue }
        _ = try await setActive(isActive, userNamed: name, in: realm)
        if change == .unchanged { change = .changed }
        continue
      }
      try Task.checkCancellation()
      let hash = if let shared { shared } else { try await passwords.hash(password) }
      shared = hash
      if var user {
        user.password = hash
        user.isActive = isActive ?? user.isActive
        _ = try await registry.updateUser(user)
        try await endSessions(of: user)
        if change == .unchanged { change = .changed }
      } else {
        let id = UUIDText.make(from: try configuration.environment.random(16))
        try await registry.addUser(
          UserRecord(id: id, realm: realm, name: name, password: hash, isActive: isActive ?? true))
        change = .added
      }
    }
    return change
  }
}
