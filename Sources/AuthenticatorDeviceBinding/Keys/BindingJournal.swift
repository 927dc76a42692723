import AuthenticatorCoding
import AuthenticatorCore

/// What a staged key's row says about how to settle it after a crash.
struct BindingJournal {
  /// The challenge's SHA-256; the challenge itself is kept nowhere.
  var challengeDigest: [UInt8]
  /// When the server's time limit ends, on this device's clock.
  var deadline: UnixTime

  init(challengeDigest: [UInt8], deadline: UnixTime) {
    self.challengeDigest = challengeDigest
    self.deadline = deadline
  }

  /// Nil: not a journal of ours; such a key is left alone.
  init?(_ bytes: [UInt8]) {
    let object: JSONObject?
    do { object = try JSONValue.parse(bytes).objectValue } catch { return nil }
    guard let deadline = object?["deadline"]?.intValue, let text = object?["challenge"]?.stringValue else { return nil }
    do { challengeDigest = try Base64URL.decode(text) } catch { return nil }
    self.deadline = UnixTime(milliseconds: Int64(deadline))
  }

  var bytes: [UInt8] {
    JSONObject([
      ("challenge", .string(Base64URL.encode(challengeDigest))), ("deadline", .integer(deadline.milliseconds)),
    ]).serialized()
  }
}
