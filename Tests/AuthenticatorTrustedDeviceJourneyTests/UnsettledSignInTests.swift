import AuthenticatorCore
import AuthenticatorJourney
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import AuthenticatorTrustedDeviceJourney
import Testing

/// Signing in while an enrollment stands that had no answer: whichever key the server knows is reached, and an app that
/// knows journeys alone is left with no key that nobody needs.
@Suite struct UnsettledSignInTests {
  /// Enrolled, signed in, and enrolled again with one message lost.
  private func enrolledAgain(losing loss: InProcessTransport.Loss) async throws -> JourneyKit {
    let kit = try await JourneyKit()
    #expect(try await kit.walk("EnrollTrustedDevice", .match()).isSuccess)
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess)
    try await enroll(kit, losing: loss)
    return kit
  }

  private func enroll(_ kit: JourneyKit, losing loss: InProcessTransport.Loss) async throws {
    let page = try await kit.page("EnrollTrustedDevice")
    kit.device.verifier.script([.match()])
    try await page.callback(TrustedDeviceEnrollCallback.self)?.enroll(kit.configuration, node: page)
    kit.transport.lose(loss)
    #expect(await failure { try await page.next() }?.code == .transportFailed)
    #expect(try await kit.records([.staged]).count == 1)
  }

  @Test func signsInWithTheNewKeyThatTheServerTook() async throws {
    let kit = try await enrolledAgain(losing: .answer)
    let staged = try await kit.records([.staged])[0].tag
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess)
    // The key that the server has given up is gone.
    #expect(try await kit.records().map(\.tag) == [staged])
    #expect(try await kit.records().map(\.state) == [.active])
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess)
    #expect(try await kit.listed().count == 1)
  }

  @Test func goesBackToTheFormerKeyWhenTheServerNeverSawTheNew() async throws {
    let kit = try await enrolledAgain(losing: .request)
    let former = try await kit.records([.active])[0].tag
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isFailure)
    #expect(try await kit.records().count == 2)
    for _ in 0..<3 { #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess) }
    // Once its challenge has ended, nobody can take the new one any more.
    kit.device.environment.clock.advance(by: .seconds(3700))
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess)
    #expect(try await kit.records().map(\.tag) == [former])
    #expect(try await kit.listed().count == 1)
  }

  @Test func triesTheOtherKeyAfterEachRefusal() async throws {
    let kit = try await enrolledAgain(losing: .request)
    // Revoked elsewhere: neither is known now, and both are tried in turn.
    _ = try await kit.listed()
    try await kit.client.trustedDevices.revoke(
      id: String(decoding: try #require(try await kit.records([.active])[0].externalID), as: UTF8.self))
    #expect(try await kit.records([.active]).isEmpty)
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isFailure)
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isFailure)
    #expect(try await kit.walk("EnrollTrustedDevice", .match()).isSuccess)
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess)
  }

  // MARK: Two processes at once

  /// Two journeys enroll at the same time, and the one that ends last here says that it was overtaken. Whichever of
  /// both keys the server keeps is reached, and the other goes.
  @Test(arguments: [true, false]) func reachesTheKeyThatTheServerKeepsOfTwo(_ isFirst: Bool) async throws {
    let kit = try await JourneyKit()
    let network = HeldTransport(kit.transport)
    let held = try kit.beside(over: network)
    let page = try await held.page("EnrollTrustedDevice")
    kit.device.verifier.script([.match()])
    try await page.callback(TrustedDeviceEnrollCallback.self)?.enroll(kit.configuration, node: page)
    if isFirst {
      // The server takes this one, and then the other.
      network.whileAnswering("/authenticate") {
        let walk = try await kit.walk("EnrollTrustedDevice", .match())
        #expect(walk.isSuccess)
      }
    } else {
      #expect(try await kit.walk("EnrollTrustedDevice", .match()).isSuccess)
    }
    let error = await failure { try await page.next() }
    #expect(error?.code == .overtaken)
    #expect(try await kit.records([.active]).count == 1)
    #expect(try await kit.records([.staged]).count == 1)
    let other = try await kit.records([.active])[0].tag
    if !isFirst { #expect(try await kit.walk("LoginTrustedDevice", .match()).isFailure) }
    for _ in 0..<2 { #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess) }
    kit.device.environment.clock.advance(by: .seconds(3700))
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess)
    #expect(try await kit.records().map { $0.tag == other } == [isFirst])
    #expect(try await kit.listed().count == 1)
  }

  /// A client of the Frontend API has found it in the list meanwhile, and enrolled again.
  @Test func saysThatItWasReplacedMeanwhile() async throws {
    let kit = try await JourneyKit()
    _ = try await kit.listed()
    let network = HeldTransport(kit.transport)
    let page = try await kit.beside(over: network).page("EnrollTrustedDevice")
    kit.device.verifier.script([.match(), .match()])
    try await page.callback(TrustedDeviceEnrollCallback.self)?.enroll(kit.configuration, node: page)
    let client = kit.client
    network.whileAnswering("/authenticate") { _ = try await client.trustedDevices.enroll() }
    #expect(await failure { try await page.next() }?.code == .overtaken)
    #expect(try await kit.records().map(\.state) == [.active])
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess)
    #expect(try await kit.listed().count == 1)
  }

  @Test func forgetsAnOlderEnrollmentOnceANewerOneIsAccepted() async throws {
    let kit = try await enrolledAgain(losing: .answer)
    kit.device.environment.clock.advance(by: .seconds(3700))
    #expect(try await kit.walk("EnrollTrustedDevice", .match()).isSuccess)
    #expect(try await kit.records().map(\.state) == [.active])
    #expect(try await kit.walk("LoginTrustedDevice", .match()).isSuccess)
    #expect(try await kit.listed().count == 1)
  }

  /// The app was killed while the person was asked: no server knows the key, and no client but the journey's ever runs.
  @Test(arguments: ["LoginTrustedDevice", "EnrollTrustedDevice"])
  func cleansUpWithoutATrustedDeviceClient(_ journey: String) async throws {
    let kit = try await JourneyKit()
    let page = try await kit.page("EnrollTrustedDevice")
    kit.device.store.fail(.discard)
    kit.device.store.fail(.setItem)
    kit.device.store.fail(.exchangeItem)
    kit.device.verifier.script([.cancel])
    let callback = try #require(page.callback(TrustedDeviceEnrollCallback.self))
    #expect(await failure { try await callback.enroll(kit.configuration, node: page) }?.code == .userCanceled)
    kit.device.store.repair()
    _ = try await page.next()
    let left = try await kit.records([.staged])
    #expect(left.count == 1)
    _ = try await kit.walk(journey, .cancel)
    #expect(try await kit.records([.staged]).map(\.tag) == left.map(\.tag))
    kit.device.environment.clock.advance(by: .seconds(3700))
    _ = try await kit.walk(journey, .match())
    #expect(try await !kit.records().contains { $0.tag == left[0].tag })
  }
}
