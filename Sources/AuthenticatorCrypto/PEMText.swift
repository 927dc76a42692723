internal import AuthenticatorCoding

/// Blocks of base64 between two markers (RFC 7468). What stands outside the wanted blocks is passed over; within them,
/// spaces, tabs and empty lines are.
enum PEMText {
  /// The contents of the blocks whose label is wanted, in order.
  ///
  /// - Parameters:
  ///   - code: of the errors.
  ///   - most: no more blocks are looked for after so many.
  ///   - isWanted: is given what stands between `-----BEGIN ` and `-----`.
  /// Throws for a marker of a wanted block without its counterpart, and for content that is no base64.
  static func blocks(
    _ text: String, _ code: CryptoError.Code, most: Int = .max, isWanted: (Substring) -> Bool
  ) throws(CryptoError) -> [[UInt8]] {
    var blocks: [[UInt8]] = []
    var open: (label: Substring, body: String)?
    for line in text.split(whereSeparator: \.isNewline) where blocks.count < most {
      if let label = label(of: line, after: "-----BEGIN "), isWanted(label) {
        guard open == nil else { throw CryptoError(code, "a marker has no counterpart") }
        open = (label, "")
      } else if let label = label(of: line, after: "-----END "), isWanted(label) {
        guard let block = open, block.label == label else { throw CryptoError(code, "a marker has no counterpart") }
        do throws(TextDecodingError) { blocks.append(try Base64.decode(block.body)) } catch {
          throw CryptoError(code, "a block is not in base64")
        }
        open = nil
      } else {
        open?.body.append(contentsOf: line.filter { !$0.isWhitespace })
      }
    }
    guard open == nil else { throw CryptoError(code, "a marker has no counterpart") }
    return blocks
  }

  private static func label(of line: Substring, after marker: String) -> Substring? {
    let line = line.drop(while: \.isWhitespace)
    guard line.hasPrefix(marker) else { return nil }
    let rest = line.dropFirst(marker.count)
    guard let end = rest.lastIndex(where: { !$0.isWhitespace }), rest[...end].hasSuffix("-----") else { return nil }
    return rest[...end].dropLast(5)
  }
}
