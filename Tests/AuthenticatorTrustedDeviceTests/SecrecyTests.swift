import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// Planted secrets are looked for in everything that could reach a log.
@Suite struct SecrecyTests {
  static let token = "token-PLANTED-aa"
  static let data = #"{"challenge_id":"PLANTED-bb"}"#
  static let random = "PLANTED-cc"
  static let password = "PLANTED-dd"
  static let identifier = "PLANTED-ee@example.com"

  @Test func leaksNothingIntoTextsAndEvents() async throws {
    let bench = try Bench()
    var texts: [String] = []
    func note(_ value: Any?) {
      var dumped = ""
      dump(value, to: &dumped)
      texts += ["\(value as Any)", String(reflecting: value), dumped]
    }
    func challenge(for id: String? = nil) -> JSONValue {
      var object =
        Wire.challenge(for: id, expires: bench.now.advanced(by: .seconds(300)), data: Self.data).objectValue ?? [:]
      object["challenge"] = .string(Self.random)
      return .object(object)
    }
    try await bench.load()
    var session = Wire.session("sess_A", user: "user_A").objectValue ?? [:]
    session["user"] = ["id": "user_A", "username": .string(Self.identifier)]
    bench.transport.add(
      json: Wire.envelope(
        Wire.signIn(status: "complete", createdSession: "sess_A"),
        client: Wire.client(sessions: [.object(session)], last: "sess_A")),
      fields: [HTTPField("Authorization", Self.token)])
    note(try await bench.client.auth.signIn(identifier: Self.identifier, password: Self.password))
    note(try await bench.client.auth.session)
    note(try await bench.client.auth.session?.user)
    note(try TrustedDeviceChallenge(try #require(challenge().objectValue)))
    for refusal in ["trusted_device_invalid_client_data", "trusted_device_not_registered"] {
      bench.script(prepare: challenge())
      bench.transport.add(
        422, json: ["errors": [["code": .string(refusal), "message": .string(Self.data + Self.identifier)]]])
      bench.device.verifier.perform(.match())
      note(await failure { try await bench.devices.enroll(identifierHint: Self.identifier) })
    }
    bench.script(prepare: challenge())
    bench.script(attempt: "tdc_1")
    bench.device.verifier.perform(.match())
    note(try await bench.devices.enroll(identifierHint: Self.identifier))
    note(try LocalCredential(try await bench.records([.active])[0]).description)
    try await bench.signOut()
    bench.script(create: "tdc_1", challenge: challenge(for: "tdc_1"))
    bench.transport.addFailure(mayHaveArrived: true)
    bench.transport.addFailure(mayHaveArrived: true)
    bench.device.verifier.perform(.match())
    note(await failure { try await bench.client.auth.signInWithTrustedDevice() })
    bench.script(create: "tdc_1", challenge: challenge(for: "tdc_9"))
    note(await failure { try await bench.client.auth.signInWithTrustedDevice() })
    note(bench.events.all)
    note(bench.device.environment.events)
    note(bench.client)
    for text in texts { #expect(!text.contains("PLANTED"), "\(text.prefix(200))") }
    // The proofs themselves were sent, so they were there to leak.
    #expect(bench.requests.contains { $0.form["client_data"] == Self.data })
    #expect(bench.requests.contains { $0.value("Authorization") == Self.token })
  }
}
