import AuthenticatorCore

/// The bound keys of one realm on this device. Silent: nothing here asks the person.
public struct UserKeys: Sendable {
  private let context: AuthenticatorContext
  private let realm: String

  /// - Parameter realm: as a path: `/`, `/alpha`.
  public init(context: AuthenticatorContext, realm: String) {
    self.context = context
    self.realm = realm
  }

  /// The keys that are offered for signing, sorted by user name and age.
  /// - Parameter userID: only this user's; nil: everybody's.
  /// - Throws: `storageFailed` and its like, when it cannot be told.
  public func active(ofUser userID: String? = nil) async throws -> [UserKey] {
    try await all(ofUser: userID, states: [.active])
  }

  /// The keys in some states.
  func all(ofUser userID: String?, states: Set<KeyRecord.State>) async throws -> [UserKey] {
    let account = userID.map { Array($0.utf8) }
    let query = KeyQuery(
      instance: context.instance, family: .deviceBinding, party: realm, account: account, states: states)
    let records = try await context.keyStore.records(matching: query)
    return UserKey.sorted(
      records.compactMap(UserKey.init).filter { account == nil || $0.record.owner.account == account })
  }
}
