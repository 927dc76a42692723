import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// Methods, paths, queries and form members, as the server expects them.
@Suite struct WireTests {
  @Test func enrollsInTwoRequests() async throws {
    let bench = try Bench()
    try await bench.signIn()
    try await bench.enroll(hint: "  Mira@Example.com ")
    let sent = bench.requests.suffix(2)
    let prepare = try #require(sent.first)
    let attempt = try #require(sent.last)
    #expect(prepare.line == "POST /v1/me/trusted_devices/prepare")
    #expect(prepare.url.query == "_clerk_session_id=sess_A&_is_native=true")
    let jwk = TrustedDeviceWire.jwk(try await bench.records([.active])[0])
    let common = [
      "platform": "ios", "app_identifier": "com.example.app", "name": "Test device", "algorithm": "ES256",
      "public_key_jwk": jwk,
    ]
    #expect(prepare.form == common)
    #expect(attempt.line == "POST /v1/me/trusted_devices/attempt")
    #expect(attempt.url.query == "_clerk_session_id=sess_A&_is_native=true")
    var form = attempt.form
    let signature = form.removeValue(forKey: "signature")
    #expect(signature?.utf8.count == 86)
    #expect(form == common.merging(["client_data": #"{"challenge_id":"ch_1"}"#]) { $1 })
    // The hint stays here.
    for request in bench.requests {
      let text = String(decoding: request.body ?? [], as: UTF8.self).lowercased()
      #expect(request.form["identifier"] != nil || !text.contains("mira"))
    }
  }

  @Test func signsInInTwoRequests() async throws {
    let bench = try Bench(configure: { $0.locale = "de-CH" })
    try await bench.signIn()
    try await bench.enroll()
    try await bench.signOut()
    bench.script(create: "tdc_1")
    bench.script(complete: "sess_B")
    bench.device.verifier.perform(.match())
    let signIn = try await bench.client.auth.signInWithTrustedDevice()
    #expect(signIn.status == .complete)
    #expect(signIn.createdSessionID == "sess_B")
    let create = bench.requests[bench.requests.count - 2]
    let attempt = bench.requests[bench.requests.count - 1]
    #expect(create.line == "POST /v1/client/sign_ins")
    #expect(create.url.query == "_is_native=true")
    #expect(create.form == ["strategy": "trusted_device", "trusted_device_id": "tdc_1", "locale": "de-CH"])
    #expect(attempt.line == "POST /v1/client/sign_ins/sia_1/attempt_first_factor")
    var form = attempt.form
    let signature = form.removeValue(forKey: "signature")
    #expect(signature?.utf8.count == 86)
    #expect(
      form == [
        "strategy": "trusted_device", "trusted_device_id": "tdc_1", "client_data": #"{"challenge_id":"ch_1"}"#,
        "algorithm": "ES256",
      ])
  }

  @Test func listsRevokesAndValidates() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]))
    #expect(try await bench.devices.list().map(\.id) == ["tdc_1"])
    #expect(bench.requests.last?.line == "GET /v1/me/trusted_devices")
    #expect(bench.requests.last?.url.query == "_clerk_session_id=sess_A&_is_native=true")
    #expect(bench.requests.last?.body == nil)
    bench.transport.add(json: Wire.envelope(Wire.device("tdc_1", status: "revoked", at: bench.now)))
    #expect(try await bench.devices.revoke(id: "tdc_1").status == .revoked)
    #expect(bench.requests.last?.line == "DELETE /v1/me/trusted_devices/tdc_1")
    #expect(bench.requests.last?.url.query == "_clerk_session_id=sess_A&_is_native=true")
    try await bench.enroll("tdc_2")
    try await bench.signOut()
    bench.transport.add(json: Wire.envelope(["object": "trusted_device_validation", "valid": true]))
    #expect(await bench.devices.validateLocalCredential() == .valid)
    #expect(bench.requests.last?.line == "POST /v1/client/trusted_devices/validate")
    #expect(bench.requests.last?.url.query == "_is_native=true")
    #expect(bench.requests.last?.form == ["trusted_device_id": "tdc_2"])
  }

  @Test func readsAListInAnEnvelopeOrBare() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.transport.add(json: [Wire.device("tdc_1", at: bench.now)])
    #expect(try await bench.devices.list().map(\.id) == ["tdc_1"])
    bench.transport.add(json: Wire.envelope([]))
    #expect(try await bench.devices.list().isEmpty)
    bench.transport.add(json: Wire.envelope(["object": "nothing of the kind"]))
    #expect(await failure { try await bench.devices.list() }?.code == .invalidMessage)
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now), ["id": "tdc_2"]]))
    #expect(await failure { try await bench.devices.list() }?.code == .invalidMessage)
  }

  @Test func speaksLaterServersWords() async throws {
    let bench = try Bench(configure: {
      $0.urlFamily = .biometricCredentials
      $0.strategy = .biometricCredential
      $0.platform = .android
    })
    try await bench.signIn()
    try await bench.enroll()
    #expect(bench.requests.last?.line == "POST /v1/me/biometric_credentials/attempt")
    #expect(bench.requests.last?.form["platform"] == "android")
    try await bench.signOut()
    bench.script(create: "tdc_1")
    bench.script(complete: "sess_B")
    bench.device.verifier.perform(.match())
    try await bench.client.auth.signInWithTrustedDevice()
    #expect(bench.requests.suffix(2).allSatisfy { $0.form["strategy"] == "biometric_credential" })
    #expect(bench.requests.suffix(2).allSatisfy { $0.form["trusted_device_id"] == "tdc_1" })
  }

  @Test func goesThroughAProxy() async throws {
    let bench = try Bench(server: "https://app.example.com/__clerk")
    try await bench.signIn()
    #expect(
      bench.requests.last?.url.description == "https://app.example.com/__clerk/v1/client/sign_ins?_is_native=true")
  }

  @Test func sendsItsFields() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.transport.add(json: Wire.envelope([]))
    _ = try await bench.devices.list()
    let request = try #require(bench.requests.last)
    #expect(request.value("Accept") == "application/json")
    #expect(request.value("Content-Type") == "application/x-www-form-urlencoded")
    #expect(request.value("clerk-api-version") == "2026-05-12")
    #expect(request.value("Authorization") == "token-1")
    #expect(request.value("x-clerk-client-id") == "client_A")
    #expect(request.value("x-bundle-id") == "com.example.app")
    let installation = try #require(request.value("x-native-device-id"))
    #expect(installation.utf8.count == 32)
    // The same in every run, another one for another server.
    let later = bench.restarted()
    later.transport.add(json: Wire.envelope([]))
    _ = try await later.devices.list()
    #expect(later.requests.last?.value("x-native-device-id") == installation)
  }

  @Test func encodesFormMembers() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.script()
    bench.script(attempt: "tdc_1", name: "Küche & Büro + 1=2")
    bench.device.verifier.perform(.match())
    try await bench.devices.enroll(deviceName: "Küche & Büro + 1=2")
    #expect(bench.requests.last?.form["name"] == "Küche & Büro + 1=2")
    let body = String(decoding: bench.requests.last?.body ?? [], as: UTF8.self)
    #expect(body.contains("name=K%C3%BCche%20%26%20B%C3%BCro%20%2B%201%3D2"))
  }

  @Test func leavesAnEmptyNameOut() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.script()
    bench.script(attempt: "tdc_1", name: nil)
    bench.device.verifier.perform(.match())
    try await bench.devices.enroll(deviceName: "")
    #expect(bench.requests.suffix(2).allSatisfy { $0.form["name"] == nil })
  }

  @Test func signsInUpAndOut() async throws {
    let bench = try Bench()
    try await bench.signIn()
    #expect(bench.requests.last?.line == "POST /v1/client/sign_ins")
    #expect(
      bench.requests.last?.form == [
        "strategy": "password", "identifier": "mira@example.com", "password": "a password",
      ])
    #expect(try await bench.client.auth.session?.id == "sess_A")
    try await bench.signOut()
    #expect(bench.requests.last?.line == "POST /v1/client/sessions/sess_A/remove")
    #expect(try await bench.client.auth.session == nil)
    bench.transport.add(
      json: Wire.envelope(
        ["object": "sign_up_attempt", "id": "sua_1", "status": "complete", "created_session_id": "sess_B"],
        client: Wire.client(sessions: [Wire.session("sess_B", user: "user_B")], last: "sess_B")))
    let signUp = try await bench.client.auth.signUp(emailAddress: "kim@example.com", password: "a password")
    #expect(signUp.status == .complete)
    #expect(bench.requests.last?.line == "POST /v1/client/sign_ups")
    #expect(bench.requests.last?.form == ["email_address": "kim@example.com", "password": "a password"])
    #expect(try await bench.client.auth.session?.user?.id == "user_B")
    bench.transport.add(json: Wire.envelope(Wire.client()))
    try await bench.client.auth.signOut(everywhere: true)
    #expect(bench.requests.last?.line == "DELETE /v1/client/sessions")
    #expect(bench.events.all.contains(.signedOut(sessionID: nil)))
  }

  @Test func returnsASignInThatWantsMore() async throws {
    let bench = try Bench()
    try await bench.load()
    bench.transport.add(json: Wire.envelope(Wire.signIn(status: "needs_second_factor")))
    let signIn = try await bench.client.auth.signIn(identifier: "mira", password: "x")
    #expect(signIn.status == .needsSecondFactor)
    #expect(bench.events.all.contains(.signInNeedsContinuation(.needsSecondFactor)))
    bench.transport.add(
      json: Wire.envelope(["id": "sua_1", "status": "missing_requirements", "missing_fields": ["phone_number"]]))
    let signUp = try await bench.client.auth.signUp(username: "mira")
    #expect(signUp.status == .missingRequirements)
    #expect(signUp.missingFields == ["phone_number"])
    #expect(try await bench.client.auth.session == nil)
  }

  @Test func acceptsASignOutThatTheServerHasForgotten() async throws {
    let bench = try Bench()
    try await bench.signIn()
    bench.script(404, "resource_not_found")
    bench.transport.add(json: Wire.envelope(Wire.client()))
    try await bench.client.auth.signOut()
    #expect(try await bench.client.auth.session == nil)
    #expect(bench.requests.last?.line == "GET /v1/client")
    // Once more: the server is asked, and knows of nobody.
    bench.transport.add(json: Wire.envelope(Wire.client()))
    try await bench.client.auth.signOut()
    #expect(bench.requests.suffix(2).map(\.line) == ["GET /v1/client", "GET /v1/client"])
  }
}

enum TrustedDeviceWire {
  static func jwk(_ record: KeyRecord) -> String {
    (try? ProofText.jwk(record.publicKey)) ?? "?"
  }
}
