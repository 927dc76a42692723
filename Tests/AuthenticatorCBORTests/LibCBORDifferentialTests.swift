import AuthenticatorCBOR
import AuthenticatorCoding
import CLibCBOR
import Testing

/// libcbor's own tree decoder as a second opinion, on bytes that the bounded decoder has passed.
@Suite struct LibCBORDifferentialTests {
  /// What `cbor_load` makes of the bytes; nil when it refuses them or leaves some over.
  private func load(_ bytes: [UInt8]) -> CBORValue? {
    var result = cbor_load_result()
    guard let item = cbor_load(bytes, bytes.count, &result) else { return nil }
    var owned: UnsafeMutablePointer<cbor_item_t>? = item
    defer { cbor_decref(&owned) }
    guard result.read == bytes.count else { return nil }
    return value(of: item)
  }

  private func value(of item: UnsafeMutablePointer<cbor_item_t>) -> CBORValue? {
    switch cbor_typeof(item) {
    case CBOR_TYPE_UINT: return .unsigned(cbor_get_int(item))
    case CBOR_TYPE_NEGINT: return .negative(cbor_get_int(item))
    case CBOR_TYPE_BYTESTRING:
      return .bytes(
        Array(UnsafeBufferPointer(start: cbor_bytestring_handle(item), count: cbor_bytestring_length(item))))
    case CBOR_TYPE_STRING:
      let buffer = UnsafeBufferPointer(start: cbor_string_handle(item), count: cbor_string_length(item))
      return .text(String(decoding: buffer, as: UTF8.self))
    case CBOR_TYPE_ARRAY:
      let elements = UnsafeBufferPointer(start: cbor_array_handle(item), count: cbor_array_size(item))
      return .array(elements.compactMap { $0.flatMap(value(of:)) })
    case CBOR_TYPE_MAP:
      let pairs = UnsafeBufferPointer(start: cbor_map_handle(item), count: cbor_map_size(item))
      return .map(
        CBORMap(
          pairs.compactMap {
            guard let key = value(of: $0.key), let value = value(of: $0.value) else { return nil }
            return (key, value)
          }))
    case CBOR_TYPE_FLOAT_CTRL:
      switch cbor_float_get_width(item) {
      case CBOR_FLOAT_16: return .float(.init(Double(cbor_float_get_float2(item))))
      case CBOR_FLOAT_32: return .float(.init(Double(cbor_float_get_float4(item))))
      case CBOR_FLOAT_64: return .float(.init(cbor_float_get_float8(item)))
      default: break
      }
      switch cbor_ctrl_value(item) {
      case 20, 21: return .bool(cbor_ctrl_value(item) == 21)
      case 22: return .null
      case 23: return .undefined
      default: return nil
      }
    default: return nil
    }
  }

  /// The value with all floats as doubles, whose NaNs are one, as the oracle cannot tell more.
  private func normalized(_ value: CBORValue) -> CBORValue {
    switch value {
    case .float(let number): .float(.init(number.doubleValue.isNaN ? .nan : number.doubleValue))
    case .array(let elements): .array(elements.map(normalized))
    case .map(let map): .map(CBORMap(map.map { (normalized($0.key), normalized($0.value)) }))
    default: value
    }
  }

  private func containsSimple(_ value: CBORValue) -> Bool {
    switch value {
    case .simple: true
    case .array(let elements): elements.contains(where: containsSimple)
    case .map(let map): map.contains { containsSimple($0.key) || containsSimple($0.value) }
    default: false
    }
  }

  private func expectAgreement(_ bytes: [UInt8]) {
    guard let ours = try? CBORValue.decode(bytes, limits: .attestationObject), !containsSimple(ours) else { return }
    #expect(load(bytes).map(normalized) == normalized(ours), "\(Hex.encode(bytes.prefix(40)))")
  }

  @Test func agreesOnAllVectors() throws {
    var agreed = 0
    for (file, list) in [
      ("cbor-rfc8949-appendix-a.json", "cases"), ("cbor-malformed.json", "cases"),
      ("cbor-ctap2-noncanonical.json", "reject"), ("cbor-ctap2-noncanonical.json", "accept"),
    ] {
      for item in try CBORCase.load(file, list) {
        expectAgreement(item.bytes)
        if (try? CBORValue.decode(item.bytes)) != nil { agreed += 1 }
      }
    }
    #expect(agreed >= 70)
  }

  @Test func agreesOnGeneratedValuesAndTheirMutations() throws {
    var generator = SplitMix(state: 0x5EED)
    for _ in 0..<400 {
      let value = generator.value(depth: 5)
      let bytes = value.encoded()
      #expect(try CBORValue.decode(bytes, limits: .attestationObject) == value)
      expectAgreement(bytes)
      for _ in 0..<8 {
        var mutated = bytes
        mutated[Int.random(in: mutated.indices, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        expectAgreement(mutated)
      }
    }
  }
}

/// A small seeded generator (SplitMix64).
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  /// A number of random width.
  mutating func number() -> UInt64 { next() >> UInt64.random(in: 0..<64, using: &self) }

  mutating func value(depth: Int) -> CBORValue {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &self) {
    case 0: return .unsigned(number())
    case 1: return .negative(number())
    case 2: return .bytes((0..<Int.random(in: 0..<300, using: &self)).map { UInt8(truncatingIfNeeded: $0) })
    case 3: return .text(String(repeating: "é水", count: Int.random(in: 0..<20, using: &self)))
    case 4: return .bool(next() & 1 == 0)
    case 5: return next() & 1 == 0 ? .null : .undefined
    case 6: return .float(.init(Double(number()) / 3))
    case 7, 8: return .array((0..<Int.random(in: 0..<5, using: &self)).map { _ in value(depth: depth - 1) })
    default:
      var map = CBORMap()
      for _ in 0..<Int.random(in: 0..<5, using: &self) { map[value(depth: 0)] = value(depth: depth - 1) }
      return .map(map)
    }
  }
}
