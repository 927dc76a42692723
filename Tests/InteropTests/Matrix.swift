import AuthenticatorKit
import AuthenticatorTestSupport

/// What a cell of the matrix promises.
enum Expectation: Equatable, CustomStringConvertible {
  /// Making a key and signing with it both end signed in.
  case works
  /// Making a key is refused with a code, before a key is made or anything is shown.
  case refused(AuthenticatorError.Code, because: String)

  var description: String {
    switch self {
    case .works: "works"
    case .refused(let code, _): code.rawValue
    }
  }
}

/// A protocol on a device in some condition: one row.
struct MatrixRow {
  var name: String
  var family = ProtocolFamily.deviceBinding
  var journey = "BindDeviceBiometricOnly"
  /// The server's word, behind which each column's authenticator is put in turn.
  var word = WireAuthenticationType.biometricOnly
  var device = ScriptedDevice(sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913")
  var hasHardware = true
  var allowsSoftwareKeys = false
  /// What is refused; everything else works.
  var refusals: [AuthenticatorType: Expectation] = [:]

  /// The journey that a key of this row signs in with.
  var signing: String { family == .webAuthn ? "LoginUsernameless" : "SignDevice" }

  func expectation(of type: AuthenticatorType) -> Expectation { refusals[type] ?? .works }
}

extension AuthenticatorType {
  static let badge = AuthenticatorType(rawValue: "badge")

  /// The columns.
  static let matrixColumns: [AuthenticatorType] = [
    .biometricOnly, .biometricAllowFallback, .devicePasscode, .applicationPIN, .none, .badge,
  ]
}

/// Every protocol on every kind of device, against every authenticator.
enum Matrix {
  private static func refuse(
    _ code: AuthenticatorError.Code, _ types: [AuthenticatorType], because reason: String
  ) -> [AuthenticatorType: Expectation] {
    Dictionary(uniqueKeysWithValues: types.map { ($0, .refused(code, because: reason)) })
  }

  static let rows = deviceBinding + webAuthn

  private static let deviceBinding: [MatrixRow] = [
    MatrixRow(name: "device binding, hardware keys"),
    MatrixRow(
      name: "device binding, software keys not allowed", hasHardware: false,
      refusals: refuse(
        .unsupported, [.biometricOnly, .biometricAllowFallback, .devicePasscode],
        because: "software alone cannot enforce the verification")),
    MatrixRow(name: "device binding, software keys allowed", hasHardware: false, allowsSoftwareKeys: true),
    MatrixRow(
      name: "device binding, no finger enrolled", device: ScriptedDevice(sensor: .fingerprint, passcode: "482913"),
      refusals: refuse(.biometryNotEnrolled, [.biometricOnly], because: "there is no finger to verify")),
    MatrixRow(
      name: "device binding, no sensor and no passcode", device: ScriptedDevice(),
      refusals: refuse(.verifierUnavailable, [.biometricOnly], because: "there is no sensor")
        .merging(
          refuse(
            .passcodeNotSet, [.biometricAllowFallback, .devicePasscode], because: "there is no passcode to check")
        ) { first, _ in first }),
    MatrixRow(
      name: "device binding, sensor locked",
      device: ScriptedDevice(
        sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913", failedAttempts: 5, isLockedOut: true)),
    MatrixRow(
      name: "device binding, attestation asked for", journey: "BindDeviceAttested", word: .biometricAllowFallback,
      refusals: refuse(
        .unsupported, AuthenticatorType.matrixColumns, because: "no provider here attests device-binding keys")),
  ]

  /// The journey's nodes require that the person is verified, which a key without a gate never does.
  private static let unverified = refuse(
    .constraintNotMet, [.none], because: "the server requires that somebody is verified")

  private static func webAuthn(
    _ condition: String, device: ScriptedDevice? = nil, hasHardware: Bool = true, allowsSoftwareKeys: Bool = false,
    refusals: [AuthenticatorType: Expectation] = [:]
  ) -> MatrixRow {
    var row = MatrixRow(
      name: "WebAuthn, \(condition)", family: .webAuthn, journey: "RegisterWebAuthn", hasHardware: hasHardware,
      allowsSoftwareKeys: allowsSoftwareKeys, refusals: refusals.merging(unverified) { first, _ in first })
    if let device { row.device = device }
    return row
  }

  private static let webAuthn: [MatrixRow] = [
    webAuthn("hardware keys"),
    webAuthn(
      "software keys not allowed", hasHardware: false,
      refusals: refuse(
        .constraintNotMet, [.biometricOnly, .biometricAllowFallback, .devicePasscode],
        because: "software alone cannot enforce the verification")),
    webAuthn("software keys allowed", hasHardware: false, allowsSoftwareKeys: true),
    webAuthn(
      "no finger enrolled", device: ScriptedDevice(sensor: .fingerprint, passcode: "482913"),
      refusals: refuse(.biometryNotEnrolled, [.biometricOnly], because: "there is no finger to verify")),
    webAuthn(
      "no sensor and no passcode", device: ScriptedDevice(),
      refusals: refuse(.verifierUnavailable, [.biometricOnly], because: "there is no sensor")
        .merging(
          refuse(
            .passcodeNotSet, [.biometricAllowFallback, .devicePasscode], because: "there is no passcode to check")
        ) { first, _ in first }),
    webAuthn(
      "sensor locked",
      device: ScriptedDevice(
        sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913", failedAttempts: 5, isLockedOut: true)),
  ]
}
