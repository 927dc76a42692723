import AuthenticatorCore
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import Testing

@Suite struct TestEnvironmentTests {
  @Test func sleepersWakeWhenTheirTimeComes() async throws {
    let clock = ManualClock()
    let early = Task { try await clock.sleep(until: .seconds(1010)) }
    let late = Task { try await clock.sleep(until: .seconds(1020)) }
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(10))
    try await early.value
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
    try await clock.sleep(until: .seconds(1010))
    #expect(clock.uptime == .seconds(1010))
    #expect(clock.now == UnixTime(milliseconds: 1_700_000_010_000))
    clock.set(now: UnixTime(milliseconds: 0))
    #expect(clock.uptime == .seconds(1010))
  }

  @Test func theClockGoesOnToItsFirstSleeper() async throws {
    let clock = ManualClock()
    #expect(clock.advanceToFirstSleeper() == nil)
    #expect(clock.uptime == .seconds(1000))
    let late = Task { try await clock.sleep(until: .seconds(1020)) }
    let early = Task { try await clock.sleep(until: .seconds(1010)) }
    await clock.waitForSleepers(2)
    #expect(clock.advanceToFirstSleeper() == .seconds(10))
    try await early.value
    #expect(clock.advanceToFirstSleeper() == .seconds(10))
    try await late.value
    #expect(clock.now == UnixTime(milliseconds: 1_700_000_020_000))
  }

  @Test func aCancelledTaskDoesNotSleep() async {
    let clock = ManualClock()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(until: .seconds(5000))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func theSameSeedGivesTheSameBytes() {
    let (first, second, other) = (SeededRandom(seed: 7), SeededRandom(seed: 7), SeededRandom(seed: 8))
    let bytes = first.bytes(100)
    #expect(bytes.count == 100)
    #expect(second.bytes(100) == bytes)
    #expect(other.bytes(100) != bytes)
    #expect(first.bytes(100) != bytes)
    #expect(first.bytes(0).isEmpty)
  }

  @Test func faultsHitTheCallTheyAreMeantFor() async throws {
    let device = try TestDevice(ScriptedDevice())
    let request = KeyRequest(owner: device.owner(), algorithms: [.es256])
    func stage() async throws -> KeyRecord {
      try await device.store.stage(
        request, as: .none, access: KeyAccess(gate: .open), enrollmentState: nil, ticket: nil)
    }
    device.store.fail(.stage, .before, with: AuthenticatorError(.busy))
    await #expect(throws: AuthenticatorError(.busy)) { try await stage() }
    #expect(try await device.store.records(matching: .everything).isEmpty)
    device.store.repair()
    device.store.failCall(at: 1, .after)
    _ = try await stage()
    await #expect(throws: AuthenticatorError(.storageFailed)) { try await stage() }
    #expect(device.store.calls == [.stage, .stage])
    device.store.repair()
    #expect(try await device.store.records(matching: .everything).count == 2)
  }
}
