import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

/// Every word of the vendor's table with its status and the field it names, provoked once.
@Suite struct ErrorCodeTests {
  /// A code, its status, its field, and what makes the server say it.
  struct Case: Sendable, CustomTestStringConvertible {
    let code: String
    let status: Int
    let parameter: String?
    let provoke: @Sendable () async throws -> FrontendAnswer
    var testDescription: String { code }

    init(
      _ code: String, _ status: Int, _ parameter: String? = nil,
      _ provoke: @escaping @Sendable () async throws -> FrontendAnswer
    ) {
      self.code = code
      self.status = status
      self.parameter = parameter
      self.provoke = provoke
    }
  }

  private typealias Settings = TrustedDeviceSettings

  /// Signs in with a credential, after something was done to the harness or bent in the form.
  private static func signIn(
    _ adjust: @escaping @Sendable (inout TrustedDeviceSettings) -> Void = { _ in }, later seconds: Int64 = 0,
    before: @Sendable (FrontendHarness, String) async throws -> Void = { _, _ in },
    bend: (inout [(String, String)]) -> Void = { _ in }
  ) async throws -> FrontendAnswer {
    let harness = try await FrontendHarness(adjust)
    let (app, key, id) = try await harness.enrolled()
    let begun = try await app.begin(id)
    try await before(harness, id)
    harness.clock.advance(by: seconds)
    return try await app.finish(begun, key, id, bend: bend)
  }

  private static func enroll(
    _ adjust: @escaping @Sendable (inout TrustedDeviceSettings) -> Void = { _ in }, times: Int = 1,
    later seconds: Int64 = 0, bend: (inout [(String, String)]) -> Void = { _ in }
  ) async throws -> FrontendAnswer {
    let harness = try await FrontendHarness(adjust)
    let app = try await harness.signedIn()
    for _ in 1..<times { _ = try await app.enroll(try DeviceKey()) }
    harness.clock.advance(by: seconds)
    return try await app.prepare(try DeviceKey(), bend: bend)
  }

  static let table: [Case] = [
    Case("trusted_device_not_registered", 422, "trusted_device_id") {
      try await signIn(before: { harness, id in
        _ = try await harness.signedIn().send("DELETE", "me/trusted_devices/\(id)")
      })
    },
    Case("form_resource_not_found", 422, "trusted_device_id") { try await FrontendHarness().app().begin("tdc_none") },
    Case("trusted_device_challenge_not_found", 400, "client_data") {
      try await signIn(bend: { $0["client_data"] = #"{"challenge":"AAAA"}"# })
    },
    Case("trusted_device_challenge_expired", 400, "client_data") { try await signIn(later: 300) },
    Case("trusted_device_signature_verification_failed", 400, "signature") {
      try await signIn(bend: { $0["signature"] = String(repeating: "A", count: 86) })
    },
    Case("trusted_device_invalid_public_key", 422, "public_key_jwk") {
      try await enroll(bend: { $0["public_key_jwk"] = "{}" })
    },
    Case("trusted_device_invalid_client_data", 422, "client_data") {
      try await signIn(bend: { $0["client_data"] = "{}" })
    },
    Case("trusted_device_binding_mismatch", 422, "trusted_device_id") {
      try await signIn(bend: { $0["trusted_device_id"] = "tdc_other" })
    },
    Case("trusted_device_credential_quota_exceeded", 400) {
      let harness = try await FrontendHarness { $0.quota = 1 }
      _ = try await harness.signedIn().enroll(try DeviceKey())
      return try await harness.signedIn().enroll(try DeviceKey())
    },
    Case("trusted_device_already_enrolled", 409) { try await enroll({ $0.enrolledAgain = .refuse }, times: 2) },
    Case("trusted_device_app_identifier_not_configured", 400, "app_identifier") {
      try await enroll(bend: { $0["app_identifier"] = "org.example.other" })
    },
    Case("native_api_disabled", 400) { try await FrontendHarness { $0.nativeAPI = false }.app().signIn() },
    Case("feature_not_enabled", 403) { try await FrontendHarness { $0.trustedDevices = false }.app().begin("tdc_x") },
    Case("session_exists", 400) { try await FrontendHarness().signedIn().signIn() },
    Case("identifier_already_signed_in", 400, "identifier") {
      try await FrontendHarness { $0.singleSession = false }.signedIn().signIn()
    },
    Case("session_reverification_required", 403) {
      try await enroll({ $0.reverifyAfter = .seconds(60) }, later: 61)
    },
    Case("authentication_invalid", 401) {
      let app = try await FrontendHarness().app()
      app.token = "nonsense"
      return try await app.send("GET", "me/trusted_devices")
    },
    Case("signed_out", 401) { try await FrontendHarness().app().send("GET", "me/trusted_devices") },
    Case("user_locked", 403, "identifier") {
      let app = try await FrontendHarness().app()
      for _ in 0..<5 { _ = try await app.signIn("mira", "wrong") }
      return try await app.signIn()
    },
    Case("user_banned", 403) {
      try await signIn(before: { harness, _ in
        _ = try await harness.server.setActive(false, userNamed: "mira", in: harness.harness.realm)
      })
    },
    Case("resource_not_found", 404) {
      try await FrontendHarness().signedIn().send("DELETE", "me/trusted_devices/tdc_none")
    },
    Case("verification_expired", 400) { try await signIn(later: 600) },
    Case("verification_failed", 400) {
      try await signIn(bend: {
        $0["strategy"] = "password"
        $0["password"] = Harness.password
      })
    },
    Case("device_blocked", 401) {
      try await FrontendHarness { $0.blockedDevices = ["stolen"] }.app(installation: "stolen").signIn()
    },
    Case("requires_device_attestation", 401) {
      try await FrontendHarness { $0.requiresDeviceAttestation = true }.app().signIn()
    },
    Case("service_unavailable", 503) {
      let harness = try await FrontendHarness(registry: InMemoryRegistry(limits: RegistryLimits(sessions: 1)))
      _ = try await harness.signedIn()
      return try await harness.app().signIn("noor")
    },
  ]

  @Test(arguments: table) func isSaid(_ expected: Case) async throws {
    let answer = try await expected.provoke()
    #expect(answer.code == expected.code)
    #expect(answer.status == expected.status)
    #expect(answer.parameter == expected.parameter)
    #expect(answer.body["errors"]?.arrayValue?.count == 1)
    #expect(answer.body["response"] == nil)
  }

  @Test func aFullRegistryUsesNoChallengeUp() async throws {
    let harness = try await FrontendHarness(registry: InMemoryRegistry(limits: RegistryLimits(sessions: 2)))
    let (app, key, id) = try await harness.enrolled()
    _ = try await harness.signedIn("noor")
    let begun = try await app.begin(id)
    #expect(try await app.finish(begun, key, id).code == "service_unavailable")
    #expect(try await app.finish(begun, key, id).code == "service_unavailable")
  }

  @Test(arguments: ["client_session", "trusted_device", "used_challenge", "user"])
  func whatFailsInsideIsNotTold(_ table: String) async throws {
    let directory = try TemporaryDirectory()
    let harness = try await FrontendHarness(registry: try SQLiteRegistry(path: directory.file()))
    let (app, key, id) = try await harness.enrolled()
    let begun = try await app.begin(id)
    try directory.tamper(directory.file(), "DROP TABLE \(table)")
    let answer = try await app.finish(begun, key, id)
    #expect(answer.status == 500)
    #expect(answer.code == "internal_error")
    #expect(answer.body["errors"]?[0]?["meta"] == [:])
    #expect(!answer.body.serializedString().contains(table))
    #expect(harness.harness.events.all.contains { if case .fault = $0 { true } else { false } })
  }
}
