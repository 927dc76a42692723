import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import DeviceAuthenticators
import Testing

/// Every device authenticator under every demand of WebAuthn: what works, and what is refused with which code.
@Suite("WebAuthn on every device authenticator") struct AuthenticatorMatrixTests {
  struct Cell: Sendable, CustomTestStringConvertible {
    let type: AuthenticatorType
    let verified: Bool
    /// What the person does for each ceremony.
    let step: ScriptedStep
    let outcome: AuthenticatorError.Code?
    let methods: Set<VerificationMethod>

    var testDescription: String { "\(type), verification \(verified ? "required" : "not asked for")" }
  }

  static let cells: [Cell] = [
    Cell(type: .biometricOnly, verified: true, step: .match(), outcome: nil, methods: [.fingerprint]),
    Cell(type: .biometricOnly, verified: false, step: .match(), outcome: nil, methods: [.fingerprint]),
    Cell(type: .biometricAllowFallback, verified: true, step: .match(), outcome: nil, methods: [.fingerprint]),
    Cell(
      type: .biometricAllowFallback, verified: false, step: .passcode("482913"), outcome: nil, methods: [.passcode]),
    Cell(type: .devicePasscode, verified: true, step: .passcode("482913"), outcome: nil, methods: [.passcode]),
    Cell(type: .devicePasscode, verified: false, step: .passcode("482913"), outcome: nil, methods: [.passcode]),
    Cell(type: .applicationPIN, verified: true, step: .pin("2468"), outcome: nil, methods: [.applicationPIN]),
    Cell(type: .applicationPIN, verified: false, step: .pin("2468"), outcome: nil, methods: [.applicationPIN]),
    Cell(type: .none, verified: true, step: .approve, outcome: .constraintNotMet, methods: []),
    Cell(type: .none, verified: false, step: .approve, outcome: nil, methods: [.presence]),
  ]

  @Test func theMatrixIsComplete() {
    #expect(Self.cells.count == 10)
    #expect(Set(Self.cells.map(\.type)).count == 5)
  }

  @Test(arguments: cells)
  func registersAndSignsInAsExpected(_ cell: Cell) async throws {
    let platform = try Platform(cell.step, cell.step, cell.step)
    let authenticator = try await platform.authenticator(cell.type)
    let request = try platform.creation(verified: cell.verified)
    guard cell.outcome == nil else {
      #expect(await code { try await authenticator.makeCredential(request) } == cell.outcome)
      #expect(try await platform.records().isEmpty)
      return
    }
    let made = try await authenticator.makeCredential(request)
    #expect(made.credential.record.authenticator == cell.type)
    #expect(made.verification?.methods == cell.methods)
    // One prompt for consent and key, one for the assertion.
    #expect(platform.device.verifier.prompts.count == 1)
    let result = try await authenticator.getAssertion(platform.assertion(verified: cell.verified))
    #expect(result.verification?.methods == cell.methods)
    #expect(try result.isSigned(by: made.credential.record.publicKey, over: SHA256.hash([4, 5, 6])))
    #expect(platform.device.verifier.prompts.count == 2)
    let flags = try AuthenticatorData(rawBytes: result.authenticatorData).flags
    #expect(flags.contains(.userVerified) == (cell.type != .none))
  }

  @Test(arguments: [AuthenticatorType.biometricOnly, .biometricAllowFallback, .devicePasscode])
  func whatNeedsHardwareAsksNobodyWhereThereIsNone(_ type: AuthenticatorType) async throws {
    let device = try TestDevice(
      ScriptedDevice(sensor: .fingerprint, enrolled: ["a"], passcode: "1", steps: [.match()]), instance: "",
      providers: [SoftwareKeyProvider()])
    let authenticator = WebAuthnPlatformAuthenticator(
      wrapping: try await AuthenticatorFactories.defaults().make(type, device.context))
    let request = try Platform().creation()
    #expect(await code { try await authenticator.makeCredential(request) } == .constraintNotMet)
    #expect(device.verifier.prompts.isEmpty)
    #expect(try await device.store.records(matching: .everything).isEmpty)
  }

  @Test func aDecoratorForwardsTheRest() async throws {
    let platform = try Platform(.match())
    let authenticator = try await platform.authenticator()
    #expect(authenticator.type() == .biometricOnly)
    #expect(await authenticator.availability() == .available(.verified))
    #expect(await authenticator.isSupported(attestation: .none))
    let made = try await authenticator.makeCredential(try platform.creation())
    #expect(await authenticator.health(of: made.credential.record).state == .usable)
    try platform.device.verifier.enroll("left")
    #expect(await authenticator.health(of: made.credential.record).state == .changed)
    try await authenticator.deleteKeys()
    #expect(try await platform.records().isEmpty)
  }

  @Test func hardwareOfOneAlgorithmIsPreferredToTheServersOrder() async throws {
    // P-256 only, as a Secure Enclave. The server's first choice is passed over without leaving the hardware.
    let device = try TestDevice(
      ScriptedDevice(sensor: .face, enrolled: ["a"], steps: [.match()]), instance: "")
    let authenticator = WebAuthnPlatformAuthenticator(wrapping: BiometricOnlyAuthenticator(context: device.context))
    let made = try await authenticator.makeCredential(try Platform().creation(parameters: [.rs256, .es256]))
    #expect(made.credential.record.algorithm == .es256)
    #expect(made.credential.record.protection.isHardware)
  }
}
