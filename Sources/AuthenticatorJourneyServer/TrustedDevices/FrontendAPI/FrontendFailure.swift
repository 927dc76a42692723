internal import AuthenticatorCoding
internal import AuthenticatorCore

/// A refusal as the vendor writes it: `{"errors": [{"code", "message", "long_message", "meta"}], "clerk_trace_id"}`.
struct FrontendFailure: Error, Hashable, Sendable {
  var code: FrontendErrorCode
  /// The form field at fault (`meta.param_name`); nil: none is.
  var parameter: String?
  /// Whole seconds until the lock is over (`meta.lockout_expires_in_seconds`) or until a client should try again.
  var retryAfter: Int?

  init(_ code: FrontendErrorCode, _ parameter: String? = nil, retryAfter: Int? = nil) {
    self.code = code
    self.parameter = parameter
    self.retryAfter = retryAfter
  }

  /// Tells apart what went wrong elsewhere; nothing of it is told to the client.
  init(_ error: any Error) {
    switch error {
    case let failure as FrontendFailure: self = failure
    case let failure as RESTFailure:
      switch failure.status {
      case 400: self.init(.requestBodyInvalid)
      case 429: self.init(.tooManyRequests, retryAfter: failure.retryAfter)
      case 503: self.init(.serviceUnavailable, retryAfter: failure.retryAfter)
      default: self.init(.internalError)
      }
    case let error as RegistryError where error.code == .full || error.code == .busy:
      self.init(.serviceUnavailable, retryAfter: 1)
    default: self.init(.internalError)
    }
  }

  func response(traceID: String, fields: [HTTPField] = []) -> ServerResponse {
    var meta: JSONObject = [:]
    if let parameter { meta["param_name"] = .string(parameter) }
    if let retryAfter, code == .userLocked { meta["lockout_expires_in_seconds"] = .integer(Int64(retryAfter)) }
    let error: JSONValue = [
      "code": .string(code.rawValue), "message": .string(code.message), "long_message": .string(code.message + "."),
      "meta": .object(meta),
    ]
    var fields = fields
    if let retryAfter { fields.append(HTTPField("Retry-After", "\(retryAfter)")) }
    return .json(["errors": [error], "clerk_trace_id": .string(traceID)], status: code.status, fields: fields)
  }
}
