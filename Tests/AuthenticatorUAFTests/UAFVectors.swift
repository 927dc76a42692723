import AuthenticatorCoding
import TestVectors
import Testing

/// The sample file's vectors.
struct UAFVectors {
  let json: JSONValue

  init() throws { json = try JSONValue.parse(try Vectors.bytes("uaf-samples.json")) }

  func all(_ kind: String) throws -> [JSONValue] {
    let vectors = try #require(json["vectors"]?.arrayValue).filter { $0["kind"]?.stringValue == kind }
    try #require(!vectors.isEmpty)
    return vectors
  }

  func vector(_ id: String) throws -> JSONValue {
    try #require(json["vectors"]?.arrayValue?.first { $0["id"]?.stringValue == id })
  }
}

extension JSONValue {
  func text(_ name: String) throws -> String { try #require(self[name]?.stringValue) }
  func base64URL(_ name: String) throws -> [UInt8] { try Base64URL.decode(try text(name)) }
  func hex(_ name: String) throws -> [UInt8] { try Hex.decode(try text(name)) }
}
