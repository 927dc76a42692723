import AuthenticatorCoding
import Testing

/// Bends one part of a response.
enum Bending {
  static func bytes(_ response: JSONValue, _ member: String) throws -> [UInt8] {
    try Base64URL.decode(try #require(response["response"]?[member]?.stringValue))
  }

  static func with(_ response: JSONValue, _ member: String, _ bytes: [UInt8]) -> JSONValue {
    with(response, "response", member, .string(Base64URL.encode(bytes)))
  }

  /// With another value for a member, of the whole or of an object in it.
  static func with(_ json: JSONValue, _ outer: String?, _ member: String, _ value: JSONValue) -> JSONValue {
    var object = json.objectValue ?? [:]
    if let outer {
      object[outer] = with(object[outer] ?? [:], nil, member, value)
    } else {
      object[member] = value
    }
    return .object(object)
  }

  /// An attestation object without a statement.
  static func attestation(_ data: [UInt8], format: String = "none") -> [UInt8] {
    func text(_ text: String) -> [UInt8] { [0x60 | UInt8(text.utf8.count)] + Array(text.utf8) }
    return [0xA3] + text("fmt") + text(format) + text("attStmt") + [0xA0] + text("authData")
      + [0x58, UInt8(data.count)] + data
  }
}
