import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Synchronization
import Testing

/// Two processes enroll on one store at the same time. Whichever ends last here, the key of the credential that the
/// server keeps is the one that stays, and the other process says that it was overtaken.
@Suite struct OverlapTests {
  /// Two processes of the app, one session, and a network that can be held for each.
  private func processes(_ world: World) async throws -> [(client: TrustedDeviceClient, network: HeldTransport)] {
    _ = try await world.signedIn()
    return try (0..<2).map { _ in
      let network = HeldTransport(world.network)
      return (try world.client(over: network), network)
    }
  }

  /// Lets the first process enroll while the second one does: its proof arrives before the second one's, and its answer
  /// is held until `isOver`.
  /// - Returns: how the first process ends, and when.
  private func cross(
    _ world: World, _ first: (client: TrustedDeviceClient, network: HeldTransport),
    _ second: (client: TrustedDeviceClient, network: HeldTransport)
  ) -> (codes: EndCodes, isOver: Moment, hasEnded: Moment) {
    let (isTaken, isOver, hasEnded) = (Moment(), Moment(), Moment())
    let codes = EndCodes()
    world.device.verifier.script([.match(), .match()])
    first.network.whileAnswering("/attempt") {
      isTaken.comes()
      await isOver.wait()
    }
    // The one whose key is made first sends its proof last.
    second.network.whileAnswering("/prepare") {
      Task {
        codes.add(await failure { try await first.client.trustedDevices.enroll(deviceName: "P1") }?.code)
        hasEnded.comes()
      }
      await isTaken.wait()
    }
    return (codes, isOver, hasEnded)
  }

  /// Both sides have one credential, and it signs in.
  private func expectOneThatSignsIn(_ world: World, _ id: String) async throws {
    let client = try await world.signedIn()
    #expect(try await client.trustedDevices.list().map(\.id) == [id])
    #expect(try await world.localIDs == [id])
    #expect(try await world.records().count == 1)
    try await client.auth.signOut()
    world.device.verifier.script([.match()])
    #expect(try await client.auth.signInWithTrustedDevice().status == .complete)
  }

  /// The proof that arrived first has its answer last.
  @Test func keepsTheKeyThatTheServerTookLast() async throws {
    let world = try await World()
    let both = try await processes(world)
    let (first, second) = (both[0], both[1])
    let (codes, isOver, hasEnded) = cross(world, first, second)
    let kept = try await second.client.trustedDevices.enroll(deviceName: "P2")
    isOver.comes()
    await hasEnded.wait()
    #expect(codes.all == [.overtaken])
    try await expectOneThatSignsIn(world, kept.id)
  }

  /// The second process finds the first one's credential in the list, takes it into use, and replaces it.
  @Test func saysThatItWasOvertakenWhenItsKeyIsGone() async throws {
    let world = try await World()
    let both = try await processes(world)
    let (first, second) = (both[0], both[1])
    world.device.verifier.script([.match(), .match()])
    first.network.whileAnswering("/attempt") {
      _ = try await second.client.trustedDevices.enroll(deviceName: "P2")
    }
    #expect(await failure { try await first.client.trustedDevices.enroll(deviceName: "P1") }?.code == .overtaken)
    let listed = try await second.client.trustedDevices.list()
    #expect(listed.map(\.name) == ["P2"])
    try await expectOneThatSignsIn(world, try #require(listed.first).id)
  }

  /// Without the list it cannot be told which of both stands: neither is lost, and the list tells later.
  @Test func losesNeitherWhileTheListCannotBeHad() async throws {
    let world = try await World()
    let both = try await processes(world)
    let (first, second) = (both[0], both[1])
    let (codes, isOver, hasEnded) = cross(world, first, second)
    let kept = try await second.client.trustedDevices.enroll(deviceName: "P2")
    world.network.setDown { true }
    isOver.comes()
    await hasEnded.wait()
    #expect(codes.all == [.transportFailed])
    #expect(try await world.records().map(\.state).sorted { $0.rawValue < $1.rawValue } == [.active, .staged])
    world.network.setDown { false }
    world.clock.advance(by: .seconds(600))
    #expect(try await second.client.trustedDevices.reconcile().pending == 0)
    try await expectOneThatSignsIn(world, kept.id)
  }

  /// A server that shows no keys: another process guesses nothing while the answer is under way; what it had to guess
  /// becomes certain with the exact answer.
  @Test(arguments: [false, true]) func makesCertainWhatAnotherProcessTookFromTheList(_ isPast: Bool) async throws {
    let bench = try Bench()
    try await bench.signIn()
    let other = bench.restarted()
    let made = bench.now
    bench.script()
    bench.transport.add { _ in
      if isPast { bench.device.environment.clock.advance(by: .seconds(3600)) }
      let report = try await other.devices.reconcile()
      #expect(report.enrolled == (isPast ? ["tdc_1"] : []))
      #expect(report.pending == (isPast ? 0 : 1))
      #expect(try await bench.records().map(\.state) == [isPast ? .active : .staged])
      return HTTPResponse(status: 200, fields: [], body: Wire.envelope(Wire.device("tdc_1", at: made)).serialized())
    }
    bench.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: made)]))
    bench.device.verifier.perform(.match())
    #expect(try await bench.devices.enroll().id == "tdc_1")
    #expect(try await bench.records().map(\.state) == [.active])
    #expect(try !LocalCredential(try await bench.records()[0]).details.isUnproven)
    bench.transport.add(json: Wire.envelope(Wire.device("tdc_1", status: "revoked", at: made)))
    #expect(try await bench.devices.revokeCurrentDeviceCredential()?.status == .revoked)
  }
}

/// What several tasks have ended with.
private final class EndCodes: Sendable {
  private let codes = Mutex<[AuthenticatorError.Code?]>([])
  func add(_ code: AuthenticatorError.Code?) { codes.withLock { $0.append(code) } }
  var all: [AuthenticatorError.Code?] { codes.withLock { $0 } }
}

/// Something that happens once, and one who waits for it.
private struct Moment: Sendable {
  private let stream: AsyncStream<Never>
  private let continuation: AsyncStream<Never>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func comes() { continuation.finish() }
  func wait() async { for await _ in stream {} }
}
