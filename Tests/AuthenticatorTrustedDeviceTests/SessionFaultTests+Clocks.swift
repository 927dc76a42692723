import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// Sessions whose time is over, or seems to be.
extension SessionFaultTests {
  // MARK: Clocks

  /// The true time of these tests.
  private static let date = HTTPField("Date", "Tue, 14 Nov 2023 22:13:20 GMT")

  /// A session of a week. The device's clock was set since: it was eight days slow or is eight days fast now, so that
  /// the session seems to be over while the server says that it is not.
  private func misjudged(isFast: Bool) async throws -> Bench {
    let bench = try Bench()
    let clock = bench.device.environment.clock
    let (now, days) = (clock.now, Duration.seconds(8 * 86_400))
    if !isFast { clock.set(now: now.advanced(by: .zero - days)) }
    try await bench.load()
    bench.transport.add(
      json: Wire.envelope(
        Wire.signIn(status: "complete", createdSession: "sess_A"),
        client: client("sess_A", expires: now.advanced(by: .seconds(7 * 86_400)))),
      fields: [HTTPField("Authorization", "token-1"), Self.date])
    try await bench.client.auth.signIn(identifier: "mira", password: "a password")
    bench.script()
    bench.transport.add(json: Wire.envelope(Wire.device("tdc_1", at: now)), fields: [Self.date])
    bench.device.verifier.perform(.match())
    try await bench.devices.enroll()
    clock.set(now: isFast ? now.advanced(by: days) : now)
    let later = bench.restarted()
    #expect(try await later.client.auth.session?.status == .expired)
    later.transport.add(
      json: Wire.envelope(client("sess_A", expires: now.advanced(by: .seconds(7 * 86_400)))), fields: [Self.date])
    return later
  }

  /// What was asked, and that the next run judges the session without asking.
  private func expectCorrected(_ bench: Bench, _ lines: [String]) async throws {
    #expect(bench.requests.suffix(lines.count).map(\.line) == lines)
    #expect(try await bench.restarted().client.auth.session?.status == .active)
    #expect(bench.transport.remaining == 0)
  }

  @Test(arguments: [true, false]) func asksOnceWhetherASessionIsOverThatSeemsSo(_ isFast: Bool) async throws {
    let list = "GET /v1/me/trusted_devices"
    var bench = try await misjudged(isFast: isFast)
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: bench.now)]), fields: [Self.date])
    #expect(try await bench.devices.reconcile().askedServer)
    try await expectCorrected(bench, ["GET /v1/client", list])

    bench = try await misjudged(isFast: isFast)
    bench.transport.add(json: Wire.envelope([]), fields: [Self.date])
    #expect(try await bench.devices.availability() == .unavailable(.serverCredentialMissing))
    try await expectCorrected(bench, ["GET /v1/client", list])

    bench = try await misjudged(isFast: isFast)
    bench.transport.add(json: Wire.envelope([]), fields: [Self.date])
    #expect(await failure { try await bench.client.auth.signInWithTrustedDevice() }?.code == .credentialGone)
    try await expectCorrected(bench, ["GET /v1/client", list])

    bench = try await misjudged(isFast: isFast)
    bench.transport.add(json: Wire.envelope([]), fields: [Self.date])
    #expect(try await bench.devices.list().isEmpty)
    try await expectCorrected(bench, ["GET /v1/client", list])
  }

  // MARK: Sessions whose time is over

  private func expiring() async throws -> Bench {
    let bench = try Bench()
    try await bench.load()
    bench.transport.add(
      json: Wire.envelope(
        Wire.signIn(status: "complete", createdSession: "sess_A"),
        client: client("sess_A", expires: bench.now.advanced(by: .seconds(3600)))),
      fields: [HTTPField("Authorization", "token-1")])
    try await bench.client.auth.signIn(identifier: "mira@example.com", password: "a password")
    try await bench.enroll()
    return bench
  }

  @Test func answersFromLocalStateOnceTheSessionIsOver() async throws {
    let bench = try await expiring()
    bench.device.environment.clock.advance(by: .seconds(3600))
    for bench in [bench, bench.restarted()] {
      let count = bench.requests.count
      #expect(try await bench.client.auth.session?.status == .expired)
      #expect(try await bench.devices.availability() == .available)
      let report = try await bench.devices.reconcile()
      #expect(!report.askedServer)
      // Whether it is over was asked once each time; nobody answered.
      #expect(bench.requests.dropFirst(count).map(\.line) == ["GET /v1/client", "GET /v1/client"])
    }
  }

  @Test func asksOnceMoreBeforeItCallsSomebodySignedOut() async throws {
    let bench = try await expiring()
    bench.device.environment.clock.advance(by: .seconds(3600))
    bench.transport.add(json: Wire.envelope(client("sess_A", expires: bench.now.advanced(by: .seconds(3600)))))
    bench.transport.add(json: Wire.envelope(Wire.device("tdc_1", status: "revoked", at: bench.now)))
    #expect(try await bench.devices.revokeCurrentDeviceCredential()?.id == "tdc_1")
    #expect(bench.requests.suffix(2).first?.line == "GET /v1/client")
  }

  /// A device whose clock is ahead would call every session over.
  @Test func goesByTheServersClock() async throws {
    let bench = try Bench()
    let date = HTTPField("Date", "Mon, 30 Nov 2026 12:00:00 GMT")
    let server = UnixTime(milliseconds: 1_796_040_000_000)
    bench.device.environment.clock.advance(
      by: .milliseconds(server.milliseconds - bench.now.milliseconds + 90 * 86_400_000))
    bench.transport.add(json: Wire.environment(), fields: [date])
    try await bench.client.refresh()
    bench.transport.add(
      json: Wire.envelope(
        Wire.signIn(status: "complete", createdSession: "sess_A"),
        client: client("sess_A", expires: server.advanced(by: .seconds(3600)))),
      fields: [HTTPField("Authorization", "token-1"), date])
    try await bench.client.auth.signIn(identifier: "mira@example.com", password: "a password")
    #expect(try await bench.client.auth.session?.status == .active)
    #expect(try await bench.restarted().client.auth.session?.status == .active)
    // Nor would it ever see a challenge that has not ended.
    bench.transport.add(
      json: Wire.envelope(Wire.challenge(expires: server.advanced(by: .seconds(300)))), fields: [date])
    bench.script(attempt: "tdc_1")
    bench.device.verifier.perform(.match())
    try await bench.devices.enroll()
    #expect(try await bench.activeIDs() == ["tdc_1"])
  }
}
