import AuthenticatorCoding
import AuthenticatorKit
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import CFIDO2
import Testing

/// libfido2 drives our authenticator over CTAPHID, through callbacks instead of a device, and judges what comes back.
@MainActor @Suite struct LibFIDO2Tests {
  private func connect(_ passkeys: Passkeys, _ type: AuthenticatorType = .biometricOnly) async throws -> ReportWire {
    let wire = ReportWire()
    let key = try await SecurityKey(passkeys, type) { wire.deliver($0) }
    wire.connect { key.receive($0) }
    return wire
  }

  @Test func readsWhatTheDeviceCanDo() async throws {
    let passkeys = try Passkeys()
    let info = try await LibFIDO2.run(on: try await connect(passkeys)) { try $0.info() }
    #expect(info.versions == ["FIDO_2_0", "FIDO_2_1"])
    #expect(info.extensions == ["credBlob", "credProtect", "hmac-secret", "minPinLength", "uvm"])
    #expect(info.options["rk"] == true && info.options["up"] == true && info.options["uv"] == true)
    #expect(info.options["clientPin"] == false && info.options["plat"] == false)
    #expect(info.protocols == [2, 1] && info.algorithms == [-7, -8, -35, -36, -257, -37])
    #expect(info.maximumMessage == 7609 && info.maximumBlob == 64 && info.minimumPIN == 4)
  }

  @Test(arguments: [COSE_ES256, COSE_ES384, COSE_EDDSA, COSE_RS256], [false, true])
  func makesAndUsesCredentials(_ algorithm: CInt, _ hasChain: Bool) async throws {
    var passkeys = try Passkeys()
    if hasChain {
      passkeys.configuration.attestation = .certified(try AttestationAuthority().key)
      passkeys.configuration.aaguid = try #require(AAGUID(AttestationAuthority.model))
    }
    passkeys.person(Array(repeating: .match(), count: 20))
    let (made, named, found) = try await LibFIDO2.run(on: try await connect(passkeys)) { key in
      let made = try key.makeCredential(.init(algorithm: algorithm))
      let named = try key.getAssertions(.init(allowed: [made.id]), [made])
      return (made, named, try key.getAssertions(.init(), [made]))
    }
    #expect(made.format == "packed" && made.algorithm == algorithm)
    // Presence, verification, attested data.
    #expect(made.flags == 0x45)
    #expect(named.map(\.id) == [made.id] && found.map(\.id) == [made.id])
    #expect(named.map(\.counter) == [1] && found.map(\.counter) == [2] && found.map(\.flags) == [5])
    #expect(found.map(\.userHandle) == [Array("alice".utf8)])
  }

  @Test func severalCredentialsAnswerOneRequest() async throws {
    let passkeys = try Passkeys()
    passkeys.person(Array(repeating: .match(), count: 20))
    let assertions = try await LibFIDO2.run(on: try await connect(passkeys)) { key in
      let made = try ["alice", "bob", "carol"].map { try key.makeCredential(.init(user: $0)) }
      return try key.getAssertions(.init(), made)
    }
    #expect(Set(assertions.map { String(decoding: $0.userHandle, as: UTF8.self) }) == ["alice", "bob", "carol"])
  }

  @Test func refusesWhatIsExcludedOrAbsent() async throws {
    let passkeys = try Passkeys()
    passkeys.person(Array(repeating: .match(), count: 20))
    let wire = try await connect(passkeys)
    try await LibFIDO2.run(on: wire) { key in
      #expect(throws: FIDOFailure.noCredentials) { try key.getAssertions(.init(), []) }
      let made = try key.makeCredential(.init())
      #expect(throws: FIDOFailure.credentialExcluded) {
        try key.makeCredential(.init(user: "bob", excluded: [made.id]))
      }
      try key.reset()
      #expect(throws: FIDOFailure.noCredentials) { try key.getAssertions(.init(allowed: [made.id]), [made]) }
    }
  }

  @Test func aPINVerifiesThePerson() async throws {
    let passkeys = try Passkeys()
    passkeys.person(Array(repeating: .approve, count: 20))
    try await LibFIDO2.run(on: try await connect(passkeys, .none)) { key in
      try key.setPIN("1234")
      #expect(try key.info().options["clientPin"] == true)
      #expect(try key.retries() == 8)
      #expect(throws: FIDOFailure.pinInvalid) { try key.makeCredential(.init(pin: "9999")) }
      #expect(try key.retries() == 7)
      #expect(throws: FIDOFailure.pinInvalid) { try key.setPIN("0000", replacing: "4321") }
      try key.setPIN("56789", replacing: "1234")
      let made = try key.makeCredential(.init(pin: "56789"))
      #expect(made.flags == 0x45)
      let assertions = try key.getAssertions(.init(allowed: [made.id], pin: "56789"), [made])
      #expect(assertions.map(\.flags) == [5])
      #expect(try key.retries() == 8)
      try key.reset()
      #expect(try key.info().options["clientPin"] == false)
    }
  }

  @Test func extensionOutputsAreWhatLibfido2Expects() async throws {
    var passkeys = try Passkeys()
    passkeys.configuration.minimumPINLength = 6
    passkeys.configuration.minimumPINLengthParties = [Passkeys.relyingPartyID]
    passkeys.person(Array(repeating: .match(), count: 20))
    // What prf hashes its input to (WebAuthn Level 3 section 10.1.4).
    let salt = SHA256.hash(Array("WebAuthn PRF".utf8) + [0] + Array("one".utf8))
    let (made, assertion) = try await LibFIDO2.run(on: try await connect(passkeys)) { key in
      // libfido2 itself compares protection and length of PIN with what was signed.
      let made = try key.makeCredential(
        .init(protection: FIDO_CRED_PROT_UV_REQUIRED, blob: Array("blob".utf8), wantsSecret: true, minimumPIN: 6))
      let assertions = try key.getAssertions(.init(allowed: [made.id], salt: salt, wantsBlob: true), [made])
      return (made, assertions[0])
    }
    #expect(assertion.blob == Array("blob".utf8) && assertion.secret.count == 32)
    #expect(made.flags & 0x80 != 0 && assertion.flags & 0x80 != 0)
    // Our own client derives the same from the same credential.
    let response = try await passkeys.client().get(
      json: Passkeys.request([.string(Base64URL.encode(made.id))], extensions: ["prf": ["eval": ["first": "b25l"]]]),
      caller: Passkeys.caller)
    #expect(
      response["clientExtensionResults"]?["prf"]?["results"]?["first"]
        == .string(Base64URL.encode(assertion.secret)))
  }

  @Test func aClientWithdrawsItsRequest() async throws {
    let passkeys = try Passkeys()
    passkeys.person([.match(), .noAnswer])
    let wire = try await connect(passkeys)
    let key = try await onThread { try LibFIDO2(wire) }
    let made = try await onThread { try key.makeCredential(.init(isVerified: false)) }
    let running = Task { try await onThread { try key.getAssertions(.init(isVerified: false), [made]) } }
    // Until the person is asked.
    await passkeys.device.environment.clock.waitForSleepers()
    try await onThread { try key.cancel() }
    await #expect(throws: FIDOFailure.keepaliveCancel) { try await running.value }
  }
}
