internal import AuthenticatorCoding

/// A request to the Frontend API, taken apart.
struct FrontendRequest: Sendable {
  let request: ServerRequest
  /// What follows `/v1`, decoded.
  let path: [String]
  let query: QueryItems

  private static let maximumSegments = 8

  /// Takes a request to `/v1/…` or, below the server's context path, to `/am/v1/…`; nil for any other.
  ///
  /// Throws `FrontendFailure` for a malformed path or query.
  init?(_ request: ServerRequest, contextPath: String) throws(FrontendFailure) {
    guard let rest = Self.rest(of: request.path, contextPath: contextPath) else { return nil }
    var path: [String] = []
    for segment in rest.split(separator: UInt8(ascii: "/"), maxSplits: Self.maximumSegments + 1) {
      guard path.count < Self.maximumSegments else { throw FrontendFailure(.resourceNotFound) }
      guard let text = PercentEncoding.decode(segment, plusIsSpace: false) else {
        throw FrontendFailure(.requestBodyInvalid)
      }
      path.append(text)
    }
    self.request = request
    self.path = path
    do { query = try QueryItems(request.query) } catch { throw FrontendFailure(.requestBodyInvalid) }
  }

  private static func rest(of path: String, contextPath: String) -> Substring.UTF8View.SubSequence? {
    for prefix in ["/v1/", contextPath + "/v1/"] where path.utf8.starts(with: prefix.utf8) {
      return path.utf8.dropFirst(prefix.utf8.count)
    }
    return nil
  }

  var method: String { request.method }

  /// The device token as it was sent; nil: none was.
  var deviceToken: String? {
    guard let field = request.field("Authorization") else { return nil }
    let token = field.trimmed
    return token.isEmpty || token.lowercased() == "bearer" ? nil : token
  }

  /// What the device calls its installation; nil when it does not, or says something absurd.
  var installation: String? {
    guard let field = request.field("x-native-device-id")?.trimmed, (1...256).contains(field.utf8.count) else {
      return nil
    }
    return field
  }

  /// The form in the body; empty when there is none.
  ///
  /// Throws `FrontendFailure`: another content type, too many bytes, no UTF-8, a broken escape, a field given twice.
  func form() throws(FrontendFailure) -> FormFields {
    guard !request.body.isEmpty else { return FormFields(items: QueryItems()) }
    guard let type = request.field("Content-Type"), FormFields.isForm(type) else {
      throw FrontendFailure(.unsupportedContentType)
    }
    guard request.body.count <= FormFields.maximumBytes else { throw FrontendFailure(.requestTooLarge) }
    guard let text = String(validating: request.body, as: UTF8.self), let items = try? QueryItems(text) else {
      throw FrontendFailure(.requestBodyInvalid)
    }
    return FormFields(items: items)
  }
}

/// The fields of a form. A field that is empty is absent.
struct FormFields: Sendable {
  /// The longest form, in bytes.
  static let maximumBytes = 32 * 1024

  let items: QueryItems

  static func isForm(_ contentType: String) -> Bool {
    let type = contentType.split(separator: ";", maxSplits: 1).first ?? ""
    return String(type).trimmed.lowercased() == "application/x-www-form-urlencoded"
  }

  subscript(name: String) -> String? {
    guard let value = items[name], !value.isEmpty else { return nil }
    return value
  }

  func required(_ name: String) throws(FrontendFailure) -> String {
    guard let value = self[name] else { throw FrontendFailure(.formParamMissing, name) }
    return value
  }
}

extension String {
  /// Without the spaces and tabs around it.
  fileprivate var trimmed: String {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    let bytes = utf8.drop(while: isSpace)
    return String(decoding: bytes.reversed().drop(while: isSpace).reversed(), as: UTF8.self)
  }
}
