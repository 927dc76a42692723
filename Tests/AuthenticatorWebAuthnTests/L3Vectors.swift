import AuthenticatorCoding
import AuthenticatorWebAuthn
import TestVectors
import Testing

/// A vector of the WebAuthn Level 3 specification.
struct L3Vector: Sendable, CustomTestStringConvertible {
  let id: String
  let json: JSONValue
  var testDescription: String { id }

  static let all: [L3Vector] = (try? load()) ?? []
  /// Those with keys that this package computes; Ed448 is not one.
  static let supported = all.filter { $0.id != "packed-ed448" }

  private static func load() throws -> [L3Vector] {
    let json = try JSONValue.parse(try Vectors.bytes("webauthn-l3.json"))
    return try #require(json["vectors"]?.arrayValue).map {
      L3Vector(id: try #require($0["id"]?.stringValue), json: $0)
    }
  }

  func bytes(_ ceremony: String, _ name: String) throws -> [UInt8] {
    try Hex.decode(try #require(json[ceremony]?[name]?.stringValue))
  }

  func attestationObject() throws -> AttestationObject {
    try AttestationObject(rawBytes: try bytes("registration", "attestationObject"))
  }
}

/// The code of what `body` throws; nil when it throws nothing.
func refusal<Value>(_ body: () throws(WebAuthnDataError) -> Value) -> WebAuthnDataError.Code? {
  do throws(WebAuthnDataError) {
    _ = try body()
    return nil
  } catch { return error.code }
}
