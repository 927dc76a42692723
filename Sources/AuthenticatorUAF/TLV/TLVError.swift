/// Why bytes are not a row of UAF elements, or not the assertion they should be. Never holds the bytes.
public enum TLVError: Error, Hashable, Sendable {
  /// The input ends inside a tag, a length or a value; the offset is where the element began.
  case truncated(offset: Int)
  /// Bytes are left after the one element there should be.
  case trailingBytes(offset: Int)
  /// A critical tag that this reader does not know.
  case unknownCriticalTag(UAFTag)
  /// More composites inside each other than allowed.
  case tooDeep
  /// More elements than allowed, or more bytes.
  case tooLarge
  /// A tag that must stand here does not.
  case missing(UAFTag)
  /// A tag that may stand once stands again.
  case repeated(UAFTag)
  /// A tag that must not stand here.
  case unexpected(UAFTag)
  /// The signed element is not the first one.
  case outOfOrder(UAFTag)
  /// A value whose length or content its tag does not allow, or a tag of more than 14 bits.
  case malformed(UAFTag)
}
