import AuthenticatorCore

/// `HTTPTransport` on libcurl: own certificates, key pinning, limits enforced while an answer arrives.
///
/// Connections are kept and reused. All transfers run on one thread of the transport's own, never on Swift's
/// cooperative pool. A request is sent at most once: whether a failed one may be sent again is told by
/// `AuthenticatorError.isSafeToRetry`. HTTP/1.1, `https`, and `http` where `CurlConfiguration` allows it.
public final class CurlTransport: HTTPTransport {
  private let configuration: CurlConfiguration
  private let loop: CurlLoop

  /// Starts the transport's thread; it ends with the transport.
  /// - Throws: `invalidRequest`, naming the setting that cannot be used; `transportFailed` when libcurl cannot start.
  public init(_ configuration: CurlConfiguration = CurlConfiguration()) throws {
    try configuration.check()
    self.configuration = configuration
    loop = try CurlLoop(configuration)
  }

  deinit { loop.stop() }

  /// Sends one request. Any status is an answer, also 3xx, which is never followed.
  /// - Throws: `transportFailed` (unreachable, untrusted, cut off), `timedOut`, `invalidMessage` (not HTTP, or beyond a
  ///   limit), `invalidRequest` (refused before connecting), `appCanceled`.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestCheck(configuration: configuration).check(request)
    let exchange = CurlExchange(request, configuration: configuration)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        exchange.continuation = continuation
        loop.submit(exchange)
      }
    } onCancel: {
      loop.cancel(exchange)
    }
  }
}
