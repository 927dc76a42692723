internal import COpenSSL

/// The named parameters OpenSSL 3 takes instead of structures. Values are copied in, and wiped at the end.
struct ParameterList: ~Copyable {
  private enum Kind { case text, octets, number }
  private struct Entry {
    let name: StaticString
    let kind: Kind
    let start: Int
    let count: Int
  }

  private let capacity = 4096
  private let values = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 16)
  private var used = 0
  private var entries: [Entry] = []
  private var isComplete = true

  init() { entries.reserveCapacity(8) }

  deinit {
    OPENSSL_cleanse(values, used)
    values.deallocate()
  }

  private mutating func add(_ name: StaticString, _ kind: Kind, _ value: UnsafeRawBufferPointer) {
    // Numbers are read as native words.
    let start = (used + 7) & ~7
    guard value.count <= capacity - start - 1 else {
      isComplete = false
      return
    }
    UnsafeMutableRawBufferPointer(start: values + start, count: value.count).copyBytes(from: value)
    // Some readers of texts go by the terminator, not by the length.
    values.storeBytes(of: 0, toByteOffset: start + value.count, as: UInt8.self)
    entries.append(Entry(name: name, kind: kind, start: start, count: value.count))
    used = start + value.count + 1
  }

  /// Adds a text of ASCII characters.
  mutating func add(_ name: StaticString, text: StaticString) {
    add(name, .text, UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Adds bytes.
  mutating func add(_ name: StaticString, octets: UnsafeRawBufferPointer) { add(name, .octets, octets) }

  /// Adds a number of a fixed width.
  mutating func add(_ name: StaticString, integer: some FixedWidthInteger & UnsignedInteger) {
    withUnsafeBytes(of: integer) { add(name, .number, $0) }
  }

  /// Adds a number of any length from its big-endian bytes.
  mutating func add(_ name: StaticString, bigEndian number: UnsafeRawBufferPointer) {
    let before = entries.count
    add(name, .number, number)
    guard entries.count > before, let entry = entries.last else { return }
    if 1.littleEndian == 1 {
      var value = UnsafeMutableRawBufferPointer(start: values + entry.start, count: entry.count)
      value.reverse()
    }
  }

  /// Lends the parameters; a list that had no room for a value yields zero, OpenSSL's word for failure.
  borrowing func withParameters(_ body: (UnsafeMutablePointer<OSSL_PARAM>?) -> CInt) -> CInt {
    guard isComplete else { return 0 }
    var list: [OSSL_PARAM] = []
    list.reserveCapacity(entries.count + 1)
    for entry in entries {
      let name = UnsafeRawPointer(entry.name.utf8Start).assumingMemoryBound(to: CChar.self)
      let value = values + entry.start
      switch entry.kind {
      case .text:
        list.append(
          OSSL_PARAM_construct_utf8_string(name, value.assumingMemoryBound(to: CChar.self), entry.count))
      case .octets: list.append(OSSL_PARAM_construct_octet_string(name, value, entry.count))
      case .number:
        list.append(OSSL_PARAM_construct_BN(name, value.assumingMemoryBound(to: UInt8.self), entry.count))
      }
    }
    list.append(OSSL_PARAM_construct_end())
    return list.withUnsafeMutableBufferPointer { body($0.baseAddress) }
  }
}
