/// Makes new inputs out of stored ones, the same for the same seed.
package struct Mutator {
  private var random: SplitMix64
  private let corpus: [[UInt8]]
  private let maximumLength: Int

  /// Numbers and marks on which decoders like to stumble.
  private static let tokens: [[UInt8]] = [
    [0x00], [0xFF], [0x7F], [0x80], [0x30, 0x80], [0x02, 0x01], [0x82, 0xFF, 0xFF], Array("\u{0}".utf8),
    Array("{\"a\":".utf8), Array("[[[[".utf8), Array("\"\\ud800\"".utf8), Array("1e999".utf8), Array("-0".utf8),
    Array("9223372036854775808".utf8), Array("..".utf8), Array("eyJ".utf8), Array("null".utf8), [0xEF, 0xBB, 0xBF],
    [0xF0, 0x9F, 0x98, 0x80], [0xC0, 0x80],
  ]

  package init(seed: UInt64, corpus: [[UInt8]], maximumLength: Int) {
    random = SplitMix64(state: seed)
    self.corpus = corpus.isEmpty ? [[]] : corpus
    self.maximumLength = maximumLength
  }

  /// The next input.
  package mutating func next() -> [UInt8] {
    var bytes = pick(corpus)
    for _ in 0...below(4) { mutate(&bytes) }
    return Array(bytes.prefix(maximumLength))
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    let place = below(bytes.count + 1)
    switch below(8) {
    case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(below(8))
    case 1 where place < bytes.count: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case 2: bytes.removeSubrange(place...)
    case 3: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(8)))
    case 4: bytes.insert(contentsOf: pick(Self.tokens), at: place)
    case 5:
      let other = pick(corpus)
      bytes.replaceSubrange(place..., with: other.suffix(from: below(other.count + 1)))
    case 6: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 1 + below(32))], at: place)
    default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
    }
  }

  private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }

  private mutating func pick(_ values: [[UInt8]]) -> [UInt8] { values[below(values.count)] }
}

/// A small generator with a stated sequence, so that a run can be repeated.
package struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  package init(state: UInt64) { self.state = state }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
