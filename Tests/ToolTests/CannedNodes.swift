import AuthenticatorCoding

/// Answers of a server, as PingAM writes them.
enum Canned {
  static func answer(_ body: JSONValue, status: Int = 200) -> JSONValue {
    ["status": .integer(Int64(status)), "body": body]
  }

  static func node(_ callbacks: JSONValue..., stage: String? = nil) -> JSONValue {
    var node: JSONObject = ["authId": "eyJhbGciOiJub25lIn0.e30.c2lnbmF0dXJl", "callbacks": .array(callbacks)]
    if let stage { node["stage"] = .string(stage) }
    return answer(.object(node))
  }

  static let success = answer(["tokenId": "tok.en*1", "successUrl": "/enduser/?realm=/alpha", "realm": "/alpha"])

  static let loginFailure = answer(
    ["code": 401, "reason": "Unauthorized", "message": "Login failure", "detail": ["failureUrl": ""]], status: 401)

  /// A callback with one input, at `place` in its node.
  static func callback(
    _ type: String, _ place: Int, outputs: [(String, JSONValue)] = [], preset: JSONValue = ""
  ) -> JSONValue {
    [
      "type": .string(type),
      "output": .array(outputs.map { ["name": .string($0.0), "value": $0.1] }),
      "input": [["name": .string("IDToken\(place)"), "value": preset]],
    ]
  }

  static func name(_ place: Int = 1) -> JSONValue { callback("NameCallback", place, outputs: [("prompt", "Account")]) }

  static func password(_ place: Int = 2) -> JSONValue {
    callback("PasswordCallback", place, outputs: [("prompt", "Secret")])
  }

  static func choice(_ place: Int = 1, _ choices: JSONValue...) -> JSONValue {
    callback(
      "ChoiceCallback", place,
      outputs: [("prompt", "Second factor"), ("choices", .array(choices)), ("defaultChoice", 1)], preset: 1)
  }

  static func hidden(_ id: String, _ place: Int) -> JSONValue {
    callback(
      "HiddenValueCallback", place, outputs: [("value", ""), ("id", .string(id))], preset: .string(id))
  }
}
