import AuthenticatorCoding
import Testing

@Suite struct Base64Tests {
  /// RFC 4648 section 10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ]) func matchesTheRFC(_ plain: String, _ encoded: String) throws {
    let bytes = Array(plain.utf8)
    let bare = encoded.filter { $0 != "=" }
    #expect(Base64.encode(bytes) == encoded)
    #expect(Base64URL.encode(bytes) == bare)
    #expect(try Base64.decode(encoded) == bytes)
    #expect(try Base64.decode(bare, padding: .tolerated) == bytes)
    #expect(try Base64URL.decode(bare) == bytes)
    #expect(try Base64URL.decode(encoded, padding: .tolerated) == bytes)
  }

  @Test func alphabetsDifferInTwoCharacters() throws {
    let bytes: [UInt8] = [0xFB, 0xEF, 0xFF]
    #expect(Base64.encode(bytes) == "++//")
    #expect(Base64URL.encode(bytes) == "--__")
    #expect(throws: TextDecodingError.invalidCharacter(offset: 0)) { try Base64URL.decode("++//") }
    #expect(throws: TextDecodingError.invalidCharacter(offset: 0)) { try Base64.decode("--__") }
  }

  @Test func refusesWhatIsNotCanonical() {
    #expect(throws: TextDecodingError.invalidLength) { try Base64URL.decode("A") }
    #expect(throws: TextDecodingError.invalidLength) { try Base64URL.decode("AAAAA") }
    #expect(throws: TextDecodingError.nonzeroTrailingBits) { try Base64URL.decode("QR") }
    #expect(throws: TextDecodingError.nonzeroTrailingBits) { try Base64URL.decode("QUJ") }
    #expect(throws: TextDecodingError.invalidPadding) { try Base64URL.decode("QQ==") }
    #expect(throws: TextDecodingError.invalidPadding) { try Base64URL.decode("QQ=", padding: .tolerated) }
    #expect(throws: TextDecodingError.invalidPadding) { try Base64URL.decode("QUI==", padding: .tolerated) }
    #expect(throws: TextDecodingError.invalidPadding) { try Base64URL.decode("QUJD=", padding: .tolerated) }
    #expect(throws: TextDecodingError.invalidPadding) { try Base64URL.decode("==", padding: .tolerated) }
    #expect(throws: TextDecodingError.invalidPadding) { try Base64.decode("QQ") }
    #expect(throws: TextDecodingError.invalidCharacter(offset: 1)) { try Base64URL.decode("Q Q") }
    #expect(throws: TextDecodingError.invalidCharacter(offset: 2)) { try Base64URL.decode("QQ\n") }
    #expect(throws: TextDecodingError.invalidCharacter(offset: 0)) { try Base64URL.decode("é") }
    #expect(throws: TextDecodingError.invalidCharacter(offset: 0)) { try Base64.decode("=QQ=", padding: .tolerated) }
  }

  @Test func everyByteRoundTrips() throws {
    var bytes = (0...255).map(UInt8.init)
    while !bytes.isEmpty {
      #expect(try Base64URL.decode(Base64URL.encode(bytes)) == bytes)
      #expect(try Base64.decode(Base64.encode(bytes)) == bytes)
      #expect(try Base64URL.decode(Array(Base64URL.encode(bytes).utf8)[...]) == bytes)
      bytes.removeLast()
    }
  }

  /// One byte string has one text: whatever decodes encodes to the same text.
  @Test func changedTextDecodesToItselfOrNotAtAll() {
    let text = Array(Base64URL.encode([1, 2, 3, 250, 251, 252, 253]).utf8)
    var accepted = 0
    for index in text.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = text
        changed[index] = byte
        guard let bytes = try? Base64URL.decode(changed[...]) else { continue }
        accepted += 1
        #expect(Array(Base64URL.encode(bytes).utf8) == changed)
      }
    }
    // The last character holds two bits of the seventh byte.
    #expect(accepted == (text.count - 1) * 64 + 4)
    for length in text.indices {
      guard let bytes = try? Base64URL.decode(text[..<length]) else { continue }
      #expect(Array(Base64URL.encode(bytes).utf8) == Array(text[..<length]))
    }
  }

  @Test func encodesSequencesThatAreNoArrays() {
    #expect(Base64URL.encode(sequence(first: UInt8(1)) { $0 < 3 ? $0 + 1 : nil }) == "AQID")
    #expect(Base64URL.encode([9, 1, 2, 3][1...]) == "AQID")
  }
}

@Suite struct HexTests {
  @Test func roundTrips() throws {
    #expect(Hex.encode([0x00, 0x9F, 0xFF]) == "009fff")
    #expect(try Hex.decode("009fFF") == [0x00, 0x9F, 0xFF])
    #expect(try Hex.decode("") == [])
  }

  @Test func refusesOddAndForeignText() {
    #expect(throws: TextDecodingError.invalidLength) { try Hex.decode("abc") }
    #expect(throws: TextDecodingError.invalidCharacter(offset: 1)) { try Hex.decode("0g") }
    #expect(throws: TextDecodingError.invalidCharacter(offset: 0)) { try Hex.decode("0x12".replacing("0", with: " ")) }
  }
}

@Suite struct ByteReaderTests {
  @Test func readsBothOrders() throws {
    var reader = ByteReader([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
    #expect(try reader.readUInt8() == 1)
    #expect(try reader.readUInt16() == 0x0203)
    #expect(try reader.readUInt16(order: .littleEndian) == 0x0504)
    #expect(try reader.readUInt32() == 0x0607_0809)
    #expect(reader.peek == 10)
    #expect(try reader.readBytes(count: 2) == [10, 11])
    #expect(reader.offset == 11 && reader.remaining == 5)
    #expect(throws: ByteReaderError.trailingBytes(offset: 11)) { try reader.expectEnd() }
    #expect(Array(reader.readRemaining()) == [12, 13, 14, 15, 16])
    #expect(reader.isAtEnd && reader.peek == nil)
    try reader.expectEnd()
  }

  @Test func aFailedReadTakesNothing() throws {
    var reader = ByteReader([0, 1, 2][1...])
    #expect(throws: ByteReaderError.truncated(offset: 0)) { try reader.readUInt64() }
    #expect(throws: ByteReaderError.truncated(offset: 0)) { try reader.readBytes(count: 3) }
    #expect(throws: ByteReaderError.truncated(offset: 0)) { try reader.readBytes(count: -1) }
    #expect(throws: ByteReaderError.truncated(offset: 0)) { try reader.readSlice(count: .max) }
    #expect(try reader.readUInt16() == 0x0102)
    #expect(throws: ByteReaderError.truncated(offset: 2)) { try reader.readUInt8() }
  }

  @Test func readsWhatTheWriterWrote() throws {
    var writer = ByteWriter(capacity: 32)
    writer.write(UInt8(0xAB))
    writer.write(UInt16(0x0102))
    writer.write(UInt32(0x0102_0304), order: .littleEndian)
    writer.write(UInt64.max)
    writer.write([7, 8])
    #expect(writer.count == 17)
    #expect(writer.bytes.prefix(7) == [0xAB, 1, 2, 4, 3, 2, 1])
    var reader = ByteReader(writer.bytes)
    #expect(try reader.readUInt8() == 0xAB)
    #expect(try reader.readUInt16() == 0x0102)
    #expect(try reader.readUInt32(order: .littleEndian) == 0x0102_0304)
    #expect(try reader.readUInt64() == .max)
    #expect(try reader.readBytes(count: 2) == [7, 8])
  }
}
