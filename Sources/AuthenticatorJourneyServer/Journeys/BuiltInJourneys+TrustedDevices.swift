extension BuiltInJourneys {
  static func enrollTrustedDevice() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("EnrollTrustedDevice") {
      passwordSteps(then: "enroll")
      TreeStep("enroll", TrustedDeviceEnrollNode()).on(.success, to: .success).otherwise(.failure)
    }
  }

  static func loginTrustedDevice() throws(JourneyTreeError) -> JourneyTree {
    try JourneyTree("LoginTrustedDevice") {
      TreeStep("sign", TrustedDeviceSignInNode()).on(.success, to: .success).otherwise(.failure)
    }
  }
}
