import AuthenticatorCoding

/// Builds rows of UAF elements, tags and lengths little-endian.
public struct TLVWriter: Sendable {
  private var writer = ByteWriter(capacity: 256)

  /// Starts empty.
  public init() {}

  /// What was written so far.
  public var bytes: [UInt8] { writer.bytes }

  /// Appends an element with bytes.
  /// - Throws: `tooLarge` for a value beyond 65,535 bytes.
  public mutating func write(_ tag: UAFTag, _ value: some Collection<UInt8>) throws(TLVError) {
    guard value.count <= Int(UInt16.max) else { throw .tooLarge }
    writer.write(tag.rawValue, order: .littleEndian)
    writer.write(UInt16(value.count), order: .littleEndian)
    writer.write(value)
  }

  /// Appends a composite.
  public mutating func write(
    _ tag: UAFTag, _ content: (inout TLVWriter) throws(TLVError) -> Void
  ) throws(TLVError) {
    writer.write(tag.rawValue, order: .littleEndian)
    writer.write(UInt16(0))
    let start = writer.count
    try content(&self)
    // The length is known only now.
    guard let count = UInt16(exactly: writer.count - start) else { throw .tooLarge }
    writer.overwrite(at: start - 2, with: count, order: .littleEndian)
  }

  /// Appends an element as it was made elsewhere.
  mutating func append(_ element: [UInt8]) { writer.write(element) }

  static func header(_ tag: UAFTag, count: Int) -> [UInt8] {
    var writer = ByteWriter(capacity: 4 + count)
    writer.write(tag.rawValue, order: .littleEndian)
    writer.write(UInt16(truncatingIfNeeded: count), order: .littleEndian)
    return writer.bytes
  }
}
