/// Sends one request and returns one answer. Knows no protocol, keeps no cookies, follows no redirect.
///
/// Conform to it to bring another HTTP client. Owed: limits are enforced while the answer arrives, not after;
/// a cancelled task ends the exchange.
public protocol HTTPTransport: Sendable {
  /// - Throws: `transportFailed` (unreachable, TLS, cut off), `timedOut`, `invalidMessage` (an answer beyond a limit).
  func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// One header field; names compare without regard to case.
public struct HTTPField: Hashable, Sendable {
  /// The name, as it stands on the wire.
  public var name: String
  /// The value, without surrounding white space.
  public var value: String
  /// Makes a field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// One request.
public struct HTTPRequest: Sendable {
  /// The method in capitals: `GET`, `POST`, `DELETE`.
  public var method: String
  /// Where it goes.
  public var url: WebURL
  /// Header fields, sent in order.
  public var fields: [HTTPField]
  /// The body; nil sends none.
  public var body: [UInt8]?
  /// For the whole exchange.
  public var timeout: Duration
  /// An answer with a longer body fails with `invalidMessage`.
  public var maximumBodyBytes: Int

  /// Makes a request; 30 seconds and 1 MiB unless told otherwise.
  public init(
    method: String, url: WebURL, fields: [HTTPField] = [], body: [UInt8]? = nil, timeout: Duration = .seconds(30),
    maximumBodyBytes: Int = 1 << 20
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    self.timeout = timeout
    self.maximumBodyBytes = maximumBodyBytes
  }
}

/// One answer.
public struct HTTPResponse: Sendable {
  /// The status code; any, also 4xx and 5xx, is an answer and no error.
  public var status: Int
  /// Header fields in the order received.
  public var fields: [HTTPField]
  /// The body, empty when there is none.
  public var body: [UInt8]

  /// Makes an answer.
  public init(status: Int, fields: [HTTPField], body: [UInt8]) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// The values of a field, in order.
  public func values(_ name: String) -> [String] {
    let name = name.lowercased()
    return fields.filter { $0.name.lowercased() == name }.map(\.value)
  }
}
