import AuthenticatorCore

/// Refuses what would not be one well-formed request, before any of it can reach libcurl.
struct RequestCheck {
  let configuration: CurlConfiguration

  /// Fields that belong to the transport.
  private static let reserved: Set<String> = [
    "host", "content-length", "transfer-encoding", "connection", "expect", "te", "trailer", "upgrade",
  ]

  /// - Throws: `invalidRequest`; `transportFailed` when plain http is not allowed there.
  func check(_ request: HTTPRequest) throws {
    guard (1...32).contains(request.method.utf8.count), request.method.utf8.allSatisfy(Self.isTokenByte) else {
      throw Self.invalid("the method is no token")
    }
    let url = request.url
    let target = url.path + (url.query ?? "")
    guard url.path.hasPrefix("/"), !url.path.contains("?"), target.utf8.count <= 65_536,
      target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
    else { throw Self.invalid("the URL is malformed") }
    for field in request.fields {
      guard !field.name.isEmpty, field.name.utf8.allSatisfy(Self.isTokenByte),
        !Self.reserved.contains(field.name.lowercased())
      else { throw Self.invalid("a field's name is malformed or reserved") }
      guard field.value.utf8.count <= 65_536,
        field.value.utf8.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F })
      else { throw Self.invalid("the value of the field \(field.name) is malformed") }
    }
    guard request.timeout > .zero else {
      throw AuthenticatorError(
        .timedOut, stage: "http", underlying: TransportFailure(mayHaveArrived: false, detail: "no time was given"))
    }
    guard request.maximumBodyBytes >= 0 else { throw Self.invalid("the body limit is negative") }
    guard url.scheme == "https" || isPlainAllowed(url) else {
      throw AuthenticatorError(
        .transportFailed, stage: "http", reason: "plain http to this host is not allowed",
        underlying: TransportFailure(mayHaveArrived: false, detail: "refused before connecting"))
    }
  }

  private func isPlainAllowed(_ url: WebURL) -> Bool {
    configuration.pinnedKeys.isEmpty && (url.isLoopback || configuration.plainHTTPHosts.contains(url.host))
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private static func invalid(_ reason: String) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "http", reason: reason)
  }
}
