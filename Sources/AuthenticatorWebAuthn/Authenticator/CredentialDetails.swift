internal import AuthenticatorCoding
internal import AuthenticatorCore

/// What may change about a credential and is only shown: names, and whether its server disowned it.
struct CredentialDetails: Hashable, Sendable {
  private static let version: UInt8 = 1

  private static let hidden: UInt8 = 0x01
  private static let replacing: UInt8 = 0x02

  /// Not offered without being named by its server.
  var isHidden: Bool
  /// Whatever it took the place of is kept until its relying party has accepted it. Also set where nothing was there:
  /// who holds a place is known only inside the commit.
  var isReplacing: Bool
  var relyingPartyName: String
  var userName: String
  var userDisplayName: String

  /// Cuts the names to what is stored.
  init(isReplacing: Bool, relyingPartyName: String, userName: String, userDisplayName: String) {
    isHidden = false
    self.isReplacing = isReplacing
    self.relyingPartyName = DisplayText.stored(relyingPartyName)
    self.userName = DisplayText.stored(userName)
    self.userDisplayName = DisplayText.stored(userDisplayName)
  }

  /// - Throws: `integrityFailed` for bytes this version has not written.
  init(_ record: KeyRecord) throws {
    var reader = ByteReader(record.details)
    do {
      guard try reader.readUInt8() == Self.version else { throw Self.unreadable }
      let flags = try reader.readUInt8()
      isHidden = flags & Self.hidden != 0
      isReplacing = flags & Self.replacing != 0
      relyingPartyName = try Self.readText(&reader)
      userName = try Self.readText(&reader)
      userDisplayName = try Self.readText(&reader)
      guard reader.isAtEnd else { throw Self.unreadable }
    } catch { throw Self.unreadable }
  }

  /// Whether a record is hidden, without reading the names.
  static func isHidden(_ record: KeyRecord) -> Bool { has(hidden, record) }

  /// Whether a record is replacing another one, without reading the names.
  static func isReplacing(_ record: KeyRecord) -> Bool { has(replacing, record) }

  private static func has(_ flag: UInt8, _ record: KeyRecord) -> Bool {
    record.details.count > 1 && record.details[1] & flag != 0
  }

  var encoded: [UInt8] {
    var bytes = [Self.version, (isHidden ? Self.hidden : 0) | (isReplacing ? Self.replacing : 0)]
    for name in [relyingPartyName, userName, userDisplayName] {
      bytes.append(UInt8(truncatingIfNeeded: name.utf8.count))
      bytes += name.utf8
    }
    return bytes
  }

  private static func readText(_ reader: inout ByteReader) throws -> String {
    guard let text = String(validating: try reader.readSlice(count: Int(try reader.readUInt8())), as: UTF8.self) else {
      throw unreadable
    }
    return text
  }

  private static let unreadable = AuthenticatorError(
    .integrityFailed, stage: "credential", reason: "the details are unreadable")
}
