/// Why a byte string was refused as CBOR. Says where, never what stood there.
public struct CBORError: Error, Hashable, Sendable {
  /// The rules that can be broken.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The input ends before the item does, or a header claims more than is left.
    case truncated
    /// Bytes follow the item.
    case trailingBytes
    /// A header that no item has: reserved additional information, or a one-byte simple value below 32.
    case malformed
    /// The end mark of an indefinite-length item where none is open.
    case unexpectedBreak
    /// An indefinite-length string, array or map (CTAP2: not allowed).
    case indefiniteLength
    /// An integer or length that has a shorter form.
    case nonShortestForm
    /// A tag (CTAP2: not allowed).
    case tag
    /// A text string that is not UTF-8.
    case invalidUTF8
    /// A map has a key twice.
    case duplicateKey
    /// The keys of a map are not in CTAP2 order.
    case unsortedKeys
    /// More arrays and maps inside each other than allowed.
    case tooDeep
    /// The input has more bytes than allowed.
    case tooLong
    /// The library reported success without an item.
    case libraryFailed
  }

  /// The rule that was broken.
  public let kind: Kind
  /// The offset in bytes from the beginning of the input; that of the item for most kinds, of the first byte after the
  /// item for `trailingBytes`.
  public let offset: Int

  /// An error at an offset.
  public init(_ kind: Kind, offset: Int) {
    self.kind = kind
    self.offset = offset
  }
}
