public import AuthenticatorCore
public import AuthenticatorRelyingParty

extension InMemoryRegistry {
  public func useChallenge(_ challenge: ChallengeUse, now: UnixTime) async throws -> Bool {
    try trusted.withLock { tables throws(RegistryError) in try tables.takeChallenge(challenge, now: now) }
  }

  public func addUAFKeys(_ keys: [UAFKeyRecord], limit: Int) async throws -> DeviceAddition {
    tables.withLock { tables in
      guard let first = keys.first else { return .added }
      let names = keys.map(\.name)
      let isTaken = tables.uafKeys.contains { $0.realm == first.realm && names.contains($0.name) }
      guard !isTaken, Set(names).count == names.count else { return .conflict }
      let count = tables.uafKeys.count { $0.userID == first.userID && $0.realm == first.realm }
      guard count + keys.count <= limit else { return .limitReached }
      tables.uafKeys += keys
      return .added
    }
  }

  public func uafKey(_ name: UAFKeyName, realm: Realm) async throws -> UAFKeyRecord? {
    tables.withLock { $0.uafKeys.first { $0.realm == realm && $0.name == name } }
  }

  public func uafKeys(ofUser userID: String, realm: Realm) async throws -> [UAFKeyRecord] {
    tables.withLock { $0.uafKeys.filter { $0.realm == realm && $0.userID == userID } }
  }

  public func advanceUAFKeys(_ uses: [UAFKeyUse]) async throws -> Bool {
    tables.withLock { tables in
      var changes: [(place: Int, key: UAFKeyRecord)] = []
      for use in uses {
        let place = tables.uafKeys.firstIndex {
          $0.realm == use.realm && $0.name == use.name && $0.userID == use.userID
        }
        guard let place else { return false }
        var key = tables.uafKeys[place]
        guard let counter = use.counter(after: key.registration.signCounter) else { return false }
        key.registration.signCounter = counter
        key.registration.authenticatorVersion = use.authenticatorVersion
        if let state = use.userVerificationState { key.registration.userVerificationState = state }
        key.lastUsedAt = use.usedAt
        changes.append((place, key))
      }
      for (place, key) in changes { tables.uafKeys[place] = key }
      return true
    }
  }

  public func setUserVerificationState(
    _ state: [UInt8], ofKey name: UAFKeyName, user userID: String, realm: Realm
  ) async throws -> Bool {
    tables.withLock { tables in
      let place = tables.uafKeys.firstIndex { $0.realm == realm && $0.name == name && $0.userID == userID }
      guard let place else { return false }
      tables.uafKeys[place].registration.userVerificationState = state
      return true
    }
  }

  public func removeUAFKeys(
    _ names: [UAFKeyName]?, ofUser userID: String, realm: Realm
  ) async throws -> [UAFKeyRecord] {
    tables.withLock { tables in
      func isMeant(_ key: UAFKeyRecord) -> Bool {
        key.realm == realm && key.userID == userID && names?.contains(key.name) ?? true
      }
      let removed = tables.uafKeys.filter(isMeant)
      tables.uafKeys.removeAll(where: isMeant)
      return removed
    }
  }
}
