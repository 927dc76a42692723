import AuthenticatorCore

/// What keys of an application are bound to (FIDO UAF ASM API, "KHAccessToken"), for the ID it has now and for those under
/// which earlier versions made keys.
struct AccessTokens: Sendable {
  struct Entry: Sendable {
    var appID: String
    var token: [UInt8]
  }

  /// The present ID comes last; empty: nothing was registered on this device yet.
  var byID: [Entry] = []

  /// That of the present ID.
  var current: [UInt8]? { byID.last?.token }

  func token(for appID: String) -> [UInt8]? { byID.first { $0.appID == appID }?.token }
}

/// A key of the store with its handle.
struct RegisteredKey: Sendable {
  let record: KeyRecord
  let handle: KeyHandle

  /// Whether both are of the same user and model.
  func isOfUser(of other: RegisteredKey) -> Bool {
    guard handle.aaid == other.handle.aaid else { return false }
    if let slot = record.slot, slot == other.record.slot { return true }
    return !handle.username.isEmpty && handle.username == other.handle.username
  }

  /// Whether its server has not answered for so long that no answer is on its way any more. The server may know it all the
  /// same, so it stays and signs; it only takes no room.
  func isAbandoned(at now: UnixTime) -> Bool {
    guard record.state == .staged, let journal = RegistrationJournal(record.journal) else { return false }
    return journal.end.advanced(by: .seconds(600)) < now
  }
}
