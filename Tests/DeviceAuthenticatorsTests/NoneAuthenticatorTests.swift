import AuthenticatorCore
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import DeviceAuthenticators
import Testing

@Suite struct NoneAuthenticatorTests {
  @Test func itAsksForNothingAnywhere() async throws {
    let device = try TestDevice(ScriptedDevice(), providers: [SoftwareKeyProvider()])
    #expect(await device.none.availability() == .available(.none))
    #expect(await device.none.isSupported(attestation: .none))
    let record = try await device.bind(device.none)
    #expect(record.authenticator == AuthenticatorType.none)
    #expect(record.access == KeyAccess(gate: .open))
    #expect(try await device.signIn(device.none, record) == nil)
    #expect(device.verifier.prompts.isEmpty)
    #expect(await device.none.health(of: record).state == .usable)
  }

  @Test func presenceIsAskedForWhereAProtocolDemandsIt() async throws {
    let device = try TestDevice(ScriptedDevice(steps: [.approve, .refuse, .passcode("x")]))
    let record = try await device.bind(device.none)
    let key = try await device.none.authenticate(try device.signing(record, level: .presence))
    #expect(key.verification?.level == .presence)
    #expect(key.verification?.methods == [.presence])
    #expect(device.kinds == [.presence])
    let refused = try device.signing(record, level: .presence)
    #expect(await code { try await device.none.authenticate(refused) } == .userCanceled)
  }

  @Test func itVerifiesNobody() async throws {
    let device = try TestDevice(ScriptedDevice(sensor: .fingerprint, enrolled: ["a"], steps: [.match()]))
    let record = try await device.bind(device.none)
    let request = try device.signing(record, level: .verified)
    #expect(await code { try await device.none.authenticate(request) } == .unsupported)
    #expect(device.verifier.prompts.isEmpty)
  }

  @Test func levelNoneNeedsNoTicketEvenWhenVerified() async throws {
    let device = try TestDevice(ScriptedDevice())
    let ticket = try await device.none.verify(
      VerificationRequest(
        operation: OperationID(bytes: [1]), level: .none, owner: device.owner(), prompt: Prompt(reason: ""),
        deadline: device.environment.clock.uptime + .seconds(1)))
    #expect(ticket.verification.level == .none)
    #expect(ticket.verification.methods.isEmpty)
    #expect(device.verifier.prompts.isEmpty)
  }
}
