import AuthenticatorCoding

/// The server's refusal.
public struct JourneyFailure: Sendable {
  /// What kind of refusal it is.
  public let code: JourneyErrorCode
  /// The HTTP status.
  public let status: Int
  /// The server's own words for the person, at most 1,024 bytes, without class names and control characters; empty
  /// when there were none.
  public let message: String
  /// The server's short reason (`Unauthorized`); empty when there was none.
  public let reason: String
  /// The requirements a value broke; only with `policyFailure`.
  public let failedPolicies: [FailedPolicy]
  /// Where the tree wants a browser to go; often empty.
  public let failureURL: String
  /// The answer's JSON as received; nil when it was not JSON.
  public let body: JSONObject?

  package init(
    code: JourneyErrorCode, status: Int, message: String = "", reason: String = "",
    failedPolicies: [FailedPolicy] = [], failureURL: String = "", body: JSONObject? = nil
  ) {
    self.code = code
    self.status = status
    self.message = message
    self.reason = reason
    self.failedPolicies = failedPolicies
    self.failureURL = failureURL
    self.body = body
  }
}

extension JourneyFailure: CustomStringConvertible, CustomReflectable {
  /// Code and status only: the body may repeat tokens.
  public var description: String { "\(code) (\(status))" }
  public var customMirror: Mirror { Mirror(self, children: ["code": code, "status": status]) }
}

/// One requirement that a value did not meet.
public struct FailedPolicy: Hashable, Sendable {
  /// The property: `password`.
  public let property: String
  /// The requirement's name: `MIN_LENGTH`. An unknown one is kept as received.
  public let requirement: String
  /// Its parameters: `{"minLength": 8}`.
  public let parameters: JSONObject

  package init(property: String, requirement: String, parameters: JSONObject) {
    self.property = property
    self.requirement = requirement
    self.parameters = parameters
  }
}
