extension String {
  /// Whether both are the same bytes of UTF-8: how names are compared that come from servers, stores and devices.
  ///
  /// For `==`, texts that look alike and are encoded differently are one, and two users would become one.
  package func isIdentical(to other: String) -> Bool {
    let result = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in left.isIdentical(to: right) }
    }
    return result.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
  }
}

extension Hasher {
  /// Mixes in the bytes of a text, for types whose texts are equal when they are identical.
  package mutating func combine(identityOf text: String) {
    var text = text
    text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether both hold the same bytes; not for secrets, the time tells where they differ.
  func isIdentical(to other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard count == other.count else { return false }
    guard let left = UnsafeRawPointer(baseAddress), let right = UnsafeRawPointer(other.baseAddress) else { return true }
    var offset = 0
    while count - offset >= 8 {
      guard
        left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      else { return false }
      offset += 8
    }
    while offset < count {
      guard self[offset] == other[offset] else { return false }
      offset += 1
    }
    return true
  }
}
