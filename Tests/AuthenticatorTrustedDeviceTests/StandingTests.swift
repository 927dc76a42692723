import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// What the server says of this installation's credentials.
@Suite struct StandingTests {
  /// Two users' credentials; the second user is signed in.
  private func enrolled() async throws -> Bench {
    let bench = try Bench()
    for (user, id) in [("user_A", "tdc_1"), ("user_B", "tdc_2")] {
      try await bench.signIn(user)
      try await bench.enroll(id)
      bench.device.environment.clock.advance(by: .seconds(1))
    }
    return bench
  }

  private func script(_ valid: JSONValue, _ bench: Bench) {
    bench.transport.add(json: Wire.envelope(["object": "trusted_device_validation", "valid": valid]))
  }

  private func words(_ bench: Bench) async throws -> [String: String] {
    var words: [String: String] = [:]
    for standing in try await bench.devices.standings() {
      words[standing.id] = standing.isAccepted.map { $0 ? "accepted" : "refused" } ?? "untold"
    }
    return words
  }

  @Test func takesTheListForTheSignedInUserAndAsksAboutOthers() async throws {
    let bench = try await enrolled()
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_2", at: bench.now)]))
    script(false, bench)
    #expect(try await words(bench) == ["tdc_1": "refused", "tdc_2": "accepted"])
    let lines = bench.requests.suffix(2).map(\.line)
    #expect(lines == ["GET /v1/me/trusted_devices", "POST /v1/client/trusted_devices/validate"])
    #expect(bench.requests.last?.form == ["trusted_device_id": "tdc_1"])
    #expect(try await bench.activeIDs() == ["tdc_1", "tdc_2"], "asking deletes nothing")
  }

  @Test func asksAboutEachWhileNobodyIsSignedIn() async throws {
    let bench = try await enrolled()
    try await bench.signOut()
    script(true, bench)
    bench.script(422, "form_resource_not_found", parameter: "trusted_device_id")
    let standings = try await bench.devices.standings()
    #expect(Set(standings.map(\.isAccepted)) == [true, false])
    #expect(Set(standings.map(\.userID)) == ["user_A", "user_B"])
    #expect(Set(standings.map(\.tag)) == Set(try await bench.records().map(\.tag)))
    #expect(try await bench.activeIDs() == ["tdc_1", "tdc_2"])
  }

  @Test func aRevokedOneIsNotAccepted() async throws {
    let bench = try await enrolled()
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_2", status: "revoked", at: bench.now)]))
    script(.null, bench)
    #expect(try await words(bench) == ["tdc_1": "untold", "tdc_2": "refused"])
  }

  @Test func asksOneByOneWhenTheSessionIsOver() async throws {
    let bench = try await enrolled()
    bench.script(401, "signed_out")
    bench.transport.add(json: Wire.envelope(Wire.client(), client: Wire.client()))
    script(true, bench)
    script(true, bench)
    #expect(try await words(bench) == ["tdc_1": "accepted", "tdc_2": "accepted"])
  }

  @Test func cannotTellWhereTheFeatureIsOff() async throws {
    let known = try await enrolled()
    known.transport.add(json: Wire.environment(feature: false))
    known.transport.add(json: Wire.envelope(Wire.client(), client: Wire.client()))
    try await known.client.refresh()
    let count = known.requests.count
    #expect(try await words(known) == ["tdc_1": "untold", "tdc_2": "untold"])
    #expect(known.requests.count == count, "nothing is asked")
    let learned = try await enrolled()
    learned.script(400, "native_api_disabled")
    #expect(try await words(learned) == ["tdc_1": "untold", "tdc_2": "untold"])
  }

  @Test func saysThatItFailed() async throws {
    let bench = try await enrolled()
    bench.transport.addFailure(mayHaveArrived: true)
    #expect(await failure { try await bench.devices.standings() }?.code == .transportFailed)
    try await bench.signOut()
    bench.script(500, "internal_error")
    #expect(await failure { try await bench.devices.standings() }?.code == .serverFailed)
    #expect(try await bench.activeIDs() == ["tdc_1", "tdc_2"])
  }

  @Test func asksNothingWithoutCredentials() async throws {
    let bench = try Bench()
    #expect(try await bench.devices.standings() == [])
    #expect(bench.requests.isEmpty)
  }

  /// Keys that an earlier installation has left are not spoken for.
  @Test func passesOverAnEarlierInstallationsKeys() async throws {
    struct NoMarks: InstallationMarkers {
      func contains(_ name: String) async throws -> Bool { false }
      func insert(_ name: String) async throws {}
    }
    let bench = try await enrolled().restarted(configure: { $0.installationMarkers = NoMarks() })
    let count = bench.requests.count
    #expect(try await bench.devices.standings() == [])
    #expect(bench.requests.count == count)
    #expect(try await bench.activeIDs() == ["tdc_1", "tdc_2"])
  }
}
