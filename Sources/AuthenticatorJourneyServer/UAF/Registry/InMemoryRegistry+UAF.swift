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

  public func advanceUAFKeys(_ keys: [UAFKeyRecord]) async throws -> Bool {
    tables.withLock { tables in
      var places: [Int] = []
      for key in keys {
        guard let place = tables.uafKeys.firstIndex(where: { $0.realm == key.realm && $0.name == key.name }) else {
          return false
        }
        let (stored, new) = (tables.uafKeys[place].registration.signCounter, key.registration.signCounter)
        guard stored < new || stored == 0 && new == 0 else { return false }
        places.append(place)
      }
      for (place, key) in zip(places, keys) {
        tables.uafKeys[place].registration.signCounter = key.registration.signCounter
        tables.uafKeys[place].registration.authenticatorVersion = key.registration.authenticatorVersion
        tables.uafKeys[place].registration.userVerificationState = key.registration.userVerificationState
        tables.uafKeys[place].lastUsedAt = key.lastUsedAt
      }
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
