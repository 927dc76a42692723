internal import AuthenticatorCore
internal import CMicroHTTPD
internal import CMicroHTTPDShims

/// Request line and header fields as libmicrohttpd read them, and what speaks against them.
///
/// The library hands over C strings: what follows a NUL is lost, a field without a name is left out, folded lines are
/// joined, and a line feed alone ends a line. A proxy in front may have read any of these otherwise, and so have seen
/// another message. The bytes of what was read are therefore added up and must be those that were received.
struct RequestHead {
  let method: String
  /// What follows the method on the request line.
  let target: String
  let version: String
  let fields: [HTTPField]
  /// Whether every byte received is one of a part that was read.
  private let isWhole: Bool

  init(
    of connection: Exchange.Connection, method: UnsafePointer<CChar>?, target: String, version: UnsafePointer<CChar>?
  ) {
    self.method = method.map { String(cString: $0) } ?? ""
    self.target = target
    self.version = version.map { String(cString: $0) } ?? ""
    var read = ReadFields()
    withUnsafeMutablePointer(to: &read) { pointer in
      _ = MHD_get_connection_values_n(
        connection.pointer, .HEADER_KIND,
        { context, _, name, nameSize, value, valueSize in
          guard let context, let name else { return .NO }
          context.assumingMemoryBound(to: ReadFields.self).pointee.take(name, nameSize, value, valueSize)
          return .YES
        }, pointer)
    }
    fields = read.fields
    // Three separators and two ends of lines: of the request line and of the empty line after the fields.
    let line = self.method.utf8.count + target.utf8.count + self.version.utf8.count
    isWhole = read.isPlain && line + read.bytes + 6 == authkit_mhd_header_size(connection.pointer)
  }

  /// What must be refused, since two servers in a row might read it differently (RFC 9112, sections 3, 5 and 6).
  /// - Parameter limit: of the body, in bytes.
  func failure(limit: Int) -> RESTFailure? {
    guard target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return .badRequest("Malformed request target") }
    guard isWhole, fields.allSatisfy(Self.isWellFormed) else { return .badRequest("Malformed header") }
    guard values("Host").count <= 1 else { return .badRequest("Ambiguous host") }
    let lengths = values("Content-Length")
    let encodings = values("Transfer-Encoding")
    guard lengths.count + encodings.count <= 1 else { return .badRequest("Ambiguous message length") }
    if let encoding = encodings.first, encoding.lowercased() != "chunked" || version != "HTTP/1.1" {
      return .badRequest("Unknown transfer coding")
    }
    guard let text = lengths.first else { return nil }
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return .badRequest("Malformed Content-Length")
    }
    guard let length = Int(text), length <= limit else {
      return RESTFailure(status: 413, message: "The request is too large")
    }
    return nil
  }

  private func values(_ name: String) -> [String] {
    fields.filter { ServerRequest.namesMatch($0.name, name) }.map(\.value)
  }

  /// A name is a token, so nothing stands between it and the colon; a value has no control character but the tab.
  private static func isWellFormed(_ field: HTTPField) -> Bool {
    let name = field.name.utf8
    return !name.isEmpty && name.allSatisfy(HTTPToken.admits)
      && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }

  /// Path and query. Of a target in absolute form (`http://host/path`) the host is not looked at.
  var address: (path: String, query: String?) {
    let parts = Self.originForm(target).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts.first.map(String.init) ?? ""
    return (path.isEmpty ? "/" : path, parts.count > 1 ? String(parts[1]) : nil)
  }

  private static func originForm(_ target: String) -> Substring {
    guard target.utf8.first != UInt8(ascii: "/") else { return target[...] }
    for scheme in ["http://", "https://"] where target.prefix(scheme.count).lowercased() == scheme {
      return target.dropFirst(scheme.count).drop { $0 != "/" && $0 != "?" }
    }
    return target[...]
  }
}

/// The fields that the library lists, and the bytes that they stand for.
private struct ReadFields {
  var fields: [HTTPField] = []
  var bytes = 0
  /// Whether each value stood on the line of its name.
  var isPlain = true

  mutating func take(_ name: UnsafePointer<CChar>, _ nameSize: Int, _ value: UnsafePointer<CChar>?, _ valueSize: Int) {
    guard let value else {
      isPlain = false
      return
    }
    fields.append(HTTPField(String(cString: name), String(cString: value)))
    // The colon, and the white space before the value; folded lines are joined elsewhere in memory.
    let gap = Int(bitPattern: value) - Int(bitPattern: name) - nameSize
    guard gap > 0, gap < 1 << 20 else {
      isPlain = false
      return
    }
    bytes += nameSize + gap + valueSize + 2
  }
}
