import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorHTTP
import Glibc
import Synchronization
import Testing
import ToolSupport

/// `serve --trusted-devices`, as a process of its own that is killed.
@Suite(.serialized) struct TrustedDeviceServeTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "settings.json", #"{"version": 1, "signUp": true, "singleSession": false, "appIdentifiers": ["org.example.app"]}"#
    )
  }

  private func start() async throws -> (process: ChildProcess, client: RawClient) {
    let process = try Tool.start([
      "serve", "--port", "0", "--json", "--registry", folder.file("registry.sqlite"), "--trusted-devices",
      folder.file("settings.json"),
    ])
    let line = try JSONValue.parse(try await process.firstLine())
    let key = try #require(line["publishableKey"]?.stringValue)
    #expect(key.hasPrefix("pk_test_"))
    let host = String(decoding: try Base64.decode(String(key.dropFirst(8))), as: UTF8.self)
    #expect(host.hasSuffix("$"))
    #expect(line["url"]?.stringValue == "http://\(host.dropLast())/am")
    return (process, try RawClient("http://\(host.dropLast())"))
  }

  @Test func whatWasAnsweredOutlivesBeingKilled() async throws {
    var (process, client) = try await start()
    let signUp = try await client.post("client/sign_ups", ["username": "mira", "password": "correct horse"])
    let session = try #require(signUp["response"]?["created_session_id"]?.stringValue)
    let device = try RawDevice()
    let id = try await device.enroll(with: client, session: session)
    _ = try await client.send("DELETE", "client/sessions")
    let pending = try await device.begin(id, with: client)

    for round in 0..<3 {
      // Several apps sign in while the server is killed.
      let answered = SignedIn()
      let (running, killed) = (client.base, process)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { await answered.signIn(device, id, at: running) } }
        group.addTask {
          while answered.all.count < 8 + round { try? await Task.sleep(for: .milliseconds(1)) }
          killed.end()
        }
      }
      let token = client.token
      (process, client) = try await start()
      client.token = token
      for (token, session) in answered.all {
        let app = try RawClient(client.base)
        app.token = token
        let sessions = try await app.send("GET", "client")["response"]?["sessions"]?.arrayValue ?? []
        #expect(sessions.contains { $0["id"] == .string(session) && $0["status"] == "active" }, "round \(round)")
      }
    }

    // The challenge of the first run is good, once, in the last one.
    #expect(try await device.finish(pending, id, with: client) != nil)
    #expect(try await device.finish(pending, id, with: client) == nil)
    let again = try await client.post("client/sign_ins", ["identifier": "mira", "password": "correct horse"])
    #expect(again["errors"]?[0]?["code"] == "identifier_already_signed_in")
    let listed = try await client.send("GET", "me/trusted_devices")["response"]?.arrayValue
    #expect(listed?.map { $0["id"] } == [.string(id)])
    process.send(SIGTERM)
    #expect(try await process.result().status == 0)
  }

  @Test(arguments: [
    ("no JSON", "is not JSON"), ("[]", "is not a JSON object"), ("{}", "version is not 1"),
    (#"{"version": 1, "signup": true}"#, "signup is not known"), (#"{"version": 1, "quota": 0}"#, "quota is no whole"),
    (#"{"version": 1, "realm": "/nowhere"}"#, "realm is not served"),
  ]) func settingsThatAreNotUnderstoodEndIt(_ text: String, _ complaint: String) async throws {
    let path = try folder.write("bad.json", text)
    let result = try await Tool.run(["serve", "--port", "0", "--json", "--trusted-devices", path])
    #expect(result.status == 3)
    #expect(try result.json()["error"] == "inputUnusable")
    #expect(try result.json()["message"]?.stringValue?.contains(complaint) == true, "\(result.stdout)")
  }

  @Test func aMissingSettingsFileEndsIt() async throws {
    let result = try await Tool.run(["serve", "--port", "0", "--trusted-devices", folder.file("none.json")])
    #expect(result.status == 3)
  }
}

/// What a server has answered, as far as the apps have heard.
private final class SignedIn: Sendable {
  private let content = Mutex<[(token: String?, session: String)]>([])
  var all: [(token: String?, session: String)] { content.withLock { $0 } }

  /// Signs new apps in until nobody answers.
  func signIn(_ device: RawDevice, _ id: String, at base: String) async {
    while let app = try? RawClient(base), let begun = try? await device.begin(id, with: app),
      let session = try? await device.finish(begun, id, with: app)
    { content.withLock { $0.append((app.token, session)) } }
  }
}

/// A client of the Frontend API with nothing but a transport.
private final class RawClient: Sendable {
  let base: String
  private let transport: CurlTransport
  private let state = Mutex<String?>(nil)

  init(_ base: String) throws {
    self.base = base
    transport = try CurlTransport()
  }

  var token: String? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func send(_ method: String, _ path: String, body: String? = nil, query: String = "") async throws -> JSONValue {
    var fields = token.map { [HTTPField("Authorization", $0)] } ?? []
    if body != nil { fields.append(HTTPField("Content-Type", "application/x-www-form-urlencoded")) }
    let request = HTTPRequest(
      method: method, url: try WebURL("\(base)/v1/\(path)?_is_native=true\(query)"), fields: fields,
      body: body.map { Array($0.utf8) })
    let response = try await transport.send(request)
    if let answered = response.values("Authorization").first { token = answered }
    return try JSONValue.parse(response.body)
  }

  func post(_ path: String, _ form: [String: String], query: String = "") async throws -> JSONValue {
    func encode(_ text: String) -> String { text.utf8.map { "%" + Hex.encode([$0]) }.joined() }
    let body = form.map { "\($0.key)=\(encode($0.value))" }.joined(separator: "&")
    return try await send("POST", path, body: body, query: query)
  }
}

/// A key that enrolls and signs.
private struct RawDevice: Sendable {
  let key: PrivateKey

  init() throws { key = try PrivateKey.generate(.es256) }

  private func sign(_ text: String) throws -> String {
    Base64URL.encode(try key.sign(Array(text.utf8)).rawRepresentation)
  }

  func enroll(with client: RawClient, session: String) async throws -> String {
    let point = try #require(key.publicKey.x963Representation)
    let (x, y) = (Base64URL.encode(point[1..<33]), Base64URL.encode(point[33...]))
    var form = [
      "platform": "linux", "app_identifier": "org.example.app", "algorithm": "ES256",
      "public_key_jwk": #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","alg":"ES256"}"#,
    ]
    let query = "&_clerk_session_id=\(session)"
    let prepared = try await client.post("me/trusted_devices/prepare", form, query: query)
    let text = try #require(prepared["response"]?["client_data"]?.stringValue)
    form["client_data"] = text
    form["signature"] = try sign(text)
    let enrolled = try await client.post("me/trusted_devices/attempt", form, query: query)
    return try #require(enrolled["response"]?["id"]?.stringValue)
  }

  /// A sign-in that waits for its signature: its id, and what to sign.
  func begin(_ id: String, with client: RawClient) async throws -> (signIn: String, text: String) {
    let begun = try await client.post("client/sign_ins", ["strategy": "trusted_device", "trusted_device_id": id])
    let challenge = begun["response"]?["first_factor_verification"]?["trusted_device_challenge"]
    return (
      try #require(begun["response"]?["id"]?.stringValue), try #require(challenge?["client_data"]?.stringValue)
    )
  }

  /// The session; nil when the server refused.
  func finish(
    _ begun: (signIn: String, text: String), _ id: String, with client: RawClient
  ) async throws -> String? {
    let done = try await client.post(
      "client/sign_ins/\(begun.signIn)/attempt_first_factor",
      [
        "strategy": "trusted_device", "trusted_device_id": id, "client_data": begun.text,
        "signature": try sign(begun.text), "algorithm": "ES256",
      ])
    return done["response"]?["created_session_id"]?.stringValue
  }
}
