import AuthenticatorCoding
import AuthenticatorCore

/// What settles a key after a crash: until when its response could still have been made.
struct RegistrationJournal {
  let end: UnixTime

  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 8)
    writer.write(UInt64(bitPattern: end.milliseconds))
    return writer.bytes
  }

  init(end: UnixTime) { self.end = end }

  /// Nil for a journal of another form: nothing is concluded from it.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard bytes.count == 8, let value = try? reader.readUInt64() else { return nil }
    end = UnixTime(milliseconds: Int64(bitPattern: value))
  }

  /// What `KeyRecord.details` says of a key whose response was made: its server may know it.
  static let answered: [UInt8] = Array(#"{"answered":true}"#.utf8)
}
