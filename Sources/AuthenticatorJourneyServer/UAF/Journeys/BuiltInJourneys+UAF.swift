extension BuiltInJourneys {
  static func registerUAF() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("RegisterUAF") {
      passwordSteps(then: "register")
      TreeStep("register", UAFRegistrationNode()).on(.success, to: .success).otherwise(.failure)
    }
  }

  /// Whoever falls back and whoever's enrolled set has changed signs in with a password; then a changed set counts.
  /// Beside a second factor the password of its own user is asked for: another person's would sign that person in by a
  /// password alone.
  static func loginUAF() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("LoginUAF") {
      TreeStep("name", UsernameCollector()).next("authenticate")
      TreeStep("authenticate", UAFAuthenticationNode(concealsMissingKeys: true))
        .on(.success, to: .success).on(UAFAuthenticationNode.fallback, to: "credentials")
        .on(UAFAuthenticationNode.stepUp, to: "credentials")
        .on(UAFAuthenticationNode.secondFactor, to: "secret").otherwise(.failure)
      passwordSteps(then: "update")
      ownPasswordSteps(then: .success)
      TreeStep("update", UAFEnrollmentUpdate()).on(.success, to: .success).on(.failure, to: .failure)
    }
  }

  /// Whoever's enrolled set has changed adds the password; then the set counts.
  static func loginUAFUsernameless() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("LoginUAFUsernameless") {
      TreeStep("authenticate", UAFAuthenticationNode())
        .on(.success, to: .success).on(UAFAuthenticationNode.stepUp, to: "secret").otherwise(.failure)
      ownPasswordSteps(then: "update")
      TreeStep("update", UAFEnrollmentUpdate()).on(.success, to: .success).on(.failure, to: .failure)
    }
  }

  /// Beside a second factor or a changed enrolled set the password of the same user is asked for, whose confirmation it
  /// is; then a changed set counts.
  static func confirmPayment() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("ConfirmPayment") {
      TreeStep("name", UsernameCollector()).next("confirm")
      TreeStep("confirm", UAFAuthenticationNode(transaction: .configured, concealsMissingKeys: true))
        .on(.success, to: .success).on(UAFAuthenticationNode.secondFactor, to: "secret")
        .on(UAFAuthenticationNode.stepUp, to: "secret").otherwise(.failure)
      ownPasswordSteps(then: "update")
      TreeStep("update", UAFEnrollmentUpdate()).on(.success, to: .success).on(.failure, to: .failure)
    }
  }

  /// Asks for the password of the user whose key has signed, and for no other name.
  private static func ownPasswordSteps(then destination: TreeDestination) -> [TreeStep] {
    [
      TreeStep("secret", PasswordCollector()).next("check"),
      TreeStep("check", DataStoreDecision()).on(.true, to: destination).on(.false, to: "again"),
      TreeStep("again", RetryLimitDecision(limit: 3))
        .on(RetryLimitDecision.retry, to: "secret").on(RetryLimitDecision.reject, to: .failure),
    ]
  }

  static func deregisterUAF() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("DeregisterUAF") {
      passwordSteps(then: "deregister")
      TreeStep("deregister", UAFDeregistrationNode()).on(.success, to: .success).otherwise(.failure)
    }
  }
}
