import AuthenticatorCoding
import AuthenticatorCore

/// Turns an answer into a node.
struct JourneyAnswerReader {
  let journey: Journey
  let flow: JourneyFlow
  let context: CallbackContext

  func read(_ response: HTTPResponse) throws -> JourneyNode {
    switch response.status {
    case 200..<300: return try readSuccess(response)
    case 300..<400: return .failure(JourneyFailure(code: .unexpectedRedirect, status: response.status))
    case 400..<600: return .failure(JourneyFailure(status: response.status, json: optionalObject(response.body)))
    default: throw Self.invalid("the answer has an unexpected status")
    }
  }

  private func readSuccess(_ response: HTTPResponse) throws -> JourneyNode {
    let object = try self.object(response.body)
    guard let authID = object["authId"], !authID.isNull else {
      guard object["callbacks"] == nil else { throw Self.invalid("the answer has callbacks and no authId") }
      return .success(try session(object, response))
    }
    guard authID.stringValue?.isEmpty == false else { throw Self.invalid("authId is no text") }
    guard let list = object["callbacks"]?.arrayValue else { throw Self.invalid("the answer has no callbacks") }
    guard list.count <= journey.configuration.limits.callbacks else {
      throw Self.invalid("the answer has too many callbacks")
    }
    let callbacks = try list.enumerated().map { position, value in
      guard let json = value.objectValue else { throw Self.invalid("callback \(position) is no object") }
      return try journey.callbacks.make(CallbackPayload(json, position: position, context: context))
    }
    if let parked = callbacks.lazy.compactMap({ $0 as? SuspendedTextOutputCallback }).first,
      !callbacks.contains(where: { $0.payload.hasInputs })
    {
      return .suspended(SuspendedNode(message: parked.message, callbacks: callbacks))
    }
    return .continue(ContinueNode(json: object, callbacks: callbacks, flow: flow))
  }

  private func session(_ object: JSONObject, _ response: HTTPResponse) throws -> JourneySession {
    var token = object["tokenId"]?.stringValue ?? ""
    if token.isEmpty, !flow.options.noSession { token = tokenFromCookie(response) }
    // The token becomes a field's value; one that cannot be sent is none.
    guard HTTPToken.isFieldValue(token) else { throw Self.invalid("the session token is malformed") }
    return JourneySession(
      tokenID: token, successURL: object["successUrl"]?.stringValue ?? "",
      realm: object["realm"]?.stringValue ?? "")
  }

  /// With HttpOnly session cookies the token comes in the cookie only.
  private func tokenFromCookie(_ response: HTTPResponse) -> String {
    let now = journey.environment.now()
    return response.values("Set-Cookie").lazy
      .compactMap { CookieJar.parse($0, from: journey.configuration.server, at: now) }
      .first { $0.name == journey.configuration.cookieName && $0.expires.map { $0 > now } ?? true }?.value ?? ""
  }

  private func object(_ body: [UInt8]) throws -> JSONObject {
    let limits = journey.configuration.limits
    do {
      let value = try JSONValue.parse(
        body, limits: JSONLimits(limits))
      guard let object = value.objectValue else { throw Self.invalid("the answer is no JSON object") }
      return object
    } catch let error as JSONError {
      throw AuthenticatorError(
        .invalidMessage, stage: "journey.answer",
        reason: "the answer is refused as JSON: \(error.kind.rawValue) at byte \(error.offset)", underlying: error)
    }
  }

  /// The body of an error, which proxies and faults often send as HTML; then its status has to do.
  private func optionalObject(_ body: [UInt8]) -> JSONObject? {
    do { return try object(body) } catch { return nil }
  }

  private static func invalid(_ reason: String) -> AuthenticatorError {
    AuthenticatorError(.invalidMessage, stage: "journey.answer", reason: reason)
  }
}
