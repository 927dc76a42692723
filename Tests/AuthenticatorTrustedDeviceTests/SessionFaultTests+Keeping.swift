import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// What of a session outlives the process, and what another process has kept meanwhile.
extension SessionFaultTests {
  @Test func saysThatASessionIsNotKept() async throws {
    let bench = try Bench()
    try await bench.load()
    bench.device.store.fail(.exchangeItem)
    try await bench.signIn()
    #expect(bench.events.all.contains(.postponed(.saving, code: .storageFailed)))
    // It counts here, and the next run would not know it.
    #expect(try await bench.client.auth.session?.id == "sess_A")
    #expect(await failure { try await bench.client.keepState() }?.code == .storageFailed)
    #expect(try await bench.restarted().client.auth.session == nil)
    bench.device.store.repair()
    try await bench.client.keepState()
    #expect(try await bench.restarted().client.auth.session?.id == "sess_A")
  }

  /// Two processes with one new store, both of which have read it.
  private func twoProcesses() async throws -> (Bench, Bench) {
    let one = try Bench()
    let two = one.restarted()
    try await one.client.start()
    try await two.client.start()
    one.transport.add(json: Wire.environment())
    try await one.client.refresh()
    return (one, two)
  }

  /// Two processes with one new store sign in at the same time: one is kept, the other says that it is not.
  @Test func keepsOneOfTwoSignInsAtOnce() async throws {
    let (one, two) = try await twoProcesses()
    try await one.signIn(session: "sess_1")
    one.transport.add(json: Wire.envelope(client("sess_2")), fields: [HTTPField("Authorization", "token-2")])
    _ = await failure { try await two.client.auth.signIn(identifier: "mira", password: "a password") }
    #expect(try await two.client.auth.session?.id == "sess_2")
    #expect(await failure { try await two.client.keepState() }?.code == .busy)
    #expect(try await one.restarted().client.auth.session?.id == "sess_1")
  }

  /// The other process comes between reading what is kept and writing it.
  @Test func keepsOneOfTwoSignInsInTheSameInstant() async throws {
    let (one, two) = try await twoProcesses()
    one.device.store.interrupt(before: .exchangeItem) { try await one.signIn(session: "sess_1") }
    one.transport.add(json: Wire.envelope(client("sess_2")), fields: [HTTPField("Authorization", "token-2")])
    _ = await failure { try await two.client.auth.signIn(identifier: "mira", password: "a password") }
    #expect(try await two.client.auth.session?.id == "sess_2")
    #expect(await failure { try await two.client.keepState() }?.code == .busy)
    #expect(try await one.restarted().client.auth.session?.id == "sess_1")
  }

  /// A process that only asks for settings takes nothing from another that has signed in meanwhile.
  @Test func takesOverWhatAnotherProcessHasKept() async throws {
    let one = try Bench()
    let two = one.restarted()
    try await two.client.start()
    try await one.signIn()
    two.transport.add(json: Wire.environment(api: false))
    two.transport.add(json: Wire.envelope(client("sess_A")))
    try await two.client.refresh()
    #expect(try await two.client.auth.session?.id == "sess_A")
    let later = one.restarted()
    #expect(try await later.client.auth.session?.id == "sess_A")
    #expect(try await later.client.environment?.isNativeAPIEnabled == false)
  }
}
