import Glibc

extension [UInt8] {
  /// Whether `other` occurs in it.
  public func contains(_ other: [UInt8]) -> Bool {
    withUnsafeBytes { whole in
      other.withUnsafeBytes { part in
        guard let base = whole.baseAddress, let wanted = part.baseAddress, let first = part.first else { return false }
        var offset = 0
        while offset + part.count <= whole.count,
          let hit = memchr(base + offset, Int32(first), whole.count - part.count + 1 - offset)
        {
          if memcmp(hit, wanted, part.count) == 0 { return true }
          offset = UnsafeRawPointer(hit) - base + 1
        }
        return false
      }
    }
  }
}
