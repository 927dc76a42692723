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
  public var name: String
  public var value: String
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// One request.
public struct HTTPRequest: Sendable {
  public var method: String
  public var url: WebURL
  public var fields: [HTTPField]
  public var body: [UInt8]?
  /// For the whole exchange.
  public var timeout: Duration
  /// An answer with a longer body fails with `invalidMessage`.
  public var maximumBodyBytes: Int

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
  public var status: Int
  public var fields: [HTTPField]
  public var body: [UInt8]

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
