internal import CLibCBOR

extension CBORValue {
  /// The value in CTAP2's canonical form: shortest heads, definite lengths, map keys in canonical order.
  public func encoded() -> [UInt8] {
    let size = encodedSize
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      var encoder = CBOREncoder(output: base, end: size)
      encoder.write(self)
      count = encoder.offset
    }
  }

  /// The number of bytes of the canonical form.
  public var encodedSize: Int {
    switch self {
    case .unsigned(let value), .negative(let value): CBOREncoder.headSize(value)
    case .bytes(let value): CBOREncoder.headSize(UInt64(value.count)) + value.count
    case .text(let value): CBOREncoder.headSize(UInt64(value.utf8.count)) + value.utf8.count
    case .array(let elements): elements.reduce(CBOREncoder.headSize(UInt64(elements.count))) { $0 + $1.encodedSize }
    case .map(let map):
      map.entries.reduce(CBOREncoder.headSize(UInt64(map.count))) {
        $0 + $1.key.encodedSize + $1.value.encodedSize
      }
    case .bool, .null, .undefined: 1
    case .simple(let value): value.number < 24 ? 1 : 2
    case .float(.half): 3
    case .float(.single): 5
    case .float(.double): 9
    }
  }
}

/// Writes items into a buffer of exactly their size, the heads through libcbor's buffer encoders.
struct CBOREncoder {
  private let output: UnsafeMutablePointer<UInt8>
  private let end: Int
  private(set) var offset = 0

  init(output: UnsafeMutablePointer<UInt8>, end: Int) {
    self.output = output
    self.end = end
  }

  /// The length of a head with this argument.
  static func headSize(_ argument: UInt64) -> Int {
    switch argument {
    case 0..<24: 1
    case 24...0xFF: 2
    case 0x100...0xFFFF: 3
    case 0x1_0000...0xFFFF_FFFF: 5
    default: 9
    }
  }

  mutating func write(_ value: CBORValue) {
    let (next, room) = (output + offset, end - offset)
    switch value {
    case .unsigned(let value): offset += cbor_encode_uint(value, next, room)
    case .negative(let value): offset += cbor_encode_negint(value, next, room)
    case .bytes(let bytes):
      offset += cbor_encode_bytestring_start(bytes.count, next, room)
      append(bytes)
    case .text(let text):
      offset += cbor_encode_string_start(text.utf8.count, next, room)
      append(text.utf8)
    case .array(let elements):
      offset += cbor_encode_array_start(elements.count, next, room)
      for element in elements { write(element) }
    case .map(let map):
      offset += cbor_encode_map_start(map.count, next, room)
      for entry in map.entries {
        write(entry.key)
        write(entry.value)
      }
    case .bool(let value): offset += cbor_encode_bool(value, next, room)
    case .null: offset += cbor_encode_null(next, room)
    case .undefined: offset += cbor_encode_undef(next, room)
    case .simple(let value):
      if value.number < 24 { append([0xE0 | value.number]) } else { append([0xF8, value.number]) }
    // By their bits: libcbor's float encoders would replace the payload of a NaN.
    case .float(.half(let bits)): append(0xF9, bits)
    case .float(.single(let bits)): append(0xFA, bits)
    case .float(.double(let bits)): append(0xFB, bits)
    }
  }

  private mutating func append<Bits: FixedWidthInteger>(_ head: UInt8, _ bits: Bits) {
    append([head])
    withUnsafeBytes(of: bits.bigEndian) { append($0) }
  }

  private mutating func append(_ bytes: some Collection<UInt8>) {
    let count = bytes.count
    guard count <= end - offset else { return }
    _ = UnsafeMutableBufferPointer(start: output + offset, count: count).update(fromContentsOf: bytes)
    offset += count
  }
}
