/// Collects integers and byte strings.
public struct ByteWriter: Sendable {
  /// What was written so far.
  public private(set) var bytes: [UInt8] = []

  /// Starts empty, with room for `capacity` bytes.
  public init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// The number of bytes written.
  public var count: Int { bytes.count }

  /// Appends one integer in as many bytes as its type has.
  public mutating func write<Value: FixedWidthInteger & UnsignedInteger>(
    _ value: Value, order: ByteOrder = .bigEndian
  ) {
    withUnsafeBytes(of: order == .bigEndian ? value.bigEndian : value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends bytes as they are.
  public mutating func write(_ content: some Sequence<UInt8>) { bytes.append(contentsOf: content) }
}
