import AuthenticatorKit
import AuthenticatorTestSupport

/// What a cell of the matrix promises.
enum Expectation: Equatable, CustomStringConvertible {
  /// Making a key and signing with it both end signed in.
  case works
  /// Making a key is refused with a code, before anything is shown; no key is left.
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
  var signing: String {
    switch family {
    case .webAuthn: "LoginUsernameless"
    case .uaf: "LoginUAF"
    case .trustedDevice: "LoginTrustedDevice"
    default: "SignDevice"
    }
  }

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

  static let rows = deviceBinding + webAuthn + uaf + trustedDevice

  private static let noFinger = ScriptedDevice(sensor: .fingerprint, passcode: "482913")
  private static let locked = ScriptedDevice(
    sensor: .fingerprint, enrolled: ["right-index"], passcode: "482913", failedAttempts: 5, isLockedOut: true)

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

  private static func uaf(
    _ condition: String, device: ScriptedDevice? = nil, hasHardware: Bool = true, allowsSoftwareKeys: Bool = false,
    refusals: [AuthenticatorType: Expectation] = [:]
  ) -> MatrixRow {
    var row = MatrixRow(
      name: "UAF, \(condition)", family: .uaf, journey: "RegisterUAF", hasHardware: hasHardware,
      allowsSoftwareKeys: allowsSoftwareKeys, refusals: refusals)
    if let device { row.device = device }
    return row
  }

  /// What cannot be used now is not offered to the policy, which then admits nothing.
  private static let uaf: [MatrixRow] = [
    uaf("hardware keys"),
    uaf(
      "software keys not allowed", hasHardware: false,
      refusals: refuse(
        .noSuitableAuthenticator, [.biometricOnly, .biometricAllowFallback, .devicePasscode],
        because: "software alone cannot enforce the verification")),
    uaf("software keys allowed", hasHardware: false, allowsSoftwareKeys: true),
    uaf(
      "no finger enrolled", device: noFinger,
      refusals: refuse(.biometryNotEnrolled, [.biometricOnly], because: "there is no finger to verify")),
    uaf(
      "no sensor and no passcode", device: ScriptedDevice(),
      refusals: refuse(
        .noSuitableAuthenticator, [.biometricOnly, .biometricAllowFallback, .devicePasscode],
        because: "there is neither sensor nor passcode")),
    uaf("sensor locked", device: locked),
  ]

  /// A trusted device's key opens by biometrics, with or without the passcode beside them, and by nothing else.
  private static let unguarded = refuse(
    .unsupported, [.devicePasscode, .applicationPIN, .none, .badge],
    because: "what guards the key is not biometrics")

  private static func trustedDevice(
    _ condition: String, device: ScriptedDevice? = nil, hasHardware: Bool = true, allowsSoftwareKeys: Bool = false,
    refusals: [AuthenticatorType: Expectation] = [:]
  ) -> MatrixRow {
    var row = MatrixRow(
      name: "trusted device, \(condition)", family: .trustedDevice, journey: "EnrollTrustedDevice",
      hasHardware: hasHardware, allowsSoftwareKeys: allowsSoftwareKeys,
      refusals: refusals.merging(unguarded) { first, _ in first })
    if let device { row.device = device }
    return row
  }

  /// Biometrics must be usable while a device is enrolled, whatever guards its key; so the app's own authenticator is
  /// asked no further where they are not.
  private static let trustedDevice: [MatrixRow] = [
    trustedDevice("hardware keys"),
    trustedDevice(
      "software keys not allowed", hasHardware: false,
      refusals: refuse(
        .hardwareRequired, [.biometricOnly, .biometricAllowFallback],
        because: "software alone cannot enforce the verification")),
    trustedDevice("software keys allowed", hasHardware: false, allowsSoftwareKeys: true),
    trustedDevice(
      "no finger enrolled", device: noFinger,
      refusals: refuse(
        .biometryNotEnrolled, [.biometricOnly, .biometricAllowFallback, .badge],
        because: "there is no finger to verify")),
    trustedDevice(
      "no sensor and no passcode", device: ScriptedDevice(),
      refusals: refuse(
        .verifierUnavailable, [.biometricOnly, .biometricAllowFallback, .badge], because: "there is no sensor")),
    trustedDevice(
      "sensor locked", device: locked,
      refusals: refuse(
        .lockedOut, [.biometricOnly, .biometricAllowFallback, .badge],
        because: "the sensor must be unlocked before a device is enrolled")),
  ]
}
