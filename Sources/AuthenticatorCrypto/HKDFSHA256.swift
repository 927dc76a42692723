/// HKDF with SHA-256 (RFC 5869).
public enum HKDFSHA256 {
  /// Derives a key of `outputCount` bytes, 1 to 8,160, from a secret of high entropy.
  ///
  /// `info` keeps keys for different purposes apart. Throws `CryptoError.Code.invalidParameter` for another length.
  public static func derive(
    from secret: SecretBytes, salt: [UInt8] = [], info: [UInt8], outputCount: Int = 32
  ) throws(CryptoError) -> SecretBytes {
    guard (1...255 * 32).contains(outputCount) else {
      throw CryptoError(.invalidParameter, "HKDF yields 1 to 8,160 bytes")
    }
    let pseudorandomKey = SecretBytes(
      secret.withUnsafeBytes { secret in
        salt.withUnsafeBytes { salt in HMACSHA256.code(for: secret, key: salt) }
      })
    return SecretBytes(count: outputCount) { output in
      var block: [UInt8] = []
      var position = 0
      var round: UInt8 = 1
      while position < outputCount {
        var message = block + info + [round]
        ConstantTime.wipe(&block)
        block = HMACSHA256.authenticationCode(for: message, key: pseudorandomKey)
        ConstantTime.wipe(&message)
        let size = min(block.count, outputCount - position)
        for index in 0..<size { output[position + index] = block[index] }
        position += size
        round &+= 1
      }
      ConstantTime.wipe(&block)
    }
  }
}

extension UnsafeMutableRawBufferPointer.SubSequence {
  fileprivate func copyBytes(from source: UnsafeRawBufferPointer.SubSequence) {
    UnsafeMutableRawBufferPointer(rebasing: self).copyBytes(from: source)
  }
}
