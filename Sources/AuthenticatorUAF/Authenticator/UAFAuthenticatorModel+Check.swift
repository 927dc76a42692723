import AuthenticatorCore

extension UAFAuthenticatorModel {
  /// Refuses what no authenticator can claim, and what this one does not do: a server relies on it.
  /// - Throws: `invalidRequest`, naming model and member.
  func check(_ devices: UAFDeviceAuthenticators) throws {
    try checkAlgorithms()
    try checkVerification(isReplaced: devices.custom.types.contains(behavior.authenticator))
    if let keyProtection {
      // Software alone; hardware alone or with one kind of it. Key handles are kept here.
      let possible: [KeyProtectionTypes] = [
        .software, .hardware, [.hardware, .trustedExecutionEnvironment], [.hardware, .secureElement],
      ]
      guard possible.contains(keyProtection) else { throw wrong("keyProtection", "is no kind of key protection") }
    }
    guard [.software, .trustedExecutionEnvironment, .onChip].contains(matcherProtection) else {
      throw wrong("matcherProtection", "is not exactly one kind")
    }
    guard attachmentHint.rawValue != 0, attachmentHint.rawValue <= 0x1FF,
      attachmentHint == .internal || !attachmentHint.contains(.internal)
    else { throw wrong("attachmentHint", "is neither internal alone nor ways of attachment") }
    guard !versions.isEmpty, versions.allSatisfy(UAFVersion.supported.contains) else {
      throw wrong("versions", versions.isEmpty ? "has none" : "has one that this client does not speak")
    }
    guard Set(versions).count == versions.count else { throw wrong("versions", "has one twice") }
    if let maximumKeys, maximumKeys < 1 { throw wrong("maximumKeys", "leaves room for no key") }
    try checkDisplay()
    try checkAttestationSize()
  }

  private func checkAlgorithms() throws {
    guard let algorithm = authenticationAlgorithm.signatureAlgorithm else {
      throw wrong("authenticationAlgorithm", "is not supported")
    }
    let formats: [UAFPublicKeyFormat] =
      algorithm == .es256 ? [.eccX962Raw, .eccX962DER] : [.rsa2048Raw, .rsa2048DER]
    guard formats.contains(publicKeyFormat) else { throw wrong("publicKeyFormat", "does not fit the algorithm") }
    guard !attestationTypes.isEmpty, possibleAttestations == attestationTypes,
      Set(attestationTypes).count == attestationTypes.count
    else { throw wrong("attestationTypes", "has none, one twice, or one that cannot be given") }
  }

  private func checkVerification(isReplaced: Bool) throws {
    let secrets: UserVerificationMethods = [.passcode, .pattern]
    // Every method that opens the key must be told, and none that does not.
    guard !userVerification.isEmpty, userVerification != .all, userVerification.isSubset(of: behavior.userVerification),
      userVerification.intersection(secrets) == behavior.userVerification.intersection(secrets),
      !userVerification.subtracting(.all.union(secrets)).isEmpty
        || behavior.userVerification.subtracting(.all.union(secrets)).isEmpty
    else { throw wrong("userVerification", "is not what the behavior asks for") }
    guard behavior.userVerification.rawValue <= 0x7FF else {
      throw wrong("behavior", "verifies in a way that nobody knows")
    }
    let isTrue =
      switch behavior.level {
      case .none: behavior.userVerification == .none
      case .presence: behavior.userVerification == .presence
      default: !behavior.userVerification.contains(.none)
      }
    guard isTrue, isReplaced || behavior.isWhatItsAuthenticatorDoes else {
      throw wrong("behavior", "claims another verification than its authenticator makes")
    }
  }

  private func checkDisplay() throws {
    guard tcDisplay.rawValue <= 0x1F,
      !tcDisplay.contains(.privilegedSoftware) || tcDisplay.isDisjoint(with: [.trustedExecutionEnvironment, .hardware])
    else { throw wrong("tcDisplay", "is no kind of display") }
    guard tcDisplay.isEmpty || behavior.level > .none else {
      throw wrong("tcDisplay", "cannot be: who asks nothing confirms no transactions")
    }
    guard !tcDisplay.isEmpty || tcDisplayPNGCharacteristics.isEmpty else {
      throw wrong("tcDisplayPNGCharacteristics", "tells of pictures, and there is no display")
    }
    guard tcDisplayPNGCharacteristics.allSatisfy({ $0.width > 0 && $0.height > 0 }) else {
      throw wrong("tcDisplayPNGCharacteristics", "tells of pictures without size")
    }
  }

  /// An assertion with everything that a model can report, at its longest: its size is known before a key is made.
  private func checkAttestationSize() throws {
    guard let attestationKey, attestationTypes.contains(.basicFull) else { return }
    let zeros = { (count: Int) in [UInt8](repeating: 0, count: count) }
    do {
      guard let keyID = UAFKeyID(bytes: zeros(32)) else { return }
      let data = KeyRegistrationData(
        aaid: aaid,
        info: AssertionInfo(
          authenticatorVersion: authenticatorVersion, mode: .userVerified,
          signatureAlgorithm: attestationKey.algorithm, publicKeyFormat: publicKeyFormat),
        finalChallengeHash: zeros(32), keyID: keyID, signCounter: 0, registrationCounter: 0,
        publicKey: zeros(publicKeyFormat.maximumCount),
        userVerificationState: behavior.reportsUserVerificationState ? zeros(32) : nil,
        extensions: [AssertionExtension(id: UAFExtension.userVerificationMethodID, data: zeros(8))])
      _ = try RegistrationAssertion.encode(
        try data.encoded(),
        .basicFull(
          signature: zeros(attestationKey.algorithm.maximumSignatureCount), chain: attestationKey.chain))
    } catch {
      throw wrong(
        "attestationKey",
        "has too long a chain: an assertion with it has more than \(TLVElement.maximumBytes) bytes")
    }
  }

  private func wrong(_ member: String, _ what: String) -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "uaf.model", reason: "\(aaid): \(member) \(what)")
  }

  /// How a key is protected, in the registry's words; nil: less than the model claims.
  func keyProtection(of protection: KeyProtection) -> KeyProtectionTypes? {
    let real: KeyProtectionTypes =
      if !protection.isHardware {
        .software
      } else if protection.residence == .software {
        .hardware
      } else {
        [.hardware, .secureElement]
      }
    guard let stated = keyProtection else { return real }
    // An enclave may be called either; less may always be said.
    let admitted = protection.residence == .secureEnclave ? real.union(.trustedExecutionEnvironment) : real
    return stated == .software || stated.isSubset(of: admitted) ? stated : nil
  }
}

extension UAFBehavior {
  /// Whether the package's own authenticator of this type verifies as the behavior says.
  fileprivate var isWhatItsAuthenticatorDoes: Bool {
    let biometrics: UserVerificationMethods = [.fingerprint, .faceprint, .voiceprint, .eyeprint, .handprint]
    switch authenticator {
    case .none: return level < .verified
    case .biometricOnly: return level == .verified && userVerification.isSubset(of: biometrics)
    case .devicePasscode, .applicationPIN: return level == .verified && userVerification == .passcode
    case .biometricAllowFallback:
      return level == .verified && userVerification.contains(.passcode)
        && userVerification.isSubset(of: biometrics.union(.passcode))
    default: return true
    }
  }
}
