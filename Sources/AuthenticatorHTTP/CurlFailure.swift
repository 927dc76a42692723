import AuthenticatorCore
internal import CCurl
internal import CCurlShims

/// What libcurl's error numbers mean in our vocabulary; the only place that reads them.
enum CurlFailure {
  static func error(_ code: CURLcode, handle: UnsafeMutableRawPointer, refusal: String?) -> AuthenticatorError {
    var requestBytes = 0
    let isKnown = authkit_curl_get_long(handle, CURLINFO_REQUEST_SIZE, &requestBytes) == CURLE_OK
    let underlying = TransportFailure(
      mayHaveArrived: !isKnown || requestBytes > 0, code: Int(code.rawValue),
      detail: refusal ?? text(code))
    return AuthenticatorError(
      Self.code(code, isRefused: refusal != nil), stage: "http", reason: underlying.detail, underlying: underlying)
  }

  /// libcurl's own words, except for those of its repeating a request by itself, which is not let.
  private static func text(_ code: CURLcode) -> String {
    code == CURLE_SEND_FAIL_REWIND
      ? "the connection ended before the answer" : String(cString: curl_easy_strerror(code))
  }

  static func code(_ code: CURLcode, isRefused: Bool) -> AuthenticatorError.Code {
    if isRefused { return .invalidMessage }
    return switch code {
    case CURLE_OPERATION_TIMEDOUT: .timedOut
    // HTTP/0.9 counts as an unsupported protocol.
    case CURLE_FILESIZE_EXCEEDED, CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING,
      CURLE_WRITE_ERROR:
      .invalidMessage
    default: .transportFailed
    }
  }

  /// For a transfer that never began.
  static func unavailable(_ detail: String) -> AuthenticatorError {
    AuthenticatorError(
      .transportFailed, stage: "http", reason: detail,
      underlying: TransportFailure(mayHaveArrived: false, detail: detail))
  }

  /// For a task that was cancelled.
  static func cancelled(mayHaveArrived: Bool) -> AuthenticatorError {
    AuthenticatorError(
      .appCanceled, stage: "http",
      underlying: TransportFailure(mayHaveArrived: mayHaveArrived, detail: "the task was cancelled"))
  }
}
