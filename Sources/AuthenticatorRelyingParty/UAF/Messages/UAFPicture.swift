import AuthenticatorCoding

/// A picture as far as it decides whether a client shows it: a whole PNG file, each part of it intact (PNG
/// specification, sections 5 and 11). Its rows are not unpacked.
struct UAFPicture {
  /// What the head says.
  let characteristics: UAFTransactionContent.PNGCharacteristics

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// One part of a file.
  private struct Chunk {
    let type: String
    let content: [UInt8]
    /// Whether a reader that does not know the type can show the picture all the same.
    let isOptional: Bool
  }

  /// Nil for anything but one whole picture: a part that is missing, damaged or out of place, and bytes after the end.
  init?(png bytes: [UInt8]) {
    guard bytes.starts(with: Self.signature), let chunks = Self.chunks(bytes.dropFirst(Self.signature.count)),
      let head = chunks.first, head.type == "IHDR", let characteristics = Self.characteristics(head.content),
      let end = chunks.last, end.type == "IEND", end.content.isEmpty
    else { return nil }
    let parts = chunks.dropFirst().dropLast()
    let rows = parts.indices.filter { parts[$0].type == "IDAT" }
    // They follow each other without anything between them.
    guard let firstRow = rows.first, let lastRow = rows.last, lastRow - firstRow + 1 == rows.count else { return nil }
    let palettes = parts.indices.filter { parts[$0].type == "PLTE" }
    guard palettes.count <= 1, palettes.allSatisfy({ $0 < firstRow }) else { return nil }
    guard palettes.allSatisfy({ Self.isPalette(parts[$0].content, of: characteristics) }) else { return nil }
    guard characteristics.colorType != 3 || palettes.count == 1 else { return nil }
    let known: Set<String> = ["IDAT", "PLTE"]
    guard parts.allSatisfy({ known.contains($0.type) || $0.isOptional }) else { return nil }
    self.characteristics = characteristics
  }

  /// All parts up to the end of the bytes, of which only the last one is IEND; nil for a part that is cut off or
  /// damaged.
  private static func chunks(_ bytes: ArraySlice<UInt8>) -> [Chunk]? {
    var reader = ByteReader(bytes)
    var chunks: [Chunk] = []
    while !reader.isAtEnd {
      guard chunks.last?.type != "IEND", let length = try? reader.readUInt32(), Int(length) <= bytes.count,
        let covered = try? reader.readBytes(count: 4 + Int(length)), let code = try? reader.readUInt32(),
        code == checksum(covered), let first = covered.first
      else { return nil }
      let name = covered.prefix(4)
      guard name.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) }) else { return nil }
      chunks.append(
        Chunk(
          type: String(decoding: name, as: UTF8.self), content: Array(covered.dropFirst(4)),
          isOptional: first & 0x20 != 0))
    }
    return chunks
  }

  /// Nil for a head that no picture has: no pixels, or a depth that its kind of color has not.
  private static func characteristics(_ bytes: [UInt8]) -> UAFTransactionContent.PNGCharacteristics? {
    var reader = ByteReader(bytes)
    guard bytes.count == 13, let width = try? reader.readUInt32(), let height = try? reader.readUInt32(),
      let rest = try? reader.readBytes(count: 5)
    else { return nil }
    let depths: ClosedRange<UInt8>
    switch rest[1] {
    case 0: depths = 1...16
    case 2, 4, 6: depths = 8...16
    case 3: depths = 1...8
    default: return nil
    }
    let sizes = 1...UInt32(Int32.max)
    guard sizes.contains(width), sizes.contains(height), depths.contains(rest[0]), rest[0].nonzeroBitCount == 1,
      rest[2] == 0, rest[3] == 0, rest[4] <= 1
    else { return nil }
    return UAFTransactionContent.PNGCharacteristics(
      width: width, height: height, bitDepth: rest[0], colorType: rest[1], compression: rest[2], filter: rest[3],
      interlace: rest[4])
  }

  /// Whole colors, no more than the pixels can name, and in no picture of gray.
  private static func isPalette(_ bytes: [UInt8], of head: UAFTransactionContent.PNGCharacteristics) -> Bool {
    let most = head.colorType == 3 ? 1 << Int(head.bitDepth) : 256
    return ![0, 4].contains(head.colorType) && bytes.count.isMultiple(of: 3) && (1...most).contains(bytes.count / 3)
  }

  /// CRC-32 (PNG specification, section 5.5).
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 0 ? 0 : 0xEDB8_8320) }
    }
  }
}
