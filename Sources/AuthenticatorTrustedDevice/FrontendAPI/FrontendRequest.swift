import AuthenticatorCore

/// One request of the Frontend API, before it is given its address and fields.
struct FrontendRequest: Sendable {
  /// Whether it may be sent again when it failed.
  enum Retrying: Sendable {
    /// Once: acting twice does no harm.
    case once
    /// Never: it uses something up that exists once.
    case never
  }

  var method: String
  /// Parts of the path after `/v1`, not yet percent-encoded.
  var path: [String]
  /// Members in order; nil values are left out.
  var form: [(name: String, value: String?)]
  /// The session it is made in, for the user's own addresses.
  var sessionID: String?
  var retrying: Retrying

  init(
    _ method: String, _ path: String..., form: [(name: String, value: String?)] = [], sessionID: String? = nil,
    retrying: Retrying
  ) {
    self.method = method
    self.path = path
    self.form = form
    self.sessionID = sessionID
    self.retrying = retrying
  }

  /// Path and query under the server's address.
  func url(of server: WebURL) -> WebURL {
    var url = server.appending(path: "/v1/" + path.map(PercentEncoding.encode).joined(separator: "/"))
    var query: [(name: String, value: String)] = []
    if let sessionID { query.append(("_clerk_session_id", sessionID)) }
    query.append(("_is_native", "true"))
    url.query = PercentEncoding.query(query)
    return url
  }

  /// `application/x-www-form-urlencoded`; nil: there is no body.
  var body: [UInt8]? {
    let members = form.compactMap { member in member.value.map { (name: member.name, value: $0) } }
    if members.isEmpty { return method == "POST" ? [] : nil }
    return Array(PercentEncoding.query(members).utf8)
  }
}
