/// The link that resumes a parked journey is an address of the REST interface, which takes POST. A browser that follows
/// it is sent to the page, which posts.
enum ResumeRedirect {
  /// The page's address for a followed link; nil for any other request.
  static func target(of request: ServerRequest, contextPath: String) throws(RESTFailure) -> String? {
    guard request.method == "GET", request.path.hasSuffix("/authenticate"),
      request.query?.contains("suspendedId=") == true, let call = try RESTRequest(request, contextPath: contextPath),
      call.path == ["authenticate"], let id = call.parameter("suspendedId"), !id.isEmpty,
      id.utf8.allSatisfy(isPlain)
    else { return nil }
    return "/?suspendedId=\(id)&realm=\(call.realm.path)"
  }

  /// What ids are made of: base64url.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}
