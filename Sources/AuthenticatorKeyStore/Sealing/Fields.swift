import AuthenticatorCoding
import AuthenticatorCore

/// Writes the fields of sealed records and of authenticated data: each with its length, so that no two lists of fields
/// have the same bytes.
struct FieldWriter {
  private var writer: ByteWriter

  init(capacity: Int = 256) { writer = ByteWriter(capacity: capacity) }

  var bytes: [UInt8] { writer.bytes }

  mutating func write(byte: UInt8) { writer.write(byte) }

  mutating func write(_ number: Int64) { writer.write(UInt64(bitPattern: number)) }

  mutating func write(_ flag: Bool) { writer.write(UInt8(flag ? 1 : 0)) }

  /// A short field costs one byte more than it has.
  mutating func write(_ field: [UInt8]) {
    if field.count < 0xFF {
      writer.write(UInt8(field.count))
    } else {
      writer.write(0xFF as UInt8)
      writer.write(UInt32(truncatingIfNeeded: field.count))
    }
    writer.write(field)
  }

  mutating func write(_ field: String) { write(Array(field.utf8)) }

  /// A word that is often one of a few costs one byte then.
  mutating func write(_ word: String, from table: [String]) {
    guard let position = table.firstIndex(of: word), position < 0xFF else {
      writer.write(0 as UInt8)
      return write(word)
    }
    writer.write(UInt8(position + 1))
  }

  mutating func write(optional field: [UInt8]?) {
    write(field != nil)
    if let field { write(field) }
  }

  mutating func write(optional number: Int64?) {
    write(number != nil)
    if let number { write(number) }
  }
}

/// Reads what `FieldWriter` wrote. Whatever does not fit throws `integrityFailed`.
struct FieldReader {
  private var reader: ByteReader
  private static let limit = 1 << 20

  init(_ bytes: [UInt8]) { reader = ByteReader(bytes) }

  static var malformed: AuthenticatorError {
    AuthenticatorError(.integrityFailed, stage: "store.record", reason: "a record is malformed")
  }

  private mutating func checked<Value>(
    _ body: (inout ByteReader) throws(ByteReaderError) -> Value
  ) throws -> Value {
    do { return try body(&reader) } catch { throw Self.malformed }
  }

  mutating func readByte() throws -> UInt8 {
    try checked { reader throws(ByteReaderError) in try reader.readUInt8() }
  }

  mutating func readNumber() throws -> Int64 {
    Int64(bitPattern: try checked { reader throws(ByteReaderError) in try reader.readUInt64() })
  }

  mutating func readFlag() throws -> Bool {
    switch try readByte() {
    case 0: false
    case 1: true
    default: throw Self.malformed
    }
  }

  mutating func readBytes() throws -> [UInt8] {
    let short = try readByte()
    let count =
      short < 0xFF
      ? Int(short) : Int(try checked { reader throws(ByteReaderError) in try reader.readUInt32() })
    guard count <= Self.limit else { throw Self.malformed }
    return try checked { reader throws(ByteReaderError) in try reader.readBytes(count: count) }
  }

  mutating func readText() throws -> String {
    let bytes = try readBytes()
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Self.malformed }
    return text
  }

  mutating func readText(from table: [String]) throws -> String {
    let position = Int(try readByte()) - 1
    if position < 0 { return try readText() }
    guard table.indices.contains(position) else { throw Self.malformed }
    return table[position]
  }

  mutating func readOptionalBytes() throws -> [UInt8]? { try readFlag() ? try readBytes() : nil }

  mutating func readOptionalNumber() throws -> Int64? { try readFlag() ? try readNumber() : nil }

  var isAtEnd: Bool { reader.isAtEnd }

  func expectEnd() throws {
    guard isAtEnd else { throw Self.malformed }
  }
}
