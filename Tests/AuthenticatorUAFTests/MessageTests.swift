import AuthenticatorCoding
import AuthenticatorCore
import Testing

@testable import AuthenticatorUAF

struct MessageTests {
  private static let valid = UAFKit.registration(.passcode).uafProtocolMessage

  private static func bent(_ path: [String], _ value: JSONValue?) throws -> String {
    var entry = try #require(try JSONValue.parse(valid)[0]?.objectValue)
    func set(_ object: inout JSONObject, _ path: ArraySlice<String>) {
      guard let name = path.first else { return }
      if path.count == 1 {
        object[name] = value
      } else {
        var inner = object[name]?.objectValue ?? JSONObject()
        set(&inner, path.dropFirst())
        object[name] = .object(inner)
      }
    }
    set(&entry, path[...])
    return JSONValue.array([.object(entry)]).serializedString()
  }

  @Test func readsAValidRequest() throws {
    guard case .registration(let request) = try UAFRequest(Self.valid) else {
      throw AuthenticatorError(.invalidMessage)
    }
    #expect(request.username == "alice")
    #expect(request.challenge == UAFKit.challenge)
    #expect(request.header.upv == .v11)
  }

  @Test func refusesEveryPrefix() {
    for count in 0..<Self.valid.utf8.count {
      #expect(throws: AuthenticatorError(.invalidMessage)) {
        try UAFRequest(String(decoding: Self.valid.utf8.prefix(count), as: UTF8.self))
      }
    }
  }

  @Test(
    arguments: [
      (["challenge"], nil), (["challenge"], ""), (["challenge"], "AAAA"), (["challenge"], "kzZauv2hljZLV9-vxAyxtA=="),
      (["challenge"], "kzZauv2hljZLV9+vxAyxtKyLZ"), (["challenge"], "AAAAAAAAAAB"), (["challenge"], 7),
      (["username"], nil), (["username"], ""), (["username"], .string(String(repeating: "a", count: 129))),
      (["username"], nil as JSONValue?), (["policy"], nil), (["policy"], []), (["header"], nil),
      (["header", "upv"], nil), (["header", "upv", "major"], "1"), (["header", "upv", "major"], -1),
      (["header", "upv", "minor"], 65_536), (["header", "op"], "reg"), (["header", "op"], nil),
      (["header", "appID"], .null), (["header", "appID"], .string(String(repeating: "a", count: 513))),
      (["header", "serverData"], ""), (["header", "serverData"], .string(String(repeating: "a", count: 1537))),
      (["header", "exts"], []), (["header", "exts"], [["id": "a", "data": "", "fail_if_unknown": 1]]),
      (
        ["header", "exts"], [["id": .string(String(repeating: "a", count: 33)), "data": "", "fail_if_unknown": false]]
      ),
    ] as [([String], JSONValue?)])
  func refusesMissingAndMalformedMembers(_ path: [String], _ value: JSONValue?) throws {
    #expect(throws: AuthenticatorError(.invalidMessage), "\(path)") { try UAFRequest(try Self.bent(path, value)) }
  }

  @Test func countsUsernamesInCharactersNotBytes() throws {
    let name = String(repeating: "ß", count: 128)
    guard case .registration(let request) = try UAFRequest(try Self.bent(["username"], .string(name))) else {
      throw AuthenticatorError(.invalidMessage)
    }
    #expect(request.username == name)
  }

  @Test func takesTheHighestKnownVersion() throws {
    let entry = { (minor: Int64) -> JSONValue in
      [
        "header": UAFKit.header("Dereg", version: ["major": 1, "minor": .integer(minor)]),
        "authenticators": [["aaid": "FFFF#A001", "keyID": .string(String(repeating: "A", count: 43))]],
      ]
    }
    let text = { (minors: [Int64]) in JSONValue.array(minors.map(entry)).serializedString() }
    #expect(try UAFRequest(text([0, 1])).header.upv == .v11)
    #expect(try UAFRequest(text([2, 0])).header.upv == .v10)
    #expect(throws: AuthenticatorError(.unsupportedVersion)) { try UAFRequest(text([2])) }
    #expect(throws: AuthenticatorError(.invalidMessage)) { try UAFRequest(text([1, 1])) }
    #expect(throws: AuthenticatorError(.invalidMessage)) { try UAFRequest("[]") }
    #expect(throws: AuthenticatorError(.invalidMessage)) { try UAFRequest("{}") }
  }

  @Test func readsDeregistrationScopes() throws {
    let key = String(repeating: "A", count: 43)
    let scopes = { (aaid: String, keyID: String) -> [UAFDeregistrationRequest.Scope] in
      guard case .deregistration(let request) = try UAFRequest(UAFKit.deregistration(aaid, keyID).uafProtocolMessage)
      else { throw AuthenticatorError(.invalidMessage) }
      return request.authenticators
    }
    let aaid = try #require(AAID("FFFF#A001"))
    #expect(try scopes("FFFF#A001", "") == [.model(aaid)])
    #expect(try scopes("", "") == [.everything])
    #expect(try scopes("FFFF#A001", key) == [.key(aaid, try #require(UAFKeyID(key)))])
    #expect(throws: AuthenticatorError(.invalidMessage)) { try scopes("", key) }
    let old = UAFKit.header("Dereg", version: ["major": 1, "minor": 0])
    #expect(throws: AuthenticatorError(.invalidMessage)) {
      try UAFRequest(UAFKit.deregistration("FFFF#A001", "", header: old).uafProtocolMessage)
    }
    let two: JSONValue = [
      [
        "header": UAFKit.header("Dereg"),
        "authenticators": [["aaid": "FFFF#A001", "keyID": .string(key)], ["aaid": "", "keyID": ""]],
      ]
    ]
    #expect(throws: AuthenticatorError(.invalidMessage)) { try UAFRequest(two.serializedString()) }
  }

  @Test func readsTheResponseVector() throws {
    let vector = try UAFVectors().vector("pub-reg-message")
    let message = try #require(vector["message"])
    let response = try UAFResponse(message.serializedString())
    #expect(try JSONValue.parse(response.message) == message)
    #expect(throws: Never.self) { try RegistrationAssertion(try #require(response.assertions.first).assertion) }
  }

  @Test func readsTheFormsInWhichServersWrap() throws {
    let wrapped = JSONObject([("uafProtocolMessage", .string(Self.valid))]).serializedString()
    #expect(try UAFMessage(parsing: wrapped).uafProtocolMessage == Self.valid)
    let profile = JSONObject([("statusCode", 1200), ("uafRequest", .string(Self.valid))]).serializedString()
    #expect(try UAFMessage(parsing: " \n" + profile).uafProtocolMessage == Self.valid)
    #expect(try UAFMessage(parsing: Self.valid).uafProtocolMessage == Self.valid)
    #expect(throws: AuthenticatorError(.invalidMessage)) { try UAFMessage(parsing: "{}") }
    #expect(throws: AuthenticatorError(.invalidMessage)) { try UAFMessage(parsing: "{") }
  }
}
