public import AuthenticatorCoding

/// A failure as PingAM writes it: `{"code", "reason", "message", "detail"}` with the status `code`.
public struct RESTFailure: Error, Sendable {
  /// The HTTP status.
  public var status: Int
  /// For people; never a secret.
  public var message: String
  /// Further members under `detail`; nil: none.
  public var detail: JSONObject?
  /// Whole seconds a client should wait (`Retry-After`); nil: not said.
  public var retryAfter: Int?
  /// The methods that the address does have (`Allow`); for status 405.
  public var allowedMethods: [String] = []

  /// Makes a failure.
  public init(status: Int, message: String, detail: JSONObject? = nil, retryAfter: Int? = nil) {
    self.status = status
    self.message = message
    self.detail = detail
    self.retryAfter = retryAfter
  }

  /// The reason phrase of the status.
  public var reason: String {
    switch status {
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 409: "Conflict"
    case 413: "Request Entity Too Large"
    case 415: "Unsupported Media Type"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    default: "Error"
    }
  }

  /// The body.
  var body: JSONValue {
    var body: JSONObject = ["code": .integer(Int64(status)), "reason": .string(reason), "message": .string(message)]
    if let detail { body["detail"] = .object(detail) }
    return .object(body)
  }
}

extension RESTFailure {
  /// The request is malformed or contradicts the journey.
  public static func badRequest(_ message: String) -> RESTFailure { RESTFailure(status: 400, message: message) }

  /// Wrong credentials, and the end of a tree's failure branch.
  public static let loginRefused = RESTFailure(status: 401, message: "Login failure", detail: ["failureUrl": ""])

  /// The step's time is over, or it was posted before. `errorCode` is text, as PingAM sends it.
  public static let timedOut = RESTFailure(
    status: 401, message: "Session has timed out", detail: ["errorCode": "110"])

  /// Too many failures; said alike for accounts that exist and for those that do not.
  public static func accountLocked(retryAfter: Int?) -> RESTFailure {
    RESTFailure(
      status: 401, message: "Your account has been locked.", detail: ["failureUrl": ""], retryAfter: retryAfter)
  }

  /// The account exists and was switched off.
  public static let accountInactive = RESTFailure(
    status: 401, message: "User is not active.", detail: ["failureUrl": ""])

  /// A resume link that was used, has expired or never was one; the class name is part of PingAM's text.
  public static let suspendedTokenNotFound = RESTFailure(
    status: 401,
    message:
      "org.forgerock.openam.auth.nodes.framework.token.SuspendedAuthSessionException: Token not found. It may have expired."
  )

  /// No session, or one that is over.
  public static let accessDenied = RESTFailure(status: 401, message: "Access Denied")

  /// The session is not allowed to.
  public static let forbidden = RESTFailure(status: 403, message: "Access Denied")

  /// There is nothing at this address.
  public static func notFound(_ message: String = "Resource not found") -> RESTFailure {
    RESTFailure(status: 404, message: message)
  }

  /// The address has these methods and not the one that was used.
  public static func methodNotAllowed(allowed: String...) -> RESTFailure {
    var failure = RESTFailure(status: 405, message: "Method not allowed")
    failure.allowedMethods = allowed
    return failure
  }

  /// A journey may not keep as much as was answered.
  static let answersTooLarge = RESTFailure(status: 413, message: "The answers are too large")

  /// Work is refused before it is begun; nothing was counted against the client.
  public static let overloaded = RESTFailure(status: 503, message: "The server is busy. Try again.", retryAfter: 1)

  /// A fault of the server; what it was stays in the server.
  public static let internalFault = RESTFailure(status: 500, message: "Authentication Error!!")
}
