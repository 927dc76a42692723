import AuthenticatorCoding

/// A PNG file as far as it decides whether a display shows it: complete, intact, of a kind (PNG specification, sections
/// 5 and 11). Pixels are not unpacked.
package struct PNGFile {
  /// The header's fields and the palette.
  package let characteristics: DisplayPNGCharacteristics

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Nil for bytes that are no complete PNG file and nothing else.
  package init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: Self.signature) else { return nil }
    var reader = ByteReader(bytes.dropFirst(Self.signature.count))
    guard let first = Self.chunk(&reader), first.type == "IHDR", var found = Self.header(first.content) else {
      return nil
    }
    var (hasPalette, hasPixels, hasPixelsEnded) = (false, false, false)
    while let chunk = Self.chunk(&reader) {
      if hasPixels, chunk.type != "IDAT" { hasPixelsEnded = true }
      switch chunk.type {
      case "PLTE":
        guard !hasPalette, !hasPixels, let palette = Self.palette(chunk.content, of: found) else { return nil }
        found.palette = palette
        hasPalette = true
      case "IDAT":
        guard !hasPixelsEnded else { return nil }
        hasPixels = true
      case "IEND":
        guard chunk.content.isEmpty, reader.isAtEnd, hasPixels, found.colorType != 3 || hasPalette else { return nil }
        characteristics = found
        return
      default:
        // A capital first letter: whoever does not know it cannot show the picture.
        guard let letter = chunk.type.utf8.first, letter & 0x20 != 0 else { return nil }
      }
    }
    return nil
  }

  private static func chunk(_ reader: inout ByteReader) -> (type: String, content: [UInt8])? {
    guard let length = try? reader.readUInt32(), length <= UInt32(UAFTransaction.maximumImageBytes),
      let content = try? reader.readBytes(count: 4 + Int(length)), let check = try? reader.readUInt32(),
      check == checksum(content)
    else { return nil }
    let isLetter = { (byte: UInt8) in (0x41...0x5A).contains(byte & 0xDF) }
    guard content.prefix(4).allSatisfy(isLetter) else { return nil }
    return (String(decoding: content.prefix(4), as: UTF8.self), Array(content.dropFirst(4)))
  }

  private static func header(_ bytes: [UInt8]) -> DisplayPNGCharacteristics? {
    var reader = ByteReader(bytes)
    guard bytes.count == 13, let width = try? reader.readUInt32(), let height = try? reader.readUInt32(),
      let fields = try? reader.readBytes(count: 5)
    else { return nil }
    let depths: [UInt8: [UInt8]] = [
      0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
    ]
    guard (1...UInt32(Int32.max)).contains(width), (1...UInt32(Int32.max)).contains(height),
      depths[fields[1]]?.contains(fields[0]) == true, fields[2] == 0, fields[3] == 0, fields[4] <= 1
    else { return nil }
    return DisplayPNGCharacteristics(
      width: width, height: height, bitDepth: fields[0], colorType: fields[1], compression: fields[2],
      filter: fields[3], interlace: fields[4])
  }

  private static func palette(_ bytes: [UInt8], of header: DisplayPNGCharacteristics) -> [[UInt16]]? {
    let most = header.colorType == 3 ? 1 << Int(header.bitDepth) : 256
    guard ![0, 4].contains(header.colorType), bytes.count % 3 == 0, (1...most).contains(bytes.count / 3) else {
      return nil
    }
    return stride(from: 0, to: bytes.count, by: 3).map { start in bytes[start..<start + 3].map(UInt16.init) }
  }

  /// CRC-32 of a chunk's type and content.
  package static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var value = UInt32.max
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
    }
    return ~value
  }
}
