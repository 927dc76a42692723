import AuthenticatorCoding
import AuthenticatorCore

/// What keys of an application are bound to (FIDO UAF ASM API, "KHAccessToken"), for the ID it has now and for those
/// under which earlier versions made keys.
struct AccessTokens: Sendable {
  struct Entry: Sendable {
    var appID: String
    var token: [UInt8]
  }

  /// The present ID comes last; empty: nothing was registered on this device yet.
  var byID: [Entry] = []

  /// Where a failed sign-in of the present ID is noted; nil with `current`.
  var failureItem: ItemName?

  /// That of the present ID.
  var current: [UInt8]? { byID.last?.token }

  func token(for appID: String) -> [UInt8]? { byID.first { $0.appID.isIdentical(to: appID) }?.token }
}

/// A key of the store with its handle. One object, however often it is handed on: records are large.
final class RegisteredKey: Sendable {
  let record: KeyRecord
  let handle: KeyHandle

  init(record: KeyRecord, handle: KeyHandle) {
    self.record = record
    self.handle = handle
  }

  /// Whether it signs without being named: its server has accepted it, or may have and did not say. A key that was made
  /// as a second factor has no user's name, and is no answer to who it is.
  var isOffered: Bool { (record.state == .active || !record.details.isEmpty) && !handle.username.isEmpty }

  /// What names the set that it was made in; empty for a key made alone.
  var set: [UInt8] { RegistrationJournal(record.journal)?.set ?? [] }

  /// Whether both are of the same user and model.
  func isOfUser(of other: RegisteredKey) -> Bool {
    guard handle.aaid == other.handle.aaid else { return false }
    if let slot = record.slot, slot == other.record.slot { return true }
    return !handle.username.isEmpty && handle.username.isIdentical(to: other.handle.username)
  }

  /// Whether its server has not answered for so long that no answer is on its way any more, or its response was never
  /// made. The server may know the former all the same, so it stays and signs; it only takes no room.
  func isAbandoned(at now: UnixTime) -> Bool {
    record.state == .staged && hasEnded(by: now, record.details.isEmpty ? .zero : .seconds(600))
  }

  /// Whether the operation that made it must have ended so long ago. An operation that began ahead of the clock has
  /// too: the clock was set back since, and what it said then tells nothing of how long that is.
  func hasEnded(by now: UnixTime, _ grace: Duration = .zero) -> Bool {
    guard let journal = RegistrationJournal(record.journal) else { return false }
    return journal.end.advanced(by: grace) < now || record.createdAt > now.advanced(by: .seconds(600))
  }
}
