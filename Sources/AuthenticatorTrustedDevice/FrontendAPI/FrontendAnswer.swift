import AuthenticatorCoding
import AuthenticatorCore

/// One answer of the Frontend API, taken out of its envelope.
struct FrontendAnswer: Sendable {
  /// What was asked for; the whole body when it has no envelope.
  let response: JSONValue
  /// The client that came along.
  let client: Piggyback
  /// When the server sent it, by its own clock; nil when it does not say.
  let date: UnixTime?

  /// What an answer says about the client.
  enum Piggyback: Sendable {
    case absent
    case client(FrontendClient)
    /// There is one and it cannot be read: what was asked for counts nevertheless.
    case malformed
  }

  /// - Throws: `invalidMessage` for a body that is no JSON.
  init(_ response: HTTPResponse, limits: JSONLimits) throws {
    date = response.values("Date").first.flatMap(HTTPDate.parse)
    let body: JSONValue
    do {
      body = try JSONValue.parse(response.body, limits: limits)
    } catch {
      throw AuthenticatorError(
        .invalidMessage, stage: "frontend.answer", reason: "the answer is refused as JSON: \(error.kind.rawValue)",
        underlying: error)
    }
    self.response = body["response"] ?? body
    client = Self.client(in: body)
  }

  /// The places a client may stand in, in this order; an empty object and null say nothing.
  static func client(in body: JSONValue) -> Piggyback {
    for place in [body["response"], body["client"], body["meta"]?["client"], body] {
      guard let object = place?.objectValue, object["id"] != nil,
        Self.isClient(object, isNamed: place == body["client"])
      else { continue }
      do { return .client(try FrontendClient(object)) } catch { return .malformed }
    }
    return .absent
  }

  private static func isClient(_ object: JSONObject, isNamed: Bool) -> Bool {
    guard let kind = object["object"]?.stringValue else { return isNamed || object["sessions"] != nil }
    return kind == "client"
  }

  /// The response as an object.
  /// - Throws: `invalidMessage`.
  func object(_ kind: String) throws -> JSONObject {
    guard let object = response.objectValue else {
      throw AuthenticatorError(.invalidMessage, stage: "frontend.answer", reason: "the \(kind) is no object")
    }
    return object
  }
}
