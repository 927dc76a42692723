/// Collects integers and byte strings.
public struct ByteWriter: Sendable {
  // Inlined into other modules: called without knowing the type, an integer costs more than its bytes.
  @usableFromInline var written: [UInt8] = []

  /// What was written so far.
  @inlinable public var bytes: [UInt8] { written }

  /// Starts empty, with room for `capacity` bytes.
  public init(capacity: Int = 0) { written.reserveCapacity(capacity) }

  /// The number of bytes written.
  @inlinable public var count: Int { written.count }

  /// Appends one integer in as many bytes as its type has.
  @inlinable public mutating func write<Value: FixedWidthInteger & UnsignedInteger>(
    _ value: Value, order: ByteOrder = .bigEndian
  ) {
    withUnsafeBytes(of: order == .bigEndian ? value.bigEndian : value.littleEndian) { written.append(contentsOf: $0) }
  }

  /// Writes a length of two bytes in the place of what stands there.
  package mutating func overwrite(at offset: Int, with value: UInt16, order: ByteOrder = .bigEndian) {
    withUnsafeBytes(of: order == .bigEndian ? value.bigEndian : value.littleEndian) { bytes in
      written.replaceSubrange(offset..<offset + 2, with: bytes)
    }
  }

  /// Appends bytes as they are.
  @inlinable public mutating func write(_ content: some Sequence<UInt8>) { written.append(contentsOf: content) }
}
