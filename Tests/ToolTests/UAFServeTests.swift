import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorHTTP
import Glibc
import TestUAF
import Testing
import ToolSupport

/// `serve --uaf`.
@Suite struct UAFServeTests {
  private let folder: TemporaryFolder
  private let device: TestUAFAuthenticator

  init() throws {
    folder = try TemporaryFolder()
    device = try TestUAFAuthenticator()
  }

  @Test func theServerSpeaksUAF() async throws {
    let settings: JSONValue = [
      "version": 1, "metadata": [.object(device.metadata())], "facets": ["https://rp.example"],
      "appID": "https://rp.example/uaf/facets",
    ]
    try folder.write("users.json", #"[{"username": "mira", "password": "correct horse"}]"#)
    let process = try Tool.start([
      "serve", "--port", "0", "--json", "--users", folder.file("users.json"), "--uaf",
      try folder.write("uaf.json", settings.serializedString()),
    ])
    let line = try JSONValue.parse(try await process.firstLine())
    // The addresses stand below the context path too.
    let url = try #require(line["url"]?.stringValue)
    let transport = try CurlTransport()
    func send(_ path: String, _ body: JSONValue?) async throws -> JSONValue {
      let response = try await transport.send(
        HTTPRequest(
          method: body == nil ? "GET" : "POST", url: try WebURL(url + path),
          fields: [HTTPField("Content-Type", "application/fido+uaf; charset=utf-8")], body: body?.serialized()))
      #expect(response.status == 200)
      return try JSONValue.parse(response.body)
    }
    #expect(try await send("/uaf/facets", nil)["trustedFacets"]?[0]?["ids"] == ["https://rp.example"])
    let asked = try await send("/uaf/request", ["op": "Auth", "context": #"{"username": "mira"}"#])
    let request = try JSONValue.parse(try #require(asked["uafRequest"]?.stringValue))
    #expect(request[0]?["header"]?["appID"] == "https://rp.example/uaf/facets")
    #expect(try await send("/uaf/request", ["op": "Reg"])["statusCode"] == 1401)
    process.send(SIGTERM)
    #expect(try await process.result().status == 0)
  }

  @Test func settingsThatAreNotUnderstoodEndIt() async throws {
    let model = JSONValue.object(device.metadata()).serializedString()
    let malformed = "is missing or malformed"
    for (members, named) in [
      (#""metadata": [{}]"#, "metadata.0.aaid \(malformed)"), (#""metadata": []"#, "metadata \(malformed)"),
      (#""metadata": [\#(model)], "appID": "http://nope""#, "appID \(malformed)"),
      (
        #""metadata": [\#(model)], "policy": {"accepted": [[{"aaid": ["FFFF#F00D"]}]]}"#,
        "policy.accepted.0.0.aaid lets nothing succeed"
      ),
      (#""metadata": [\#(model)], "facet": []"#, "facet is unknown"),
      (#""metadata": [\#(model)], "realm": "/nowhere""#, "realm is not served"),
    ] {
      let path = try folder.write("bad.json", #"{"version": 1, \#(members)}"#)
      let result = try await Tool.run(["serve", "--port", "0", "--json", "--uaf", path])
      #expect(result.status == 3)
      #expect(try result.json()["message"]?.stringValue?.contains("bad.json: \(named)") == true)
    }
  }
}
