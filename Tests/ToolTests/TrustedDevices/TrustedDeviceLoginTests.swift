import AuthenticatorCoding
import Testing
import ToolSupport

/// `login` through the journeys that enroll a trusted device and sign in with it.
@Suite struct TrustedDeviceLoginTests {
  /// Walks a journey as mira, on the bench's device.
  private func login(
    _ bench: TrustedDeviceBench, _ journey: String, password: Bool = true, _ more: String...
  ) async throws -> (Int32, JSONValue) {
    let answers = ["--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse"]
    let result = try await Tool.run(
      ["login", "--server", bench.url, "--journey", journey] + (password ? answers : []) + bench.deviceOptions + more
        + ["--json"])
    return (result.status, try result.json())
  }

  @Test func enrollsAndSignsInThroughJourneys() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person(Bench.touch)
    var (status, json) = try await login(bench, "EnrollTrustedDevice")
    #expect(status == 0)
    #expect(json["outcome"] == "success")
    #expect(json["ceremonies"]?[0]?["callback"] == "TrustedDeviceEnrollCallback")
    #expect(json["ceremonies"]?[0]?["result"] == "signed")
    #expect(json["prompts"] == [["kind": "biometric", "result": "matched"]] || json["prompts"]?.arrayValue?.count == 1)
    let key = try #require(try await bench.keys().first)
    #expect(key["protocol"] == "trusted-device")
    #expect(key["state"] == "active")

    try bench.person(Bench.touch)
    (status, json) = try await login(bench, "LoginTrustedDevice", password: false)
    #expect(status == 0)
    #expect(json["outcome"] == "success")
    #expect(json["session"]?["tokenId"]?.stringValue?.isEmpty == false)
    #expect(json["ceremonies"]?[0]?["callback"] == "TrustedDeviceSignInCallback")

    // The same credential signs in over the Frontend API, and is listed and revoked there.
    try bench.person(Bench.touch)
    (status, json) = try await bench.run("sign-in")
    #expect(status == 0)
    #expect(json["status"] == "complete")
    (status, json) = try await bench.run("list")
    #expect(json.arrayValue?.count == 1)
    #expect(json[0]?["current"] == true)
    #expect(try await bench.run("revoke", "--current").0 == 0)
    try bench.person(Bench.touch)
    (status, json) = try await login(bench, "LoginTrustedDevice", password: false)
    #expect(status == 1)
    #expect(json["ceremonies"]?[0]?["result"] == "noLocalCredential")
    #expect(json["ceremonies"]?[0]?["clientError"] == "no_local_credential")
  }

  @Test func signsInThroughAJourneyWithWhatTheFrontendAPIEnrolled() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person()
    try await bench.enroll("--hint", "mira@example.com")
    try bench.person(Bench.touch)
    let (status, json) = try await login(bench, "LoginTrustedDevice", password: false, "--user", "mira@example.com")
    #expect(status == 0)
    #expect(json["outcome"] == "success")
  }

  @Test func leavesNothingOfAnEnrollmentThatIsCanceled() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person(Bench.cancel)
    let (status, json) = try await login(bench, "EnrollTrustedDevice")
    #expect(status == 1)
    #expect(json["ceremonies"]?[0]?["result"] == "userCanceled")
    #expect(json["ceremonies"]?[0]?["clientError"] == "biometric_authentication_canceled")
    #expect(try await bench.keys().isEmpty)
  }

  /// The server would wait for a minute.
  @Test func silenceEndsAtTheTimeLimitOfTheCommandLine() async throws {
    let bench = try await TrustedDeviceBench()
    let data: JSONValue = [
      "_type": "TrustedDevice", "_action": "trusted_device_enroll", "trusted_device_id": "tdc_1", "user_id": "user_1",
      "username": "mira", "policy": "biometry_any", "reason": "Enroll.", "timeout": 60,
      "challenge": [
        "object": "trusted_device_challenge", "challenge": "AAEC", "challenge_id": "tdch_1", "client_data": "{}",
        "expires_at": .integer(SystemMoment.milliseconds + 600_000), "algorithm": "ES256",
      ],
    ]
    let server = try await PythonServer.answering(
      Canned.node(
        Canned.callback("MetadataCallback", 1, outputs: [("data", data)]), Canned.hidden("trustedDeviceOutcome", 2)),
      Canned.loginFailure)
    try bench.person(["do": "noAnswer"])
    let result = try await Tool.run(
      ["login", "--server", server.url, "--timeout", "4", "--json"] + bench.deviceOptions)
    let json = try result.json()
    #expect(result.status == 1)
    #expect(json["ceremonies"]?[0]?["result"] == "timedOut", "\(json.serializedString())")
    #expect(json["ceremonies"]?[0]?["clientError"] == "timeout")
    #expect(try await bench.keys().isEmpty)
  }

  @Test(arguments: ["passcode", "pin"]) func refusesWhatCannotGuardATrustedDevice(_ authenticator: String) async throws
  {
    let bench = try await TrustedDeviceBench()
    try bench.person(Bench.touch)
    let (status, json) = try await login(bench, "EnrollTrustedDevice", "--authenticator", authenticator)
    #expect(status == 1)
    #expect(json["ceremonies"]?[0]?["clientError"] == "unsupported_platform")
    #expect(json["prompts"] == [])
    #expect(try await bench.keys().isEmpty)
  }

  @Test func keepsABiometricOnlyKeyToTheSetItWasMadeUnder() async throws {
    let bench = try await TrustedDeviceBench()
    try bench.person(Bench.touch)
    #expect(try await login(bench, "EnrollTrustedDevice", "--authenticator", "biometric-only").0 == 0)
    try bench.person(["do": "enroll", "finger": "left-thumb"], ["do": "match", "finger": "left-thumb"])
    let (status, json) = try await login(bench, "LoginTrustedDevice", password: false)
    #expect(status == 1)
    #expect(json["ceremonies"]?[0]?["clientError"] == "key_invalidated")
    // The server's half goes with the next session.
    #expect(try await bench.keys().isEmpty)
    _ = try await bench.login()
    #expect(try await bench.keys().isEmpty)
    #expect(try await bench.run("list").1 == [])
  }
}
