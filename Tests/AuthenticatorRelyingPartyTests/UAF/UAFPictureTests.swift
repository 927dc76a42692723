import AuthenticatorRelyingParty
import Testing

/// A picture that clients can show, until a test bends one part.
struct TestPNG {
  typealias Chunk = (type: String, content: [UInt8])

  /// Four by two pixels of one gray bit.
  var head: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 2, 1, 0, 0, 0, 0]
  var parts: [Chunk] = [("IDAT", [0x78, 0x9C, 0x63, 0x60, 0, 0, 0, 2, 0, 1])]
  var end: [Chunk] = [("IEND", [])]

  var bytes: [UInt8] {
    let chunks = [("IHDR", head)] + parts + end
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunks.flatMap { Self.chunk($0.0, $0.1) }
  }

  private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let covered = Array(type.utf8) + content
    return number(UInt32(content.count)) + covered + number(checksum(covered))
  }

  private static func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var value = UInt32.max
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }
    return ~value
  }
}

/// A picture that no client shows is refused when a transaction is made.
@Suite struct UAFPictureTests {
  private func isTaken(_ bend: (inout TestPNG) -> Void) -> Bool {
    var picture = TestPNG()
    bend(&picture)
    return (try? UAFTransactionContent(png: picture.bytes)) != nil
  }

  @Test func takesWholePictures() throws {
    #expect(isTaken { _ in })
    #expect(isTaken { $0.parts += [("IDAT", [1]), ("tEXt", [1])] })
    #expect(isTaken { $0.parts.insert(("gAMA", [0, 0, 0, 1]), at: 0) })
    #expect(
      isTaken {
        $0.head[9] = 3
        $0.parts.insert(("PLTE", [1, 2, 3, 4, 5, 6]), at: 0)
      })
    for (depth, color) in [(16, 0), (8, 2), (8, 4), (16, 6)] as [(UInt8, UInt8)] {
      #expect(isTaken { ($0.head[8], $0.head[9]) = (depth, color) })
    }
  }

  @Test func refusesAnyOtherOrderOrKindOfParts() {
    #expect(!isTaken { $0.parts = [] })
    #expect(!isTaken { $0.end = [] })
    #expect(!isTaken { $0.end = [("IEND", [0])] })
    #expect(!isTaken { $0.end.append(("IEND", [])) })
    #expect(!isTaken { $0.parts += [("tEXt", [1]), ("IDAT", [1])] })
    #expect(!isTaken { $0.parts.append(("IHDR", $0.head)) })
    #expect(!isTaken { $0.parts.append(("NEWC", [])) })
    #expect(!isTaken { $0.parts.append(("a1bc", [])) })
    #expect(!isTaken { $0.parts.append(("PLTE", [1, 2, 3])) })
    for palette: [UInt8]? in [nil, [], [1, 2], [UInt8](repeating: 1, count: 9)] {
      let isWhole = isTaken {
        $0.head[9] = 3
        if let palette { $0.parts.insert(("PLTE", palette), at: 0) }
      }
      #expect(!isWhole, "\(palette?.count ?? -1)")
    }
    #expect(!isTaken { $0.parts.insert(("PLTE", [1, 2, 3]), at: 0) }, "gray has none")
  }

  @Test(arguments: [
    (3, 0), (7, 0), (0, 0x80), (8, 3), (8, 0), (9, 1), (9, 2), (9, 7), (10, 1), (11, 1), (12, 2),
  ]) func refusesAHeadOfNoPicture(place: Int, value: UInt8) {
    #expect(!isTaken { $0.head[place] = value })
  }

  @Test func refusesWhatIsCutOrChanged() {
    let whole = TestPNG().bytes
    for count in whole.indices { #expect((try? UAFTransactionContent(png: Array(whole[..<count]))) == nil) }
    for index in whole.indices {
      var bent = whole
      bent[index] ^= 1 << UInt8(index % 8)
      #expect((try? UAFTransactionContent(png: bent)) == nil, "\(index)")
    }
    #expect((try? UAFTransactionContent(png: whole + [0])) == nil)
  }
}
