import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import TestVectors
import Testing

/// The samples of UAF: those composed for this project, the specification's own, and those of vendors.
struct UAFVector: Sendable, CustomTestStringConvertible {
  let id: String
  let json: JSONObject
  var testDescription: String { id }

  subscript(name: String) -> JSONValue? { json[name] }

  static let file: JSONValue = {
    guard let bytes = try? Vectors.bytes("uaf-samples.json"), let json = try? JSONValue.parse(bytes) else {
      return .null
    }
    return json
  }()

  static let all: [UAFVector] = (file["vectors"]?.arrayValue ?? []).compactMap { vector in
    guard let id = vector["id"]?.stringValue, let object = vector.objectValue else { return nil }
    return UAFVector(id: id, json: object)
  }

  static func of(_ kind: JSONValue) -> [UAFVector] { all.filter { $0["kind"] == kind } }

  func text(_ name: String) throws -> String { try #require(json[name]?.stringValue, "\(id): \(name)") }

  func bytes(_ name: String) throws -> [UInt8] { try Base64URL.decode(try text(name)) }

  // MARK: As a message

  /// What the vector's final challenge parameters say.
  func final() throws -> JSONObject {
    try #require(try JSONValue.parse(try bytes("fcParams")).objectValue)
  }

  /// A response that carries the vector's assertion, or other bytes in its place.
  func response(_ operation: UAFServerOperation, _ other: [UInt8]? = nil) throws -> UAFReceivedResponse {
    let assertion = try other.map { Base64URL.encode($0) } ?? text("assertion")
    return try UAFReceivedResponse(json: [
      [
        "header": ["upv": ["major": 1, "minor": 1], "op": .string(operation.rawValue)],
        "fcParams": .string(try text("fcParams")),
        "assertions": [["assertionScheme": "UAFV1TLV", "assertion": .string(assertion)]],
      ]
    ])
  }

  /// What a server that sent the vector's request expects, when the model signs and writes keys like this.
  func expectation(algorithm: Int, keyForm: Int, aaid: String? = nil, roots: JSONValue? = nil) throws -> UAFExpectation
  {
    let aaid = try aaid ?? text("aaid")
    let roots = roots ?? json["attestationRootCertificates"] ?? []
    let isFull = roots != []
    let statement: JSONValue = [
      "aaid": .string(aaid), "authenticatorVersion": 0, "upv": [["major": 1, "minor": 1]],
      "assertionScheme": "UAFV1TLV", "authenticationAlgorithm": .integer(Int64(algorithm)),
      "publicKeyAlgAndEncoding": .integer(Int64(keyForm)), "attestationTypes": isFull ? [15879, 15880] : [15880],
      "userVerificationDetails": [[["userVerification": 4]]], "keyProtection": 1, "matcherProtection": 1,
      "attachmentHint": 1, "isSecondFactorOnly": false, "tcDisplay": 3, "attestationRootCertificates": roots,
    ]
    let final = try final()
    return UAFExpectation(
      challenge: try #require(final["challenge"]?.stringValue), appID: try #require(final["appID"]?.stringValue),
      policy: UAFAcceptancePolicy(anyOf: [aaid]), models: try UAFModels(json: [statement]),
      facets: [try #require(final["facetID"]?.stringValue)])
  }
}
