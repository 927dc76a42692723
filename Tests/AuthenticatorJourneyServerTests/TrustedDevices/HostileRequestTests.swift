import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

@Suite struct HostileRequestTests {
  private static let form = [HTTPField("Content-Type", "application/x-www-form-urlencoded")]

  private func post(
    _ body: String, _ path: String = "/v1/client/sign_ins", query: String = "_is_native=true",
    fields: [HTTPField] = HostileRequestTests.form
  ) async throws -> FrontendAnswer {
    try await FrontendHarness().app().raw("POST", path, query: query, fields: fields, body: Array(body.utf8))
  }

  @Test(arguments: [
    [], [HTTPField("Content-Type", "application/json")], [HTTPField("Content-Type", "text/plain")],
    [HTTPField("Content-Type", "multipart/form-data; boundary=x")], [HTTPField("Content-Type", "")],
    [HTTPField("Content-Type", "application/x-www-form-urlencodedx")],
  ]) func onlyFormsAreRead(_ fields: [HTTPField]) async throws {
    let answer = try await post("identifier=mira", fields: fields)
    #expect(answer.status == 415)
    #expect(answer.code == "unsupported_content_type")
  }

  @Test(arguments: [
    "application/x-www-form-urlencoded; charset=utf-8", "APPLICATION/X-WWW-FORM-URLENCODED",
    " application/x-www-form-urlencoded ;charset=UTF-8",
  ]) func aFormMayHaveParameters(_ type: String) async throws {
    let answer = try await post("identifier=mira", fields: [HTTPField("content-type", type)])
    #expect(answer.status == 200)
  }

  @Test(arguments: [
    "identifier=mira&identifier=noor", "identifier=mira&password=x&%69dentifier=noor", "identifier=%", "identifier=%4",
    "identifier=%zz", "identifier=%00", "identifier=%ff", "identifier=%c3%28", "%=x",
    (0..<65).map { "f\($0)=x" }.joined(separator: "&"),
  ]) func malformedFormsAreRefused(_ body: String) async throws {
    let answer = try await post(body)
    #expect(answer.status == 400)
    #expect(answer.code == "request_body_invalid")
  }

  @Test func bytesThatAreNoTextAreRefused() async throws {
    let app = try await FrontendHarness().app()
    let answer = try await app.raw(
      "POST", "/v1/client/sign_ins", query: "_is_native=true", fields: Self.form,
      body: Array("identifier=".utf8) + [0xFF, 0xFE])
    #expect(answer.code == "request_body_invalid")
  }

  @Test func aHugeFormIsRefused() async throws {
    let large = try await post("identifier=" + String(repeating: "a", count: 32 * 1024))
    #expect(large.status == 413)
    #expect(large.code == "request_too_large")
    // Beyond what the server reads at all, it does not look what the address is.
    #expect(try await post("identifier=" + String(repeating: "a", count: 256 * 1024)).status == 413)
  }

  @Test(arguments: ["_is_native=true&_is_native=true", "_is_native=true&a=%", "_is_native=true&a=%ff"])
  func malformedQueriesAreRefused(_ query: String) async throws {
    let answer = try await post("identifier=mira", query: query)
    #expect(answer.status == 400)
    #expect(answer.code == "request_body_invalid")
  }

  @Test(arguments: [
    "/v1/", "/v1/client/", "/v1/nothing", "/v1/me", "/v1/me/passkeys", "/v1/client/sign_ins/x",
    "/v1/client/sessions/a/b/c/d/e/f/g/h", "/v1/" + String(repeating: "a/", count: 4000),
    "/v1/me/trusted_devices/a/b", "/v1/client/trusted_devices", "/v1/client/sessions/x/tasks/y/other",
  ]) func unknownAddressesAreTold(_ path: String) async throws {
    let answer = try await FrontendHarness().app().raw("GET", path, query: "_is_native=true")
    #expect(answer.status == (path == "/v1/client/" ? 200 : 404))
    if answer.status == 404 { #expect(answer.code == "resource_not_found") }
  }

  @Test(arguments: ["/v1/client%2Fsign_ins", "/v1/%", "/v1/client/%zz", "/v1/%ff"])
  func brokenPathsAreRefused(_ path: String) async throws {
    let answer = try await FrontendHarness().app().raw("GET", path, query: "_is_native=true")
    #expect(answer.status == 404 || answer.status == 400)
    #expect(answer.code != nil)
  }

  @Test func methodsAreHeldTo() async throws {
    let app = try await FrontendHarness().signedIn()
    for (method, path) in [
      ("POST", "environment"), ("DELETE", "client"), ("GET", "client/sign_ins"), ("PUT", "client/sign_ups"),
      ("GET", "client/sessions"), ("DELETE", "client/sessions/x"), ("GET", "client/sessions/x/remove"),
      ("GET", "client/trusted_devices/validate"), ("POST", "me/trusted_devices"), ("GET", "me/trusted_devices/prepare"),
      ("POST", "me/trusted_devices/x"), ("GET", "client/sign_ins/x/attempt_first_factor"),
      ("GET", "client/sessions/x/tasks/y/complete"), ("HEAD", "environment"), ("OPTIONS", "client"),
    ] {
      let answer = try await app.send(method, path)
      #expect(answer.status == 405, "\(method) \(path)")
      #expect(answer.code == "method_not_allowed")
    }
  }

  @Test func everyPrefixOfAnAttemptIsRefused() async throws {
    let harness = try await FrontendHarness()
    let (app, key, id) = try await harness.enrolled()
    let begun = try await app.begin(id)
    let text = try #require(begun.challenge?["client_data"]?.stringValue)
    let body = NativeApp.form([
      ("strategy", "trusted_device"), ("trusted_device_id", id), ("client_data", text),
      ("signature", try key.sign(text)), ("algorithm", "ES256"),
    ])
    let path = "/v1/client/sign_ins/\(try #require(begun.id))/attempt_first_factor"
    for length in 0..<body.count {
      let answer = try await app.raw(
        "POST", path, query: "_is_native=true", fields: Self.form, body: Array(body[..<length]))
      #expect((400..<500).contains(answer.status), "cut after \(length) bytes")
    }
    #expect(try await app.raw("POST", path, query: "_is_native=true", fields: Self.form, body: body).status == 200)
  }

  @Test func everyFlippedBitOfAnAttemptIsRefused() async throws {
    let harness = try await FrontendHarness()
    let (app, key, id) = try await harness.enrolled()
    let begun = try await app.begin(id)
    let text = try #require(begun.challenge?["client_data"]?.stringValue)
    let fields = ["trusted_device_id": id, "client_data": text, "signature": try key.sign(text)]
    for (name, value) in fields {
      let bytes = Array(value.utf8)
      for index in stride(from: 0, to: bytes.count, by: name == "client_data" ? 3 : 1) {
        var changed = bytes
        changed[index] ^= 1
        let bent = String(decoding: changed, as: UTF8.self)
        let answer = try await app.finish(begun, key, id) { $0[name] = bent }
        #expect((400..<500).contains(answer.status), "\(name), byte \(index)")
      }
    }
    #expect(try await app.finish(begun, key, id).status == 200)
  }

  @Test func strangersLeaveNothingBehind() async throws {
    let directory = try TemporaryDirectory()
    let harness = try await FrontendHarness(registry: try SQLiteRegistry(path: directory.file()))
    let (_, _, id) = try await harness.enrolled()
    let before = try directory.rows(of: [
      "client_session", "used_challenge", "trusted_device", "attempt", "parked", "step",
    ])
    for index in 0..<50 {
      let app = harness.app()
      _ = try await app.send("POST", "client")
      _ = try await app.send("POST", "client/sign_ins", [("identifier", "nobody\(index)")])
      _ = try await app.begin(id)
      _ = try await app.send("POST", "client/trusted_devices/validate", [("trusted_device_id", id)])
    }
    let after = try directory.rows(of: [
      "client_session", "used_challenge", "trusted_device", "attempt", "parked", "step",
    ])
    #expect(before == after)
  }

  @Test func nothingSecretIsToldToTheOperator() async throws {
    let harness = try await FrontendHarness()
    let (app, key, id) = try await harness.enrolled()
    let begun = try await app.begin(id)
    _ = try await app.finish(begun, try DeviceKey(), id)
    _ = try await app.finish(begun, key, id)
    let told = harness.harness.events.all.map(\.description).joined(separator: "\n")
    #expect(told.contains("a client signed in to /alpha by trusted_device"))
    for secret in [app.token, begun.challenge?["challenge"]?.stringValue, begun.id, "mira", id] {
      #expect(!told.contains(try #require(secret)))
    }
  }
}
