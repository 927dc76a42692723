public import AuthenticatorCore

/// One request as the server sees it, whatever carried it.
public struct ServerRequest: Sendable {
  /// In upper case, as on the request line.
  public var method: String
  /// The path as it was sent, percent-encoded; begins with `/`.
  public var path: String
  /// What follows the question mark, as it was sent; nil when there was none.
  public var query: String?
  /// Header fields in the order received.
  public var fields: [HTTPField]
  /// The body, empty when there is none.
  public var body: [UInt8]
  /// The address the request came from; empty for calls in process.
  public var peer: String

  /// Makes a request.
  public init(
    method: String, path: String, query: String? = nil, fields: [HTTPField] = [], body: [UInt8] = [], peer: String = ""
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.fields = fields
    self.body = body
    self.peer = peer
  }

  /// Takes a client's request; the URL's host is not looked at.
  public init(_ request: HTTPRequest) {
    self.init(
      method: request.method, path: request.url.path, query: request.url.query, fields: request.fields,
      body: request.body ?? [])
  }

  /// The first value of a header field; names compare without regard to case.
  public func field(_ name: String) -> String? {
    fields.first { Self.namesMatch($0.name, name) }?.value
  }

  /// Compares two header names as ASCII, without regard to case and without making new strings.
  static func namesMatch(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    return zip(left.utf8, right.utf8).allSatisfy { lower($0) == lower($1) }
  }

  private static func lower(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 0x20 : byte }
}

/// One answer of the server.
public struct ServerResponse: Sendable {
  /// The status code.
  public var status: Int
  /// Header fields, without those that the transport adds.
  public var fields: [HTTPField]
  /// The body, empty when there is none.
  public var body: [UInt8]

  /// Makes an answer.
  public init(status: Int, fields: [HTTPField] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}
