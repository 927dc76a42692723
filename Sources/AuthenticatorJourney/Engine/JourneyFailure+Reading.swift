import AuthenticatorCoding
import AuthenticatorCore

extension JourneyFailure {
  /// Reads the body of a 4xx or 5xx answer; nil when it was no JSON object.
  init(status: Int, json: JSONObject?) {
    let rawMessage = json?["message"]?.stringValue ?? json?["errorMessage"]?.stringValue ?? ""
    let detail = json?["detail"]
    let policies = Self.failedPolicies(detail)
    self.init(
      code: Self.code(status: status, json: json, message: rawMessage, hasPolicies: !policies.isEmpty),
      status: status, message: Self.cleaned(rawMessage), reason: Self.cleaned(json?["reason"]?.stringValue ?? ""),
      failedPolicies: policies,
      failureURL: detail?["failureUrl"]?.stringValue ?? json?["failureUrl"]?.stringValue ?? "", body: json)
  }

  private static func code(status: Int, json: JSONObject?, message: String, hasPolicies: Bool) -> JourneyErrorCode {
    if message.contains("SuspendedAuthSessionException") { return .suspendedSession }
    let errorCode = json?["detail"]?["errorCode"]
    if errorCode?.stringValue == "110" || errorCode?.intValue == 110 { return .timeout }
    if status < 500, json?["code"]?.wholeNumberValue == 1999 || message.contains("requestTimedOut") { return .timeout }
    if status < 500, hasPolicies { return .policyFailure }
    return switch status {
    case 401: .loginFailure
    case 403: .forbidden
    case 500...: .serverFault
    default: .badRequest
    }
  }

  private static func failedPolicies(_ detail: JSONValue?) -> [FailedPolicy] {
    let properties = detail?["failedPolicyRequirements"]?.arrayValue ?? []
    return properties.prefix(100).flatMap { entry -> [FailedPolicy] in
      let property = entry["property"]?.stringValue ?? ""
      let requirements = entry["policyRequirements"]?.arrayValue ?? []
      return requirements.prefix(100).compactMap { FailedPolicy(property: property, $0) }
    }
  }

  /// A message without the Java class names that some versions put in front.
  static func cleaned(_ text: String) -> String {
    var rest = text[...]
    while let colon = rest.firstIndex(of: ":"), isClassName(rest[..<colon]) {
      rest = rest[rest.index(after: colon)...].drop { $0 == " " }
    }
    return DisplayText.cleaned(rest, maximumBytes: 1024)
  }

  /// At least two dots' worth of Java identifiers: `org.forgerock.openam.SomeException`.
  private static func isClassName(_ text: Substring) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count >= 3 && text.utf8.count <= 256
      && parts.allSatisfy { part in
        !part.isEmpty && part.utf8.allSatisfy { HTTPToken.admits($0) && $0 != UInt8(ascii: "-") }
      }
  }
}

extension FailedPolicy {
  /// Reads one entry, which servers send as an object or as the object's JSON text. Nil: neither.
  package init?(property: String, _ entry: JSONValue) {
    var object = entry.objectValue
    if object == nil, let text = entry.stringValue {
      do { object = try JSONValue.parse(text, limits: JSONLimits(bytes: 1 << 16, depth: 16)).objectValue } catch {
        return nil
      }
    }
    guard let object, let requirement = object["policyRequirement"]?.stringValue else { return nil }
    self.init(
      property: property, requirement: requirement, parameters: object["params"]?.objectValue ?? JSONObject())
  }
}
