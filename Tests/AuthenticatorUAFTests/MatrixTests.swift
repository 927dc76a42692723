import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import AuthenticatorUAF
import DeviceAuthenticators
import Testing

/// UAF on every kind of device, against every authenticator: it works, or is refused with a stated code.
struct MatrixTests {
  private struct Row {
    var name: String
    var device = ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913")
    var hasHardware = true
    var allowsSoftwareKeys = false
    /// By the behavior's name; everything else works.
    var refusals: [String: UAFErrorCode] = [:]
  }

  private static let biometric = ["uvs", "delete"]

  private static func refuse(_ code: UAFErrorCode, _ names: [String]) -> [String: UAFErrorCode] {
    Dictionary(uniqueKeysWithValues: names.map { ($0, code) })
  }

  private static let rows = [
    Row(name: "hardware keys"),
    Row(
      name: "software keys not allowed", hasHardware: false,
      refusals: refuse(.noSuitableAuthenticator, biometric + ["bio-or-passcode", "passcode"])),
    Row(name: "software keys allowed", hasHardware: false, allowsSoftwareKeys: true),
    Row(
      name: "no finger enrolled", device: ScriptedDevice(sensor: .fingerprint, passcode: "482913"),
      refusals: refuse(.userNotEnrolled, biometric)),
    Row(
      name: "no sensor and no passcode", device: ScriptedDevice(),
      refusals: refuse(.noSuitableAuthenticator, biometric + ["bio-or-passcode", "passcode"])),
    Row(
      name: "sensor locked",
      device: ScriptedDevice(
        sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913", failedAttempts: 5, isLockedOut: true)),
  ]

  private static let badge = UAFBehavior(
    name: "badge", authenticator: AuthenticatorType(rawValue: "badge"), userVerification: .presence)
  private static let columns = UAFBehavior.builtIn + [badge]

  /// An app's own: whoever holds the badge is let in.
  private final class BadgeAuthenticator: DefaultDeviceAuthenticator {
    override func type() -> AuthenticatorType { badge.authenticator }
    override func keyAccess(for request: KeyRequest) async throws -> KeyAccess {
      KeyAccess(gate: .verified([VerificationMethod(rawValue: "badge")]))
    }
    override func availability() async -> AuthenticatorAvailability { .available(.verified) }
    override func verify(
      _ request: VerificationRequest, by access: KeyAccess
    ) async throws -> VerificationTicket {
      VerificationTicket(
        verification: UserVerification(
          level: .verified, methods: [VerificationMethod(rawValue: "badge")], time: context.environment.now()),
        operation: request.operation, keys: request.keys, expires: request.deadline)
    }
  }

  /// Whatever a prompt of this behavior could ask for; what it has no control for is passed over.
  private static func steps(_ behavior: UAFBehavior, _ row: Row) -> [ScriptedStep] {
    switch behavior.name {
    case "pin": [.pin("9517")]
    case "presence": [.approve]
    case "passcode": [.passcode("482913")]
    case "silent", "badge": []
    case "bio-or-passcode":
      row.device.isLockedOut || row.device.enrolled.isEmpty ? [.passcode("482913")] : [.match()]
    default: row.device.isLockedOut ? [.passcode("482913"), .match()] : [.match()]
    }
  }

  @Test func everyCellGivesItsExpectedResult() async throws {
    var (cells, refused) = (0, 0)
    for row in Self.rows {
      for behavior in Self.columns {
        cells += 1
        let expected = row.refusals[behavior.name]
        let met = try await meet(row, behavior)
        #expect(met == expected, "\(row.name) × \(behavior.name)")
        if expected != nil { refused += 1 }
      }
    }
    #expect(cells == 48)
    #expect(refused == 10)
  }

  /// Registers and signs in; what is refused has left nothing and asked nothing.
  private func meet(_ row: Row, _ behavior: UAFBehavior) async throws -> UAFErrorCode? {
    let providers: [any KeyProvider] = row.hasHardware ? [EmulatedHardware()] : [SoftwareKeyProvider()]
    let device = try TestDevice(row.device, instance: "https://rp.example", providers: providers)
    var custom = AuthenticatorFactories()
    custom.register(Self.badge.authenticator) { BadgeAuthenticator(context: $0) }
    let aaid = try #require(AAID("FFFF#D001"))
    let client = try UAFClient(
      UAFClientConfiguration(
        context: device.context, authenticators: [UAFAuthenticatorModel(aaid: aaid, behavior: behavior)],
        devices: UAFDeviceAuthenticators(
          biometric: BiometricAuthenticatorConfig(allowsSoftwareKeys: row.allowsSoftwareKeys),
          devicePasscode: DevicePasscodeConfig(allowsSoftwareKeys: row.allowsSoftwareKeys),
          applicationPIN: ApplicationPINConfig(pinCollector: device.verifier), custom: custom),
        responder: device.verifier))
    device.verifier.script(Self.steps(behavior, row))
    let policy = UAFKit.accepting([aaid.rawValue])
    let made = await client.register(UAFKit.registration(policy: policy), facetID: UAFKit.facet)
    guard let response = made.message else {
      #expect(device.verifier.prompts.isEmpty)
      #expect(try await device.store.records(matching: .everything).isEmpty)
      return made.errorCode
    }
    try await client.notify(status: .ok, of: response, facetID: UAFKit.facet)
    let record = try #require(try await device.store.records(matching: .everything).first)
    #expect(record.authenticator == behavior.authenticator && record.state == .active)
    // The first operation has unlocked the sensor.
    var later = row
    later.device.isLockedOut = false
    device.verifier.script(Self.steps(behavior, later))
    let signed = await client.authenticate(UAFKit.authentication(policy: policy), facetID: UAFKit.facet)
    return signed.outcome == .success ? nil : signed.errorCode
  }
}
