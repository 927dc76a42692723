extension BuiltInJourneys {
  static func registerUAF() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("RegisterUAF") {
      passwordSteps(then: "register")
      TreeStep("register", UAFRegistrationNode()).on(.success, to: .success).otherwise(.failure)
    }
  }

  /// Whoever falls back, and whoever's enrolled set has changed, signs in with a password; then a changed set counts.
  static func loginUAF() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("LoginUAF") {
      TreeStep("name", UsernameCollector()).next("authenticate")
      TreeStep("authenticate", UAFAuthenticationNode(concealsMissingKeys: true))
        .on(.success, to: .success).on(UAFAuthenticationNode.fallback, to: "credentials")
        .on(UAFAuthenticationNode.stepUp, to: "credentials").otherwise(.failure)
      passwordSteps(then: "update")
      TreeStep("update", UAFEnrollmentUpdate()).on(.success, to: .success).on(.failure, to: .failure)
    }
  }

  static func loginUAFUsernameless() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("LoginUAFUsernameless") {
      TreeStep("authenticate", UAFAuthenticationNode()).on(.success, to: .success).otherwise(.failure)
    }
  }

  static func confirmPayment() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("ConfirmPayment") {
      TreeStep("name", UsernameCollector()).next("confirm")
      TreeStep("confirm", UAFAuthenticationNode(transaction: .configured, concealsMissingKeys: true))
        .on(.success, to: .success).otherwise(.failure)
    }
  }

  static func deregisterUAF() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("DeregisterUAF") {
      passwordSteps(then: "deregister")
      TreeStep("deregister", UAFDeregistrationNode()).on(.success, to: .success).otherwise(.failure)
    }
  }
}
