internal import AuthenticatorCoding

/// What a client wrote into the hidden field of a WebAuthn step.
///
/// A response is text whose parts are separated by two colons; an error is `unsupported`, or `ERROR::` and a DOM
/// exception's name and message. Newer clients wrap either in a JSON object, which also tells where the authenticator
/// is.
enum WebAuthnOutcome: Equatable {
  /// The client has no WebAuthn.
  case unsupported
  /// The ceremony failed; `Name:message`, cleaned and shortened.
  case error(String)
  /// The parts of a response.
  case response(Response)
  /// Nothing of these, such as a field that was sent back untouched.
  case malformed

  /// A response, not verified and not even decoded.
  struct Response: Equatable {
    /// The parts in order; the first is the client data, byte for byte as hashed.
    var parts: [Substring]
    /// Where the authenticator is, in the client's word; nil when the client does not tell.
    var attachment: String?
  }

  /// The field's id, its value before the client has answered, and a member of the data that says so.
  static let fieldID = "webAuthnOutcome"

  private static let errorPrefix = "ERROR"
  private static let maximumErrorBytes = 256
  private static let maximumAttachmentBytes = 64

  init(_ text: String) {
    guard text.utf8.first == UInt8(ascii: "{"), let wrapped = (try? JSONValue.parse(text))?.objectValue,
      wrapped["legacyData"] != nil || wrapped["error"] != nil
    else {
      self.init(legacy: text, attachment: nil)
      return
    }
    if let error = wrapped["error"], !error.isNull {
      self = error.stringValue.map(Self.failure) ?? .malformed
      return
    }
    guard let legacy = wrapped["legacyData"]?.stringValue else {
      self = .malformed
      return
    }
    let attachment = wrapped["authenticatorAttachment"]?.stringValue
    self.init(
      legacy: legacy,
      attachment: attachment.flatMap { $0.utf8.count <= Self.maximumAttachmentBytes ? $0 : nil })
  }

  private init(legacy text: String, attachment: String?) {
    if text == "unsupported" || text.hasPrefix(Self.errorPrefix) {
      self = Self.failure(text)
      return
    }
    let parts = Self.parts(text)
    self = parts.count >= 3 ? .response(Response(parts: parts, attachment: attachment)) : .malformed
  }

  /// What stands between pairs of colons. By bytes: to Swift's characters, a mark that follows a colon is one with it.
  static func parts(_ text: String) -> [Substring] {
    let bytes = text.utf8
    var parts: [Substring] = []
    var (start, index) = (text.startIndex, text.startIndex)
    while index < text.endIndex {
      let next = bytes.index(after: index)
      if bytes[index] == UInt8(ascii: ":"), next < text.endIndex, bytes[next] == UInt8(ascii: ":") {
        parts.append(text[start..<index])
        start = bytes.index(after: next)
        index = start
      } else {
        index = next
      }
    }
    return parts + [text[start...]]
  }

  private static func failure(_ text: String) -> WebAuthnOutcome {
    if text == "unsupported" { return .unsupported }
    var rest = text[...]
    if rest.hasPrefix(errorPrefix) { rest = rest.dropFirst(errorPrefix.count).drop { $0 == ":" } }
    var kept = ""
    for character in DisplayText.visible(String(rest)) {
      guard kept.utf8.count + character.utf8.count <= maximumErrorBytes else { break }
      kept.append(character)
    }
    return .error(kept)
  }
}

/// Bytes as decimal numbers from -128 to 127 with commas between them, as PingAM's scripts and clients write them.
enum SignedBytes {
  /// Nil for anything else: spaces, a plus sign, numbers out of range, an empty text.
  static func decode(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 3)
    var value = 0
    var digits = 0
    var isNegative = false
    func number() -> UInt8? {
      let signed = isNegative ? -value : value
      return digits > 0 ? Int8(exactly: signed).map(UInt8.init(bitPattern:)) : nil
    }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        digits += 1
        value = value * 10 + Int(byte - UInt8(ascii: "0"))
        guard digits <= 3 else { return nil }
      case UInt8(ascii: "-"):
        guard digits == 0, !isNegative else { return nil }
        isNegative = true
      case UInt8(ascii: ","):
        guard let next = number() else { return nil }
        bytes.append(next)
        (value, digits, isNegative) = (0, 0, false)
      default: return nil
      }
    }
    guard let last = number() else { return nil }
    bytes.append(last)
    return bytes
  }

  /// The numbers, without brackets.
  static func encode(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { "\(Int8(bitPattern: $0))" }.joined(separator: ",")
  }

  /// The numbers as a JSON array.
  static func json(_ bytes: some Sequence<UInt8>) -> JSONValue {
    .array(bytes.map { .integer(Int64(Int8(bitPattern: $0))) })
  }
}
