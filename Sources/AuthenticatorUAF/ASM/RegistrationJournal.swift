import AuthenticatorCoding
import AuthenticatorCore

/// What settles a key after a crash: until when its response could still have been made, and with which keys.
struct RegistrationJournal {
  let end: UnixTime
  /// The same for all keys that one response speaks of, 16 bytes; empty for a key alone.
  let set: [UInt8]

  private static let setBytes = 16

  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 8 + set.count)
    writer.write(UInt64(bitPattern: end.milliseconds))
    writer.write(set)
    return writer.bytes
  }

  init(end: UnixTime, set: [UInt8] = []) {
    self.end = end
    self.set = set
  }

  /// Nil for a journal of another form: nothing is concluded from it.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard [8, 8 + Self.setBytes].contains(bytes.count), let value = try? reader.readUInt64() else { return nil }
    end = UnixTime(milliseconds: Int64(bitPattern: value))
    set = Array(reader.readRemaining())
  }

  /// What `KeyRecord.details` says of a key whose response was made: its server may know it.
  static let answered: [UInt8] = Array(#"{"answered":true}"#.utf8)
}
