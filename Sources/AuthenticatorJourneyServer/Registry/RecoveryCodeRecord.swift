/// A recovery code as it is stored: it signs its user in once when the device it came with is not there.
public struct RecoveryCodeRecord: Hashable, Sendable {
  /// The realm of the user.
  public var realm: Realm
  /// Whose it is.
  public var userID: String
  /// The `uuid` of the device it came with; it goes when that device goes.
  public var deviceUUID: String
  /// What the code is compared with.
  public var hash: PasswordHash

  /// Makes a record.
  public init(realm: Realm, userID: String, deviceUUID: String, hash: PasswordHash) {
    self.realm = realm
    self.userID = userID
    self.deviceUUID = deviceUUID
    self.hash = hash
  }
}
