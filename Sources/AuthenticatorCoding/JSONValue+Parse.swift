extension JSONValue {
  /// Reads one JSON text (RFC 8259), strictly.
  ///
  /// Refused beyond what the grammar refuses: a name that occurs twice in an object, a byte order mark, an escape that
  /// names half of a surrogate pair, and whatever exceeds the limits.
  public static func parse(_ bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) -> JSONValue {
    try parse(bytes[...], limits: limits)
  }

  /// Reads one JSON text that stands in a larger buffer; offsets count from the beginning of the slice.
  public static func parse(_ bytes: ArraySlice<UInt8>, limits: JSONLimits = .default) throws(JSONError) -> JSONValue {
    try bytes.withUnsafeBufferPointer { parse($0, limits) }.get()
  }

  /// Reads one JSON text from a string.
  public static func parse(_ text: String, limits: JSONLimits = .default) throws(JSONError) -> JSONValue {
    var text = text
    return try text.withUTF8 { parse($0, limits) }.get()
  }

  private static func parse(
    _ buffer: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits
  ) -> Result<JSONValue, JSONError> {
    do throws(JSONError) {
      let nodes = try JSONScanner.scan(buffer, limits)
      return .success(nodes.withUnsafeBufferPointer { JSONNodeReader(buffer, $0).value(at: 0) })
    } catch {
      return .failure(error)
    }
  }
}
