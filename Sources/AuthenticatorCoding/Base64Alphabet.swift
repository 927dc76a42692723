/// The two tables of a base64 variant.
struct Base64Alphabet: Sendable {
  enum Padding: Sendable { case required, forbidden, optional }

  static let standard = Base64Alphabet(last: (UInt8(ascii: "+"), UInt8(ascii: "/")))
  static let url = Base64Alphabet(last: (UInt8(ascii: "-"), UInt8(ascii: "_")))

  private static let pad = UInt8(ascii: "=")
  private static let invalid: UInt8 = 0xFF

  /// The 64 characters by value.
  private let characters: [UInt8]
  /// The value of each of the 256 bytes, or `invalid`.
  private let values: [UInt8]

  private init(last: (UInt8, UInt8)) {
    var characters: [UInt8] = []
    characters += UInt8(ascii: "A")...UInt8(ascii: "Z")
    characters += UInt8(ascii: "a")...UInt8(ascii: "z")
    characters += UInt8(ascii: "0")...UInt8(ascii: "9")
    characters += [last.0, last.1]
    var values = [UInt8](repeating: Self.invalid, count: 256)
    for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
    self.characters = characters
    self.values = values
  }

  func encode(_ bytes: some Sequence<UInt8>, padding: Bool) -> String {
    bytes.withContiguousStorageIfAvailable { encode(buffer: $0, padding: padding) }
      ?? Array(bytes).withUnsafeBufferPointer { encode(buffer: $0, padding: padding) }
  }

  /// Appends text to a buffer instead of making a string of it.
  func append(_ bytes: [UInt8], padding: Bool, to text: inout [UInt8]) {
    let size = size(of: bytes.count, padding: padding)
    let start = text.count
    text.append(contentsOf: repeatElement(0, count: size))
    bytes.withUnsafeBufferPointer { bytes in
      text.withUnsafeMutableBufferPointer { text in
        write(bytes, padding: padding, to: UnsafeMutableBufferPointer(rebasing: text[start...]))
      }
    }
  }

  private func size(of count: Int, padding: Bool) -> Int {
    let tail = count % 3
    return count / 3 * 4 + (tail == 0 ? 0 : padding ? 4 : tail + 1)
  }

  private func encode(buffer bytes: UnsafeBufferPointer<UInt8>, padding: Bool) -> String {
    let size = size(of: bytes.count, padding: padding)
    return String(unsafeUninitializedCapacity: size) { output in
      write(bytes, padding: padding, to: output)
      return size
    }
  }

  /// Fills the first `size(of:padding:)` bytes of the output.
  private func write(
    _ bytes: UnsafeBufferPointer<UInt8>, padding: Bool, to output: UnsafeMutableBufferPointer<UInt8>
  ) {
    characters.withUnsafeBufferPointer { characters in
      let tail = bytes.count % 3
      let whole = bytes.count - tail
      var (index, position) = (0, 0)
      while index < whole {
        let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
        output[position] = characters[Int(group >> 18)]
        output[position + 1] = characters[Int(group >> 12 & 63)]
        output[position + 2] = characters[Int(group >> 6 & 63)]
        output[position + 3] = characters[Int(group & 63)]
        index += 3
        position += 4
      }
      guard tail > 0 else { return }
      let group = UInt32(bytes[whole]) << 16 | (tail == 2 ? UInt32(bytes[whole + 1]) << 8 : 0)
      output[position] = characters[Int(group >> 18)]
      output[position + 1] = characters[Int(group >> 12 & 63)]
      if tail == 2 { output[position + 2] = characters[Int(group >> 6 & 63)] }
      guard padding else { return }
      for place in position + tail + 1..<position + 4 { output[place] = Self.pad }
    }
  }

  func decode(_ text: some Collection<UInt8>, padding: Padding) throws(TextDecodingError) -> [UInt8] {
    let decoded = text.withContiguousStorageIfAvailable { decode(buffer: $0, padding: padding) }
    return try (decoded ?? Array(text).withUnsafeBufferPointer { decode(buffer: $0, padding: padding) }).get()
  }

  /// How many bytes a text without padding is, when it is the one accepted form of them.
  func count(ofCanonical text: UnsafeBufferPointer<UInt8>) -> Int? {
    let tail = text.count % 4
    guard tail != 1 else { return nil }
    let isValid = values.withUnsafeBufferPointer { values in
      var value: UInt8 = 0
      for byte in text {
        value = values[Int(byte)]
        if value == Self.invalid { return false }
      }
      // What the last character has beyond whole bytes is zero.
      return tail == 0 || value & (tail == 2 ? 0x0F : 0x03) == 0
    }
    return isValid ? text.count / 4 * 3 + (tail == 0 ? 0 : tail - 1) : nil
  }

  private func decode(
    buffer text: UnsafeBufferPointer<UInt8>, padding: Padding
  ) -> Result<[UInt8], TextDecodingError> {
    var count = text.count
    var padCount = 0
    while padCount < 2, count > 0, text[count - 1] == Self.pad {
      padCount += 1
      count -= 1
    }
    let tail = count % 4
    if padCount > 0 {
      guard padding != .forbidden, padCount + tail == 4 else { return .failure(.invalidPadding) }
    } else if padding == .required, tail == 2 || tail == 3 {
      return .failure(.invalidPadding)
    }
    guard tail != 1 else { return .failure(.invalidLength) }

    var failure: TextDecodingError?
    let size = count / 4 * 3 + (tail == 0 ? 0 : tail - 1)
    let bytes = values.withUnsafeBufferPointer { values in
      [UInt8](unsafeUninitializedCapacity: size) { output, produced in
        produced = 0
        var pending: UInt32 = 0
        var bits = 0
        for index in 0..<count {
          let value = values[Int(text[index])]
          if value == Self.invalid {
            failure = .invalidCharacter(offset: index)
            return
          }
          pending = pending << 6 | UInt32(value)
          bits += 6
          if bits >= 8 {
            bits -= 8
            output.initializeElement(at: produced, to: UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
            produced += 1
          }
        }
        if pending & ((1 << UInt32(bits)) - 1) != 0 { failure = .nonzeroTrailingBits }
      }
    }
    if let failure { return .failure(failure) }
    return .success(bytes)
  }
}
