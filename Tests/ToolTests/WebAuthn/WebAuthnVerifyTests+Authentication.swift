import AuthenticatorCoding
import Testing
import ToolSupport

/// `verify-authentication`.
extension WebAuthnVerifyTests {
  @Test func eachMemberOfTheExpectationCountsForASignIn() async throws {
    try passkeys.creation()
    let record = try await passkeys.record(of: try await passkeys.register())
    try passkeys.request()
    let response = try await passkeys.authenticate()
    let verb = "verify-authentication"
    func expect(_ error: JSONValue, _ change: (inout JSONObject) -> Void) async throws {
      try await expectRefusal(error, verb, response) {
        $0["credential"] = record
        change(&$0)
      }
    }
    try await expect("challengeMismatch") { $0["challenge"] = "AAECAwQFBgcICQoLDA0ODg" }
    try await expect("originMismatch") { $0["origins"] = ["https://login.example.org"] }
    try await expect("relyingPartyIDMismatch") { $0["rpId"] = "example.com" }
    try await expect("credentialNotAllowed") { $0["allowCredentials"] = ["AAECAw"] }
    try await expect("userHandleMismatch") { $0["userHandle"] = "Ym9i" }
    try await expect("credentialMismatch") { $0["credential"] = Bending.with(record, nil, "id", "AAECAw") }
    try await expect("backupEligibilityChanged") {
      $0["credential"] = Bending.with(record, nil, "backupEligible", true)
    }
    try await expect("userHandleMismatch") { $0["credential"] = Bending.with(record, nil, "userHandle", "Ym9i") }

    let accepted: [(inout JSONObject) -> Void] = [
      { _ in }, { $0["allowCredentials"] = [["type": "public-key", "id": record["id"] ?? .null]] },
      { $0["userHandle"] = "YWxpY2U" }, { $0["userHandle"] = .null }, { $0["userVerification"] = "discouraged" },
      { $0["credential"] = ["verified": true, "credential": record] },
    ]
    for change in accepted {
      try passkeys.expectation {
        $0["credential"] = record
        change(&$0)
      }
      let (status, json) = try await passkeys.verify(verb, response)
      #expect(status == 0 && json["verified"] == true, "\(json.serializedString())")
      #expect(json["credential"]?["signCount"] == 1 && json["credential"]?["id"] == record["id"])
      #expect(json["flags"]?["AT"] == false)
    }
  }

  @Test func aCounterThatWentBackIsASignal() async throws {
    try passkeys.creation()
    var record = try await passkeys.record(of: try await passkeys.register())
    try passkeys.request()
    let (first, second) = (try await passkeys.authenticate(), try await passkeys.authenticate())
    let verb = "verify-authentication"
    try passkeys.expectation { $0["credential"] = record }
    let (status, json) = try await passkeys.verify(verb, second)
    #expect(status == 0)
    record = try #require(json["credential"])
    // Another process, another block of counters: gaps are no repeats.
    let count = try #require(record["signCount"]?.intValue)
    #expect(count > 1)
    for response in [first, second] {
      try await expectRefusal("signCountMismatch", verb, response) { $0["credential"] = record }
      for policy: JSONValue in ["flag", "accept"] {
        try passkeys.expectation {
          $0["credential"] = record
          $0["signCountPolicy"] = policy
        }
        let (status, json) = try await passkeys.verify(verb, response)
        #expect(status == 0)
        #expect(json["credential"]?["signCount"]?.intValue == count, "the stored value is kept")
        #expect(json["signCountMismatch"] == (policy == "flag" ? true : nil))
      }
    }
  }

  @Test func anUnknownAccountMustBeNamed() async throws {
    try passkeys.creation {
      $0["authenticatorSelection"] = ["residentKey": "discouraged", "userVerification": "required"]
    }
    let made = try await passkeys.register()
    let record = try await passkeys.record(of: made)
    try passkeys.request { $0["allowCredentials"] = [["type": "public-key", "id": made["id"] ?? .null]] }
    let response = try await passkeys.authenticate()
    try await expectRefusal("userHandleMissing", "verify-authentication", response) {
      $0["credential"] = record
      $0["userHandle"] = .null
    }
  }

  @Test func bentAssertionsAreRefusedByName() async throws {
    try passkeys.creation()
    let made = try await passkeys.register()
    let record = try await passkeys.record(of: made)
    try passkeys.request()
    let response = try await passkeys.authenticate()
    let verb = "verify-authentication"
    let data = try Bending.bytes(response, "authenticatorData")
    func expect(_ error: JSONValue, _ bent: JSONValue) async throws {
      try await expectRefusal(error, verb, bent) {
        $0["credential"] = record
        $0["userHandle"] = "YWxpY2U"
      }
    }
    func bend(_ change: (inout [UInt8]) -> Void) -> JSONValue {
      var bytes = data
      change(&bytes)
      return Bending.with(response, "authenticatorData", bytes)
    }
    try await expect("userNotPresent", bend { $0[32] &= ~0x01 })
    try await expect("userNotVerified", bend { $0[32] &= ~0x04 })
    try await expect("backupFlagsInvalid", bend { $0[32] |= 0x10 })
    try await expect("backupEligibilityChanged", bend { $0[32] |= 0x08 })
    try await expect("signatureInvalid", bend { $0[36] += 1 })
    try await expect("authenticatorDataMalformed", bend { $0.append(0) })
    let registered = try Bending.bytes(made, "authenticatorData")
    try await expect("attestedCredentialDataUnexpected", Bending.with(response, "authenticatorData", registered))
    try await expect("signatureInvalid", Bending.with(response, "signature", []))
    try await expect(
      "ceremonyMismatch",
      Bending.with(response, "clientDataJSON", try Bending.bytes(made, "clientDataJSON")))
    let client = try Bending.bytes(response, "clientDataJSON")
    try await expect("signatureInvalid", Bending.with(response, "clientDataJSON", client + [0x20]))
    try await expect("userHandleMismatch", Bending.with(response, "userHandle", Array("bob".utf8)))
  }

  @Test func framesCountForASignInToo() async throws {
    try passkeys.creation()
    let record = try await passkeys.record(of: try await passkeys.register())
    try passkeys.request()
    let response = try await passkeys.authenticate(["--top-origin", "https://shop.example.com"])
    try await expectRefusal("crossOriginNotAllowed", "verify-authentication", response) { $0["credential"] = record }
    try passkeys.expectation {
      $0["credential"] = record
      $0["crossOrigin"] = true
      $0["topOrigins"] = ["https://shop.example.com"]
    }
    #expect(try await passkeys.verify("verify-authentication", response).status == 0)
  }
}
