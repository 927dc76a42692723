internal import CCurl
internal import CCurlShims

/// The functions libcurl calls while a transfer runs, on the loop's thread. The last argument is the `CurlExchange`.
enum CurlCallbacks {
  static let header: curl_write_callback = { bytes, size, count, target in
    CurlCallbacks.pass(bytes, size, count, target) { $0.take(header: $1) }
  }

  static let write: curl_write_callback = { bytes, size, count, target in
    CurlCallbacks.pass(bytes, size, count, target) { $0.take(body: $1) }
  }

  static let read: curl_read_callback = { bytes, size, count, source in
    guard let bytes, let source else { return 0 }
    let exchange = Unmanaged<CurlExchange>.fromOpaque(source).takeUnretainedValue()
    return exchange.give(UnsafeMutableRawBufferPointer(start: bytes, count: size &* count))
  }

  static let seek: curl_seek_callback = { _, _, _ in CURL_SEEKFUNC_FAIL }

  /// Returns as many bytes as there were, or 0, which ends the transfer, when the exchange refuses them.
  private static func pass(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ target: UnsafeMutableRawPointer?,
    _ take: (CurlExchange, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    let length = size &* count
    guard let bytes, let target, length > 0 else { return length }
    let exchange = Unmanaged<CurlExchange>.fromOpaque(target).takeUnretainedValue()
    return take(exchange, UnsafeRawBufferPointer(start: bytes, count: length)) ? length : 0
  }
}
