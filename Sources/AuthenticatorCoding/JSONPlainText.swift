/// A run of bytes that stand for themselves in a JSON string: neither a quote, a backslash nor a control character.
struct JSONPlainText {
  /// Where the run ends.
  let end: Int
  /// Whether all of it is ASCII.
  let isASCII: Bool

  /// Finds the run that begins at `start`, in a buffer of `limit` bytes.
  init(_ base: UnsafePointer<UInt8>, from start: Int, to limit: Int) {
    var offset = start
    var high: UInt64 = 0
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    // Eight bytes at once, as long as none is a quote, a backslash or a control character. The usual zero-byte test:
    // (v - 1) & ~v has its top bit set in a byte that was zero.
    while limit - offset >= 8 {
      let word = UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self)
      let quote = word ^ (ones &* 0x22)
      let slash = word ^ (ones &* 0x5C)
      let stops = ((quote &- ones) & ~quote | (slash &- ones) & ~slash | (word &- ones &* 0x20) & ~word) & tops
      if stops != 0 { break }
      high |= word
      offset += 8
    }
    while offset < limit {
      let byte = base[offset]
      if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
      high |= UInt64(byte)
      offset += 1
    }
    end = offset
    isASCII = high & tops == 0
  }
}
