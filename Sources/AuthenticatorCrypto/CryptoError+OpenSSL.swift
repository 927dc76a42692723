internal import COpenSSL

extension CryptoError {
  /// Makes an error from OpenSSL's error queue of this thread and empties the queue, so that no later call reads it.
  static func library(_ reason: StaticString, code: Code = .libraryFailed) -> CryptoError {
    let first = ERR_get_error()
    ERR_clear_error()
    return CryptoError(code, reason, libraryCode: first == 0 ? nil : UInt(first))
  }
}
