/// Why a JSON text was refused. Says where, never what stood there.
public struct JSONError: Error, Hashable, Sendable {
  /// The rule that the text breaks.
  public enum Kind: String, Hashable, Sendable {
    /// The text ends inside a value, or is empty.
    case unexpectedEnd
    /// A byte that cannot stand here.
    case unexpectedByte
    /// Something follows the value.
    case trailingContent
    /// The text begins with U+FEFF (RFC 8259 section 8.1).
    case byteOrderMark
    /// A string is not UTF-8.
    case invalidUTF8
    /// An escape names half of a surrogate pair.
    case loneSurrogate
    /// A character below U+0020 stands unescaped in a string.
    case controlCharacter
    /// A backslash is followed by no known escape.
    case invalidEscape
    /// A number breaks the grammar of section 6.
    case invalidNumber
    /// An object has a name twice.
    case duplicateMember
    /// More arrays and objects inside each other than allowed.
    case tooDeep
    /// The text has more bytes than allowed.
    case tooLong
    /// One string or number has more bytes than allowed.
    case textTooLong
    /// More values than allowed.
    case tooManyValues
  }

  /// The rule that the text breaks.
  public let kind: Kind
  /// The offset in bytes from the beginning of the text.
  public let offset: Int

  /// Makes the error.
  public init(_ kind: Kind, offset: Int) {
    self.kind = kind
    self.offset = offset
  }
}

/// What a JSON text may cost.
public struct JSONLimits: Hashable, Sendable {
  /// The greatest length of the text.
  public var bytes: Int
  /// How many arrays and objects may be open at once; at most 512, whatever is asked.
  public var depth: Int
  /// The greatest length of one string, name or number, in bytes of the text.
  public var textBytes: Int
  /// The greatest number of values, counting arrays, objects and their contents.
  public var values: Int

  /// Makes limits; each defaults to that of `default`.
  public init(bytes: Int = 1 << 20, depth: Int = 64, textBytes: Int = 1 << 20, values: Int = 1 << 17) {
    self.bytes = bytes
    self.depth = depth
    self.textBytes = textBytes
    self.values = values
  }

  /// 1 MiB of text, 64 levels, strings as long as the text, 131,072 values.
  public static let `default` = JSONLimits()
}
