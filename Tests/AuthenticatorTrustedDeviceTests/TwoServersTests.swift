import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import AuthenticatorTrustedDevice
import Testing

/// One user, by the same name, of the same app on two servers: a test and a live instance, say.
@Suite struct TwoServersTests {
  private let live: Bench
  private let test: Bench

  /// Both have enrolled the device, under the same name even.
  init() async throws {
    live = try Bench()
    test = try live.beside(server: "https://test.example.com")
    for bench in [live, test] {
      try await bench.signIn()
      try await bench.enroll("tdc_1", hint: "mira@example.com")
    }
  }

  private func records(of bench: Bench) async throws -> [KeyRecord] {
    try await live.records([.active]).filter { $0.owner.instance == bench.configuration.instance }
  }

  @Test func enrollingAtOneReplacesNothingOfTheOther() async throws {
    #expect(try await live.records([.active]).count == 2)
    #expect(try await records(of: live).count == 1)
    #expect(try await live.records([.staged, .retired, .revoking]).isEmpty)
  }

  @Test func eachSignsWithItsOwnKey() async throws {
    for bench in [live, test] {
      let key = try await records(of: bench)[0]
      try await bench.signOut()
      bench.script(create: "tdc_1")
      bench.script(complete: "sess_B")
      bench.device.verifier.perform(.match())
      try await bench.client.auth.signInWithTrustedDevice(identifierHint: "mira@example.com")
      let proof = try #require(bench.requests.last { $0.line.hasSuffix("/attempt_first_factor") })
      let raw = try Base64URL.decode(try #require(proof.form["signature"]))
      let message = Array(try #require(proof.form["client_data"]).utf8)
      #expect(try key.publicKey.isValidSignature(Signature(raw: raw, algorithm: .es256), for: message))
    }
  }

  @Test func whatOneServerHasRevokedStaysForTheOther() async throws {
    live.transport.add(json: Wire.envelope([]))
    #expect(try await live.devices.reconcile().removed == [.init(id: "tdc_1", reason: .missingOnServer)])
    #expect(try await records(of: live).isEmpty)
    #expect(try await records(of: test).count == 1)
    test.transport.add(json: Wire.envelope([Wire.device("tdc_1", at: test.now)]))
    #expect(try await test.devices.availability() == .available)
  }

  @Test func revokingAndForgettingKeepToOneServer() async throws {
    live.transport.add(json: Wire.envelope(Wire.device("tdc_1", status: "revoked", at: live.now)))
    try await live.devices.revoke(id: "tdc_1")
    #expect(try await records(of: test).count == 1)
    #expect(try await live.devices.forgetLocalCredentials(userID: "user_A").count == 0)
    #expect(try await records(of: test).count == 1)
    #expect(try await test.devices.forgetLocalCredentials(userID: "user_A").ids == ["tdc_1"])
    #expect(try await live.records().isEmpty)
  }

  /// Two publishable keys behind one proxy are two servers.
  @Test func twoKeysBehindOneProxyShareNothing() async throws {
    let proxy = "https://app.example.com/__clerk"
    let keys = ["one.example.com$", "two.example.com$"].map { ConfigurationTests.key($0) }
    let one = try Bench(server: "https://one.example.com", publishableKey: keys[0], proxy: proxy)
    let two = one.beside(
      configuration: try TrustedDeviceConfiguration(publishableKey: keys[1], proxyURL: proxy))
    try await one.signIn()
    try await one.enroll("tdc_1")
    #expect(try await two.client.auth.session == nil)
    try await two.signIn()
    #expect(try await two.devices.localAvailability() == .unavailable(.noLocalCredential))
    #expect(two.requests.allSatisfy { $0.url.host == "app.example.com" })
    let installations = Set((one.requests + two.requests).compactMap { $0.value("x-native-device-id") })
    #expect(installations.count == 2)
  }

  @Test func tokensAndSessionsKeepToOneServer() async throws {
    try await live.signOut()
    #expect(try await live.client.auth.session == nil)
    #expect(try await test.client.auth.session?.id == "sess_A")
    #expect(try await test.restarted().client.auth.session?.id == "sess_A")
  }
}
