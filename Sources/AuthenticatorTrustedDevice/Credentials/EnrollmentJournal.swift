import AuthenticatorCoding
import AuthenticatorCore

/// What a staged key's row says about how to settle it after a crash. Written with the key, before anything is sent.
package struct EnrollmentJournal: Hashable, Sendable {
  /// Until then, on this device's clock, the enrollment may still be under way in some process.
  package var deadline: UnixTime

  package init(deadline: UnixTime) { self.deadline = deadline }

  /// Nil: not a journal of ours.
  package init?(_ bytes: [UInt8]) {
    let object: JSONObject?
    do { object = try JSONValue.parse(bytes, limits: JSONLimits(bytes: 1 << 16, depth: 8)).objectValue } catch {
      return nil
    }
    guard let deadline = object?["deadline"]?.intValue else { return nil }
    self.deadline = UnixTime(milliseconds: Int64(deadline))
  }

  package var bytes: [UInt8] { JSONObject([("deadline", .integer(deadline.milliseconds))]).serialized() }
}

/// Says that an enrollment may have reached the server: written, durably, before its proof is sent, and gone with the
/// key. What the server made of it is found out from its list.
package struct AttemptMark: Hashable, Sendable {
  /// A credential that was made for it is not older than this, on the server's clock.
  package var from: UnixTime
  /// Nor younger: the challenge has ended by then.
  package var until: UnixTime
  /// The name the credential will have, when the server told it beforehand.
  package var id: String?
  /// Whether the process that sent the proof has given up waiting: nobody else will settle the enrollment.
  package var isLeft = false
  /// Whether the server has refused a sign-in with the key since, or may have replaced it: another one is tried before
  /// it.
  package var isRefused = false
  /// Whether the server has refused a sign-in with the key in use since: this one is tried before it, though it is
  /// older.
  package var isPreferred = false

  package static func item(of tag: KeyTag) -> ItemName { ItemName(owner: tag, name: "trusted-device.attempt") }

  package init(from: UnixTime, until: UnixTime, id: String? = nil) {
    self.from = from
    self.until = until
    self.id = id
  }

  /// - Throws: `integrityFailed`.
  package init(_ bytes: [UInt8]) throws {
    let object: JSONObject?
    do { object = try JSONValue.parse(bytes, limits: JSONLimits(bytes: 1 << 12, depth: 8)).objectValue } catch {
      object = nil
    }
    guard let from = object?["from"]?.intValue, let until = object?["until"]?.intValue else {
      throw AuthenticatorError(.integrityFailed, stage: "trustedDevice.journal", reason: "the journal cannot be read")
    }
    self.from = UnixTime(milliseconds: Int64(from))
    self.until = UnixTime(milliseconds: Int64(until))
    id = object?["id"]?.stringValue
    isLeft = object?["left"]?.boolValue ?? false
    isRefused = object?["refused"]?.boolValue ?? false
    isPreferred = object?["preferred"]?.boolValue ?? false
  }

  package var bytes: [UInt8] {
    var object = JSONObject([("from", .integer(from.milliseconds)), ("until", .integer(until.milliseconds))])
    if let id { object["id"] = .string(id) }
    if isLeft { object["left"] = true }
    if isRefused { object["refused"] = true }
    if isPreferred { object["preferred"] = true }
    return object.serialized()
  }
}
