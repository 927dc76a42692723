import AuthenticatorCore

extension [VerificationMethod: MethodState] {
  /// The states of the biometric methods.
  var biometric: [MethodState] { filter { $0.key.isBiometric }.map(\.value) }

  /// Whether some biometric is enrolled, be its sensor locked or not.
  var hasEnrolledBiometrics: Bool { biometric.contains(.ready) || biometric.contains(.lockedOut) }

  /// Whether biometrics are enrolled and none can be used before the passcode was given.
  var areBiometricsLocked: Bool { biometric.contains(.lockedOut) && !biometric.contains(.ready) }

  /// What some of these methods make possible; of several reasons against it, the one the person can do most about.
  func availability(
    of methods: Set<VerificationMethod>, reaching level: VerificationLevel
  ) -> AuthenticatorAvailability {
    let states = methods.map { self[$0] ?? .noSensor }
    if states.contains(.ready) || methods.isEmpty { return .available(level) }
    if states.contains(.lockedOut) { return .unavailable(.lockedOut) }
    if states.contains(.notEnrolled) { return .unavailable(.biometryNotEnrolled) }
    if states.contains(.notSet) { return .unavailable(.passcodeNotSet) }
    if states.contains(.unavailable) { return .unknown(.verifierUnavailable) }
    return .unavailable(methods == [.passcode] ? .passcodeNotSet : .verifierUnavailable)
  }
}

extension KeyAccess {
  /// Whether biometrics are among the ways in.
  var admitsBiometrics: Bool {
    guard case .verified(let methods) = gate else { return false }
    return !methods.isDisjoint(with: VerificationMethod.biometrics)
  }

  /// Whether biometrics are the only way in.
  var isBiometricOnly: Bool {
    guard case .verified(let methods) = gate else { return false }
    return !methods.isEmpty && methods.isSubset(of: VerificationMethod.biometrics)
  }
}

extension VerificationTicket {
  /// Whether what was verified is one of the gate's ways in.
  func opens(_ gate: KeyAccess.Gate) -> Bool {
    switch gate {
    case .open: return true
    case .verified(let methods): return !methods.isDisjoint(with: verification.methods)
    case .secret(let domain):
      guard case .domain(let opened, _) = authorization else { return false }
      return opened == domain
    }
  }
}
