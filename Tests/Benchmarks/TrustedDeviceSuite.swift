import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorHTTP
import AuthenticatorJourneyServer
import Foundation

/// Whole sign-ins with trusted devices over HTTP, against what the disk can commit: one commit each.
///
/// The client is bare: a transport, a key and nothing kept, each time a new installation.
struct TrustedDeviceSuite: Suite {
  let name = "trusted-device"
  let workspace: Workspace
  private static let people = 16

  func benchmarks(_ effort: Effort) async throws -> [Benchmark] {
    let commits = try Floor.commits(at: workspace.disk.appendingPathComponent("trusted-floor.sqlite").path)
    let serial = try await signIns(clients: 1, effort)
    let many = try await signIns(clients: Self.people, effort)
    let isDiskSlow = try await LoginSuite.isDiskSlow(commits)
    return [
      Benchmark(
        id: "P12-trusted", what: "trusted-device sign-in over HTTP, serial, bare client; floor: SQLite commits",
        unit: "1/s", ours: serial.rate, floor: LoginSuite.reading(commits, effort), goal: isDiskSlow ? 0.45 : nil),
      Benchmark(
        id: "P12-trusted-cpu", what: "processor time of the server for one of them", unit: "ms",
        ours: serial.processorTime, goal: LoginSuite.processorTimeGoal, aim: .atMost),
      Benchmark(
        id: "P13-trusted", what: "the same by 16 clients at once, each its own user; floor: P12-trusted", unit: "1/s",
        ours: many.rate, floor: serial.rate, goal: isDiskSlow ? 4 : nil),
    ]
  }

  private func signIns(clients: Int, _ effort: Effort) async throws -> SignInBench<EnrolledDevice> {
    try await SignInBench("trusted", clients: clients, workspace: workspace, effort) { url, number in
      try await EnrolledDevice(at: url, LoginSuite.user(number))
    } signIn: {
      try await $0.signIn()
    }
  }
}

/// A key that was enrolled for one user.
private struct EnrolledDevice: Sendable {
  private let base: String
  private let transport: CurlTransport
  private let key: PrivateKey
  private let id: String

  /// Signs in with the password and enrolls.
  init(at base: String, _ user: String) async throws {
    self.base = base
    transport = try CurlTransport()
    key = try PrivateKey.generate(.es256)
    let (base, transport, key) = (base, transport, key)
    func post(_ path: String, _ form: [(String, String)], _ token: String?) async throws -> Posted {
      try await Self.post(base, transport, path, form, token)
    }
    let signIn = try await post("client/sign_ins", [("identifier", user), ("password", LoginSuite.password)], nil)
    let point = key.publicKey.x963Representation ?? []
    guard point.count == 65 else { throw Floor.Failed(what: "no point") }
    let jwk =
      #"{"kty":"EC","crv":"P-256","x":"\#(Base64URL.encode(point[1..<33]))","#
      + #""y":"\#(Base64URL.encode(point[33...]))","alg":"ES256"}"#
    var form = [
      ("platform", "linux"), ("app_identifier", JourneyServerConfiguration.defaultApplicationID),
      ("algorithm", "ES256"), ("public_key_jwk", jwk),
    ]
    let prepared = try await post("me/trusted_devices/prepare", form, signIn.token)
    let text = try prepared.text("client_data")
    form += [("client_data", text), ("signature", try Self.sign(text, key))]
    id = try await post("me/trusted_devices/attempt", form, signIn.token).text("id")
  }

  /// Signs in as a new installation and leaves the session to the server.
  func signIn() async throws {
    let begun = try await Self.post(
      base, transport, "client/sign_ins", [("strategy", "trusted_device"), ("trusted_device_id", id)], nil)
    let challenge = begun.response["first_factor_verification"]?["trusted_device_challenge"]
    guard let text = challenge?["client_data"]?.stringValue else { throw Floor.Failed(what: "no challenge") }
    let done = try await Self.post(
      base, transport, "client/sign_ins/\(try begun.text("id"))/attempt_first_factor",
      [
        ("strategy", "trusted_device"), ("trusted_device_id", id), ("client_data", text),
        ("signature", try Self.sign(text, key)), ("algorithm", "ES256"),
      ], begun.token)
    guard done.response["status"] == "complete" else { throw Floor.Failed(what: "the sign-in was not complete") }
  }

  private struct Posted {
    let response: JSONValue
    let token: String?

    func text(_ name: String) throws -> String {
      guard let text = response[name]?.stringValue else { throw Floor.Failed(what: "no \(name)") }
      return text
    }
  }

  private static func post(
    _ base: String, _ transport: CurlTransport, _ path: String, _ form: [(String, String)], _ token: String?
  ) async throws -> Posted {
    func encode(_ text: String) -> String {
      text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
    let fields = [HTTPField("Content-Type", "application/x-www-form-urlencoded")]
    let response = try await transport.send(
      HTTPRequest(
        method: "POST", url: try WebURL("\(base)/v1/\(path)?_is_native=true"),
        fields: fields + (token.map { [HTTPField("Authorization", $0)] } ?? []),
        body: Array(form.map { "\($0.0)=\(encode($0.1))" }.joined(separator: "&").utf8)))
    guard response.status == 200 else { throw Floor.Failed(what: "status \(response.status) for \(path)") }
    let body = try JSONValue.parse(response.body)
    return Posted(response: body["response"] ?? .null, token: response.values("Authorization").first)
  }

  private static func sign(_ text: String, _ key: PrivateKey) throws -> String {
    Base64URL.encode(try key.sign(Array(text.utf8)).rawRepresentation)
  }
}
