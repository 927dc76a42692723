import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

@Suite struct ValidateTests {
  private func enrolled() async throws -> Bench {
    let bench = try Bench()
    for (user, id) in [("user_A", "tdc_1"), ("user_B", "tdc_2")] {
      try await bench.signIn(user)
      try await bench.enroll(id)
      bench.device.environment.clock.advance(by: .seconds(1))
    }
    try await bench.signOut()
    return bench
  }

  private func script(_ valid: JSONValue, _ bench: Bench) {
    bench.transport.add(json: Wire.envelope(["object": "trusted_device_validation", "valid": valid]))
  }

  @Test func believesTheServer() async throws {
    let bench = try await enrolled()
    script(true, bench)
    #expect(await bench.devices.validateLocalCredential() == .valid)
    #expect(bench.requests.last?.form["trusted_device_id"] == "tdc_2")
  }

  @Test func goesOnToOlderCredentials() async throws {
    let bench = try await enrolled()
    script(false, bench)
    script(true, bench)
    #expect(await bench.devices.validateLocalCredential() == .valid)
    #expect(try await bench.activeIDs() == ["tdc_1"])
    bench.script(422, "form_resource_not_found", parameter: "trusted_device_id")
    #expect(await bench.devices.validateLocalCredential() == .invalid(.serverCredentialMissing))
    #expect(try await bench.records().isEmpty)
    #expect(await bench.devices.validateLocalCredential() == .invalid(.noLocalCredential))
  }

  @Test func keepsTheRecordWhenTheFeatureIsOff() async throws {
    let bench = try await enrolled()
    bench.script(400, "native_api_disabled")
    #expect(await bench.devices.validateLocalCredential() == .invalid(.nativeAPIDisabled))
    bench.script(403, "feature_not_enabled")
    #expect(await bench.devices.validateLocalCredential() == .invalid(.featureDisabled))
    #expect(try await bench.activeIDs() == ["tdc_1", "tdc_2"])
  }

  @Test func concludesNothingFromAnythingElse() async throws {
    let bench = try await enrolled()
    bench.transport.addFailure(mayHaveArrived: true)
    #expect(await bench.devices.validateLocalCredential() == .inconclusive)
    bench.script(500, "internal_error")
    #expect(await bench.devices.validateLocalCredential() == .inconclusive)
    script("yes", bench)
    #expect(await bench.devices.validateLocalCredential() == .inconclusive)
    script(.null, bench)
    #expect(await bench.devices.validateLocalCredential() == .inconclusive)
    bench.script(422, "form_resource_not_found", parameter: "identifier")
    #expect(await bench.devices.validateLocalCredential() == .inconclusive)
    bench.device.store.fail(.records)
    #expect(await bench.devices.validateLocalCredential() == .inconclusive)
    bench.device.store.repair()
    bench.device.store.fail(.presence)
    #expect(await bench.devices.validateLocalCredential() == .inconclusive)
    bench.device.store.repair()
    #expect(try await bench.activeIDs() == ["tdc_1", "tdc_2"])
  }

  @Test func concludesNothingWithoutSettingsOrClient() async throws {
    let fresh = try Bench()
    #expect(await fresh.devices.validateLocalCredential() == .inconclusive)
    try await fresh.load()
    #expect(await fresh.devices.validateLocalCredential() == .inconclusive)
    #expect(fresh.requests.count == 1)
  }

  @Test func asksNotForEverAboutARecordThatCannotBeRemoved() async throws {
    let bench = try await enrolled()
    script(false, bench)
    bench.device.store.fail(.delete)
    #expect(await bench.devices.validateLocalCredential(id: "tdc_2") == .inconclusive)
    #expect(bench.transport.remaining == 0)
  }
}
