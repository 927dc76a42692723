extension CBORValue {
  /// What a decoder says to map keys that are not in CTAP2's order.
  public enum KeyOrder: Sendable {
    /// They are refused.
    case canonical
    /// They are accepted: attestation objects of platforms often have `authData` first. All other rules hold.
    case any
  }

  /// Reads exactly one item in CTAP2's canonical form.
  ///
  /// Refused are: what is not CBOR, heads longer than need be, indefinite lengths, tags, keys that occur twice or out
  /// of order, text that is not UTF-8, nesting beyond the limit and bytes after the item. Memory stays within a small
  /// multiple of the input, whatever its headers claim.
  public static func decode(
    _ bytes: [UInt8], limits: CBORLimits = .message, keyOrder: KeyOrder = .canonical
  ) throws(CBORError) -> CBORValue {
    try decode(bytes[...], limits: limits, keyOrder: keyOrder)
  }

  /// Reads exactly one item that stands in a larger buffer; offsets count from the beginning of the slice.
  public static func decode(
    _ bytes: ArraySlice<UInt8>, limits: CBORLimits = .message, keyOrder: KeyOrder = .canonical
  ) throws(CBORError) -> CBORValue {
    let (value, count) = try decodePrefix(bytes, limits: limits, keyOrder: keyOrder)
    guard count == bytes.count else { throw CBORError(.trailingBytes, offset: count) }
    return value
  }

  /// Reads the item at the beginning of the bytes and tells how many it takes; whatever follows is not looked at.
  ///
  /// The limit on the length holds for the item, not for what follows it.
  public static func decodePrefix(
    _ bytes: ArraySlice<UInt8>, limits: CBORLimits = .message, keyOrder: KeyOrder = .canonical
  ) throws(CBORError) -> (value: CBORValue, count: Int) {
    try bytes.withUnsafeBufferPointer { buffer -> Result<(CBORValue, Int), CBORError> in
      guard let base = buffer.baseAddress, !buffer.isEmpty else { return .failure(CBORError(.truncated, offset: 0)) }
      var decoder = CBORDecoder(base: base, end: buffer.count, limits: limits, keyOrder: keyOrder)
      do throws(CBORError) { return .success((try decoder.decodeItem(), decoder.offset)) } catch {
        return .failure(error)
      }
    }.get()
  }
}

/// Builds one value from the heads libcbor finds, over a buffer it does not own and with a stack of its own.
struct CBORDecoder {
  private let base: UnsafePointer<UInt8>
  private let end: Int
  private let isCut: Bool
  private let depth: Int
  private let keyOrder: CBORValue.KeyOrder
  private(set) var offset = 0
  private var head = CBORHead()
  private var open: [Container] = []

  init(base: UnsafePointer<UInt8>, end: Int, limits: CBORLimits, keyOrder: CBORValue.KeyOrder) {
    self.base = base
    self.end = min(end, max(0, limits.bytes))
    isCut = end > limits.bytes
    depth = limits.effectiveDepth
    self.keyOrder = keyOrder
  }

  mutating func decodeItem() throws(CBORError) -> CBORValue {
    do throws(CBORError) { return try decodeWithinLimit() } catch {
      // What was cut off by the limit is too long, not truncated.
      throw error.kind == .truncated && isCut ? CBORError(.tooLong, offset: end) : error
    }
  }

  private mutating func decodeWithinLimit() throws(CBORError) -> CBORValue {
    while true {
      let start = offset
      guard var value = try readItem() else { continue }
      // Hand the value to the innermost open container, and each container that is full to the next.
      while let last = open.indices.last {
        try open[last].add(value, at: start, keyOrder: keyOrder)
        guard open[last].missing == 0 else { break }
        value = try open.removeLast().finished()
      }
      if open.isEmpty { return value }
    }
  }

  /// Reads one item; nil when it is a container that now waits for its content.
  private mutating func readItem() throws(CBORError) -> CBORValue? {
    let start = offset
    guard start < end else { throw CBORError(.truncated, offset: start) }
    switch base[start] {
    // libcbor knows neither of these: tags it has no name for, and simple values without one.
    case 0xC0...0xDB: throw CBORError(.tag, offset: start)
    case 0xE0...0xF3:
      offset += 1
      return try simple(base[start] & 0x1F, at: start)
    case 0xF8:
      guard end - start >= 2 else { throw CBORError(.truncated, offset: start) }
      guard base[start + 1] >= 32 else { throw CBORError(.malformed, offset: start) }
      offset += 2
      return try simple(base[start + 1], at: start)
    default: break
    }

    let read = try head.read(base + start, count: end - start, offset: start)
    offset = start + read
    switch head.kind {
    case .unsigned:
      try checkShortest(size: read, at: start)
      return .unsigned(head.argument)
    case .negative:
      try checkShortest(size: read, at: start)
      return .negative(head.argument)
    case .bytes: return .bytes(Array(try content(read: read, at: start)))
    case .text:
      guard let text = String(validating: try content(read: read, at: start), as: UTF8.self) else {
        throw CBORError(.invalidUTF8, offset: start)
      }
      return .text(text)
    case .array: return try openContainer(isMap: false, size: read, at: start)
    case .map: return try openContainer(isMap: true, size: read, at: start)
    case .bool: return .bool(head.argument != 0)
    case .null: return .null
    case .undefined: return .undefined
    case .float: return .float(try float(size: read, at: start))
    case .tag: throw CBORError(.tag, offset: start)
    case .indefinite: throw CBORError(.indefiniteLength, offset: start)
    case .stop: throw CBORError(.unexpectedBreak, offset: start)
    case .none: throw CBORError(.libraryFailed, offset: start)
    }
  }

  private func checkShortest(size: Int, at start: Int) throws(CBORError) {
    guard size == CBOREncoder.headSize(head.argument) else { throw CBORError(.nonShortestForm, offset: start) }
  }

  /// The content of a string that libcbor found to lie within the buffer.
  private func content(read: Int, at start: Int) throws(CBORError) -> UnsafeBufferPointer<UInt8> {
    guard let count = Int(exactly: head.argument), count < read else { throw CBORError(.libraryFailed, offset: start) }
    try checkShortest(size: read - count, at: start)
    return UnsafeBufferPointer(start: base + (start + read - count), count: count)
  }

  private mutating func openContainer(isMap: Bool, size: Int, at start: Int) throws(CBORError) -> CBORValue? {
    try checkShortest(size: size, at: start)
    guard open.count < depth else { throw CBORError(.tooDeep, offset: start) }
    // Each element takes a byte at least, so a claim beyond what is left is refused before anything is made for it.
    let (items, overflows) = head.argument.multipliedReportingOverflow(by: isMap ? 2 : 1)
    guard !overflows, items <= UInt64(end - offset) else { throw CBORError(.truncated, offset: start) }
    if items == 0 { return isMap ? .map(CBORMap()) : .array([]) }
    open.append(Container(isMap: isMap, missing: Int(items), start: start))
    return nil
  }

  private func simple(_ number: UInt8, at start: Int) throws(CBORError) -> CBORValue {
    guard let value = CBORSimpleValue(number) else { throw CBORError(.malformed, offset: start) }
    return .simple(value)
  }

  /// A float by the bits that follow its head.
  private func float(size: Int, at start: Int) throws(CBORError) -> CBORFloat {
    var bits: UInt64 = 0
    for index in start + 1..<start + size { bits = bits << 8 | UInt64(base[index]) }
    switch size {
    case 3: return .half(UInt16(truncatingIfNeeded: bits))
    case 5: return .single(UInt32(truncatingIfNeeded: bits))
    case 9: return .double(bits)
    default: throw CBORError(.libraryFailed, offset: start)
    }
  }
}

/// An array or map that is being read.
private struct Container {
  let isMap: Bool
  /// How many elements are still to come; keys and values both count.
  var missing: Int
  let start: Int
  private var elements: [CBORValue] = []
  private var map = CBORMap()
  private var key: CBORValue?
  private var isSorted = true

  init(isMap: Bool, missing: Int, start: Int) {
    self.isMap = isMap
    self.missing = missing
    self.start = start
  }

  mutating func add(_ value: CBORValue, at offset: Int, keyOrder: CBORValue.KeyOrder) throws(CBORError) {
    missing -= 1
    guard isMap else {
      elements.append(value)
      return
    }
    if let key {
      map.appendLast(key, value)
      self.key = nil
      return
    }
    switch map.orderOfLast(to: value) {
    case nil, .before?: break
    case .same?: throw CBORError(.duplicateKey, offset: offset)
    case .after?:
      guard keyOrder == .any else {
        throw CBORError(map[value] == nil ? .unsortedKeys : .duplicateKey, offset: offset)
      }
      isSorted = false
    }
    key = value
  }

  /// The complete value. A key that was repeated further apart is found here.
  consuming func finished() throws(CBORError) -> CBORValue {
    guard isMap else { return .array(elements) }
    if !isSorted, !map.sort() { throw CBORError(.duplicateKey, offset: start) }
    return .map(map)
  }
}
