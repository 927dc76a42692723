internal import AuthenticatorCoding

internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// The rows of an `InMemoryRegistry`. Devices and recovery codes are few here, so they are searched.
struct InMemoryTables {
  struct Key: Hashable {
    var realm: Realm
    var id: String
    init(_ realm: Realm, _ id: String) {
      self.realm = realm
      self.id = id
    }
  }

  struct Attempts {
    var failures = 0
    var lockedUntil: UnixTime?
    var updatedAt = UnixTime(milliseconds: 0)
  }

  let limits: RegistryLimits
  var tokenKeys: [TokenKeyRecord] = []
  var secrets: [String: SecretBytes] = [:]
  var users: [Key: UserRecord] = [:]
  var userIDs: [AttemptSubject: String] = [:]
  var attempts: [AttemptSubject: Attempts] = [:]
  var steps: UsedSteps
  var parked: [[UInt8]: (state: String, expiresAt: UnixTime)] = [:]
  var sessions: [[UInt8]: SessionRecord] = [:]
  var devices: [DeviceRecord] = []
  var recoveryCodes: [RecoveryCodeRecord] = []
  /// In the order they were added.
  var uafKeys: [UAFKeyRecord] = []

  init(limits: RegistryLimits) {
    self.limits = limits
    steps = UsedSteps(limit: limits.journeys)
  }

  mutating func add(_ user: UserRecord) throws(RegistryError) {
    let name = AttemptSubject(realm: user.realm, username: user.name)
    let key = Key(user.realm, user.id)
    guard userIDs[name] == nil, users[key] == nil else { throw RegistryError(.conflict, "user") }
    userIDs[name] = user.id
    users[key] = user
  }

  func index(of externalID: String, family: DeviceRecord.Family, realm: Realm) -> Int? {
    // Ids are compared byte by byte, as the database does.
    devices.firstIndex {
      $0.family == family && $0.realm == realm && $0.externalID.isIdentical(to: externalID)
    }
  }
}
