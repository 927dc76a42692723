extension BuiltInJourneys {
  static func registerUAF() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("RegisterUAF") {
      passwordSteps(then: "register")
      TreeStep("register", UAFRegistrationNode()).on(.success, to: .success).otherwise(.failure)
    }
  }

  /// Whoever falls back, whoever's enrolled set has changed and whoever's key is a second factor only signs in with a
  /// password; then a changed set counts.
  static func loginUAF() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("LoginUAF") {
      TreeStep("name", UsernameCollector()).next("authenticate")
      TreeStep("authenticate", UAFAuthenticationNode(concealsMissingKeys: true))
        .on(.success, to: .success).on(UAFAuthenticationNode.fallback, to: "credentials")
        .on(UAFAuthenticationNode.stepUp, to: "credentials")
        .on(UAFAuthenticationNode.secondFactor, to: "credentials").otherwise(.failure)
      passwordSteps(then: "update")
      TreeStep("update", UAFEnrollmentUpdate()).on(.success, to: .success).on(.failure, to: .failure)
    }
  }

  static func loginUAFUsernameless() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("LoginUAFUsernameless") {
      TreeStep("authenticate", UAFAuthenticationNode()).on(.success, to: .success).otherwise(.failure)
    }
  }

  /// Beside a second factor the password of the same user is asked for, whose confirmation it is.
  static func confirmPayment() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("ConfirmPayment") {
      TreeStep("name", UsernameCollector()).next("confirm")
      TreeStep("confirm", UAFAuthenticationNode(transaction: .configured, concealsMissingKeys: true))
        .on(.success, to: .success).on(UAFAuthenticationNode.secondFactor, to: "secret").otherwise(.failure)
      TreeStep("secret", PasswordCollector()).next("check")
      TreeStep("check", DataStoreDecision()).on(.true, to: .success).on(.false, to: "retry")
      TreeStep("retry", RetryLimitDecision(limit: 3))
        .on(RetryLimitDecision.retry, to: "secret").on(RetryLimitDecision.reject, to: .failure)
    }
  }

  static func deregisterUAF() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("DeregisterUAF") {
      passwordSteps(then: "deregister")
      TreeStep("deregister", UAFDeregistrationNode()).on(.success, to: .success).otherwise(.failure)
    }
  }
}
