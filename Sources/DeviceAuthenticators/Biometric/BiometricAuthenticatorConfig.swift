import AuthenticatorCore

/// How the biometric authenticators behave. What concerns a key is fixed in it when it is made.
public struct BiometricAuthenticatorConfig: Sendable {
  /// What a changed set of enrolled biometrics does to keys made from now on. Nil: the authenticator's own default,
  /// `.currentSet` for biometric only and `.compared` for biometric or device credential.
  public var enrollment: KeyAccess.EnrollmentPolicy?
  /// Whether keys may be made without hardware protection. False: such an authenticator is not supported on a
  /// machine without hardware keys, since software alone cannot enforce the verification.
  public var allowsSoftwareKeys: Bool
  /// The button that leads to the app's own alternative, for prompts that do not bring one. Pressed, it ends the
  /// prompt as `fallbackRequested`. Empty text is refused as `invalidRequest`.
  public var fallbackTitle: String?
  /// The cancel button, for prompts that do not bring one.
  public var cancelTitle: String?
  /// Hands over verifications that the app made itself; nil: none are.
  public var contextDelegate: (any BiometricContextDelegate)?
  /// How old a verification that is handed over may be; held to 0 to 300 seconds.
  public var contextValidity: Duration

  /// The strictest behavior, unless something is said.
  public init(
    enrollment: KeyAccess.EnrollmentPolicy? = nil, allowsSoftwareKeys: Bool = false, fallbackTitle: String? = nil,
    cancelTitle: String? = nil, contextDelegate: (any BiometricContextDelegate)? = nil,
    contextValidity: Duration = .seconds(10)
  ) {
    self.enrollment = enrollment
    self.allowsSoftwareKeys = allowsSoftwareKeys
    self.fallbackTitle = fallbackTitle
    self.cancelTitle = cancelTitle
    self.contextDelegate = contextDelegate
    self.contextValidity = contextValidity
  }
}
