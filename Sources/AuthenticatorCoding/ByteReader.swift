/// Why a byte string could not be read as its format says. Never holds the bytes.
public enum ByteReaderError: Error, Hashable, Sendable {
  /// The input ends before the item does; the offset is where the item began.
  case truncated(offset: Int)
  /// Bytes are left after the last item.
  case trailingBytes(offset: Int)
}

/// The order of an integer's bytes.
public enum ByteOrder: Sendable {
  /// Most significant byte first, as network protocols write.
  case bigEndian
  /// Least significant byte first.
  case littleEndian
}

/// Reads integers and slices from a byte string; every length is compared with what is left before anything is taken.
public struct ByteReader: Sendable {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  /// Starts at the first byte.
  public init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  /// Starts at the first byte.
  public init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// The number of bytes read so far.
  public var offset: Int { position - bytes.startIndex }

  /// The number of bytes left.
  public var remaining: Int { bytes.endIndex - position }

  /// Whether everything was read.
  public var isAtEnd: Bool { remaining == 0 }

  /// The next byte, without reading it; nil at the end.
  public var peek: UInt8? { isAtEnd ? nil : bytes[position] }

  /// Reads one integer.
  public mutating func read<Value: FixedWidthInteger & UnsignedInteger>(
    _ type: Value.Type, order: ByteOrder = .bigEndian
  ) throws(ByteReaderError) -> Value {
    let size = Value.bitWidth / 8
    let slice = try readSlice(count: size)
    var value: Value = 0
    for byte in slice { value = (size == 1 ? 0 : value << 8) | Value(truncatingIfNeeded: byte) }
    return order == .bigEndian ? value : value.byteSwapped
  }

  /// Reads one byte.
  public mutating func readUInt8() throws(ByteReaderError) -> UInt8 {
    guard position < bytes.endIndex else { throw .truncated(offset: offset) }
    defer { position += 1 }
    return bytes[position]
  }

  /// Reads two bytes.
  public mutating func readUInt16(order: ByteOrder = .bigEndian) throws(ByteReaderError) -> UInt16 {
    try read(UInt16.self, order: order)
  }

  /// Reads four bytes.
  public mutating func readUInt32(order: ByteOrder = .bigEndian) throws(ByteReaderError) -> UInt32 {
    try read(UInt32.self, order: order)
  }

  /// Reads eight bytes.
  public mutating func readUInt64(order: ByteOrder = .bigEndian) throws(ByteReaderError) -> UInt64 {
    try read(UInt64.self, order: order)
  }

  /// Reads `count` bytes without copying them. A negative count throws as a truncated item does.
  public mutating func readSlice(count: Int) throws(ByteReaderError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining else { throw .truncated(offset: offset) }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// Reads `count` bytes.
  public mutating func readBytes(count: Int) throws(ByteReaderError) -> [UInt8] {
    Array(try readSlice(count: count))
  }

  /// Reads all that is left.
  public mutating func readRemaining() -> ArraySlice<UInt8> {
    defer { position = bytes.endIndex }
    return bytes[position...]
  }

  /// Throws `trailingBytes` when something is left.
  public func expectEnd() throws(ByteReaderError) {
    guard isAtEnd else { throw .trailingBytes(offset: offset) }
  }
}
