/// Base64 with the standard alphabet and padding (RFC 4648 section 4).
public enum Base64 {
  /// Encodes with padding, without line breaks.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    Base64Alphabet.standard.encode(bytes, padding: true)
  }

  /// Decodes; one byte string has exactly one accepted form.
  ///
  /// `padding` says whether missing padding is tolerated; wrong padding never is.
  public static func decode(_ text: String, padding: Padding = .required) throws(TextDecodingError) -> [UInt8] {
    try Base64Alphabet.standard.decode(text.utf8, padding: padding == .required ? .required : .optional)
  }

  /// What a decoder says to text without the `=` that its length asks for.
  public enum Padding: Sendable {
    /// The text is refused as malformed.
    case required
    /// The text is accepted.
    case tolerated
  }
}

/// Base64 with the URL and file name safe alphabet, without padding (RFC 4648 section 5, RFC 7515 section 2).
public enum Base64URL {
  /// Encodes without padding.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    Base64Alphabet.url.encode(bytes, padding: false)
  }

  /// Decodes; with `padding: .forbidden`, one byte string has exactly one accepted form.
  ///
  /// With `.tolerated`, complete padding is accepted as well.
  public static func decode(_ text: String, padding: Padding = .forbidden) throws(TextDecodingError) -> [UInt8] {
    try Base64Alphabet.url.decode(text.utf8, padding: padding == .forbidden ? .forbidden : .optional)
  }

  /// Decodes text that stands in a larger buffer, without padding.
  public static func decode(_ text: ArraySlice<UInt8>) throws(TextDecodingError) -> [UInt8] {
    try Base64Alphabet.url.decode(text, padding: .forbidden)
  }

  /// What a decoder says to `=` at the end.
  public enum Padding: Sendable {
    /// The text is refused as malformed.
    case forbidden
    /// The text is accepted when the padding is complete.
    case tolerated
  }
}
