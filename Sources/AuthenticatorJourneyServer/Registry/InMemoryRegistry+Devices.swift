public import AuthenticatorCore

extension InMemoryRegistry {
  public func addDevice(
    _ device: DeviceRecord, recoveryCodes: [RecoveryCodeRecord], limit: Int
  ) async throws -> DeviceAddition {
    tables.withLock { tables in
      if let index = tables.index(of: device.externalID, family: device.family, realm: device.realm) {
        let stored = tables.devices[index]
        return stored.userID == device.userID && stored.key == device.key ? .alreadyPresent : .conflict
      }
      let count = tables.devices.count {
        $0.userID == device.userID && $0.family == device.family && $0.realm == device.realm
      }
      guard limit == 0 || count < limit else { return .limitReached }
      tables.devices.append(device)
      tables.recoveryCodes += recoveryCodes
      return .added
    }
  }

  public func device(
    _ externalID: String, family: DeviceRecord.Family, realm: Realm
  ) async throws -> DeviceRecord? {
    tables.withLock { tables in
      tables.index(of: externalID, family: family, realm: realm).map { tables.devices[$0] }
    }
  }

  public func devices(
    ofUser userID: String, family: DeviceRecord.Family, realm: Realm
  ) async throws -> [DeviceRecord] {
    tables.withLock { $0.devices.filter { $0.userID == userID && $0.family == family && $0.realm == realm } }
  }

  public func touchDevice(_ device: DeviceRecord, at time: UnixTime) async throws {
    tables.withLock { tables in
      guard let index = tables.index(of: device.externalID, family: device.family, realm: device.realm) else { return }
      tables.devices[index].lastAccessAt = time
    }
  }

  public func advanceDevice(_ device: DeviceRecord) async throws -> Bool {
    tables.withLock { tables in
      guard let index = tables.index(of: device.externalID, family: device.family, realm: device.realm) else {
        return false
      }
      let stored = tables.devices[index].counter
      guard stored < device.counter || stored == 0 && device.counter == 0 else { return false }
      tables.devices[index].counter = device.counter
      tables.devices[index].attributes = device.attributes
      tables.devices[index].lastAccessAt = device.lastAccessAt
      return true
    }
  }

  public func removeDevice(
    _ externalID: String, ofUser userID: String, family: DeviceRecord.Family, realm: Realm
  ) async throws -> DeviceRecord? {
    tables.withLock { tables in
      guard let index = tables.index(of: externalID, family: family, realm: realm),
        tables.devices[index].userID == userID
      else { return nil }
      tables.recoveryCodes.removeAll {
        $0.deviceUUID == tables.devices[index].uuid && $0.userID == userID && $0.realm == realm
      }
      return tables.devices.remove(at: index)
    }
  }

  public func recoveryCodes(ofUser userID: String, realm: Realm) async throws -> [RecoveryCodeRecord] {
    tables.withLock { $0.recoveryCodes.filter { $0.userID == userID && $0.realm == realm } }
  }

  public func useRecoveryCode(_ code: RecoveryCodeRecord) async throws -> Bool {
    tables.withLock { tables in
      guard let index = tables.recoveryCodes.firstIndex(of: code) else { return false }
      tables.recoveryCodes.remove(at: index)
      return true
    }
  }
}
