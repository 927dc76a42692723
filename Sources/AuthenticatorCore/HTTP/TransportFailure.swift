/// How far an exchange came before it failed: the `underlying` error of what an `HTTPTransport` throws.
///
/// An app that reads it knows whether sending the same request again is safe or may do something twice.
public struct TransportFailure: Error, Hashable, Sendable {
  /// False only when it is certain that no byte of the request reached the server.
  public var mayHaveArrived: Bool
  /// The library's or system's own error number; 0 when there is none.
  public var code: Int
  /// One sentence for a developer, without header values, bodies or query text.
  public var detail: String

  /// Made by transports.
  public init(mayHaveArrived: Bool, code: Int = 0, detail: String = "") {
    self.mayHaveArrived = mayHaveArrived
    self.code = code
    self.detail = detail
  }
}

extension AuthenticatorError {
  /// Whether the request behind this error certainly never reached its server, so that sending it again cannot do
  /// anything twice. False also when nothing is known.
  public var isSafeToRetry: Bool {
    (underlying as? TransportFailure).map { !$0.mayHaveArrived } ?? false
  }
}
