extension String {
  /// Whether both are the same bytes of UTF-8: how names are compared that come from servers, stores and devices.
  ///
  /// For `==`, texts that look alike and are encoded differently are one, and two users would become one.
  package func isIdentical(to other: String) -> Bool {
    let result = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in left.count == right.count && left.elementsEqual(right) }
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
