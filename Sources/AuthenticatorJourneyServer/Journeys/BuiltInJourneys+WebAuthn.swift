extension BuiltInJourneys {
  /// A credential alone signs its user in, so the person must be verified and the credential must name the account.
  private static func registration(
    _ adjust: (inout WebAuthnRegistrationNode) -> Void = { _ in }
  ) -> WebAuthnRegistrationNode {
    WebAuthnRegistrationNode {
      $0.relyingPartyName = "AuthenticatorKit"
      $0.userVerification = .required
      $0.residentKey = .required
      $0.algorithms = [.es256, .edDSA, .rs256]
      $0.excludesCredentials = true
      $0.generatesRecoveryCodes = false
      adjust(&$0)
    }
  }

  static func registerWebAuthn() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("RegisterWebAuthn") {
      passwordSteps(then: "register")
      TreeStep("register", registration()).on(.success, to: .success).otherwise(.failure)
    }
  }

  static func registerWebAuthnRecovery() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("RegisterWebAuthnRecovery") {
      passwordSteps(then: "register")
      TreeStep("register", registration { $0.generatesRecoveryCodes = true }).on(.success, to: "codes")
        .otherwise(.failure)
      TreeStep("codes", RecoveryCodeDisplay()).next(.success)
    }
  }

  static func registerWebAuthnLimited() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("RegisterWebAuthnLimited") {
      passwordSteps(then: "register")
      TreeStep("register", registration { $0.maxSavedDevices = 2 }).on(.success, to: .success).otherwise(.failure)
    }
  }

  static func registerWebAuthnPostponed() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("RegisterWebAuthnPostponed") {
      passwordSteps(then: "register")
      TreeStep("register", registration { $0.postponesStorage = true }).on(.success, to: "store").otherwise(.failure)
      TreeStep("store", WebAuthnDeviceStorage(generatesRecoveryCodes: false)).on(.success, to: .success)
        .otherwise(.failure)
    }
  }

  static func loginWebAuthn() throws(JourneyTreeError) -> JourneyTree {
    let node = WebAuthnAuthenticationNode {
      $0.userVerification = .required
      $0.allowsRecoveryCode = true
      $0.concealsMissingDevices = true
    }
    return try JourneyTree("LoginWebAuthn") {
      TreeStep("name", UsernameCollector()).next("authenticate")
      TreeStep("authenticate", node).on(.success, to: .success)
        .on(WebAuthnAuthenticationNode.recoveryCode, to: "code").otherwise(.failure)
      TreeStep("code", RecoveryCodeCollectorDecision()).on(.true, to: .success).on(.false, to: "retry")
      TreeStep("retry", RetryLimitDecision(limit: 3))
        .on(RetryLimitDecision.retry, to: "code").on(RetryLimitDecision.reject, to: .failure)
    }
  }

  static func loginUsernameless() throws(JourneyTreeError) -> JourneyTree {
    let node = WebAuthnAuthenticationNode {
      $0.userVerification = .required
      $0.takesUsernameFromDevice = true
    }
    return try JourneyTree("LoginUsernameless") {
      TreeStep("authenticate", node).on(.success, to: .success).otherwise(.failure)
    }
  }
}
