import AuthenticatorCoding
import AuthenticatorJourneyServer
import Testing

@Suite struct EnrollmentRuleTests {
  @Test func aUserHasAQuota() async throws {
    let harness = try await FrontendHarness { $0.quota = 2 }
    for installation in ["one", "two"] {
      #expect(try await harness.signedIn(installation: installation).enroll(try DeviceKey()).status == 200)
    }
    let app = try await harness.signedIn(installation: "three")
    let refused = try await app.prepare(try DeviceKey())
    #expect(refused.status == 400)
    #expect(refused.code == "trusted_device_credential_quota_exceeded")
    // A revoked one does not count, and one that is replaced does not either.
    let first = try #require(try await app.send("GET", "me/trusted_devices").response[1]?["id"]?.stringValue)
    #expect(try await app.send("DELETE", "me/trusted_devices/\(first)").status == 200)
    #expect(try await app.enroll(try DeviceKey()).status == 200)
    #expect(try await app.enroll(try DeviceKey()).status == 200)
    #expect(try await harness.signedIn("noor").enroll(try DeviceKey()).status == 200)
  }

  @Test func theQuotaHoldsWhenTwoArePreparedAtOnce() async throws {
    let harness = try await FrontendHarness { $0.quota = 1 }
    let (one, two) = (try await harness.signedIn(), try await harness.signedIn())
    let (first, second) = (try DeviceKey(), try DeviceKey())
    let (left, right) = (try await one.prepare(first).response, try await two.prepare(second).response)
    #expect(try await one.attempt(first, left).status == 200)
    #expect(try await two.attempt(second, right).code == "trusted_device_credential_quota_exceeded")
  }

  @Test func enrollingAgainReplaces() async throws {
    let harness = try await FrontendHarness()
    let app = try await harness.signedIn()
    let first = try #require(try await app.enroll(try DeviceKey()).id)
    let second = try #require(try await app.enroll(try DeviceKey()).id)
    #expect(
      try await app.send("GET", "me/trusted_devices").response.arrayValue?.compactMap { $0["id"] } == [.string(second)])
    #expect(try await harness.app().begin(first).code == "trusted_device_not_registered")
    // Another client of the same installation is the same installation.
    let (one, two) = (
      try await harness.signedIn(installation: "machine"), try await harness.signedIn(installation: "machine")
    )
    _ = try await one.enroll(try DeviceKey())
    _ = try await two.enroll(try DeviceKey())
    #expect(try await app.send("GET", "me/trusted_devices").response.arrayValue?.count == 2)
  }

  @Test func enrollingAgainIsRefusedWhereThatIsTheRule() async throws {
    let harness = try await FrontendHarness { $0.enrolledAgain = .refuse }
    let app = try await harness.signedIn()
    let (first, second) = (try DeviceKey(), try DeviceKey())
    let early = try await app.prepare(second).response
    let id = try #require(try await app.enroll(first).id)
    for answer in [try await app.prepare(second), try await app.attempt(second, early)] {
      #expect(answer.status == 409)
      #expect(answer.code == "trusted_device_already_enrolled")
    }
    _ = try await app.send("DELETE", "me/trusted_devices/\(id)")
    #expect(try await app.attempt(second, early).status == 200)
  }

  @Test(arguments: TrustedDeviceSettings.ReplaceScope.allCases)
  func whoseCredentialsGiveWayIsASetting(_ scope: TrustedDeviceSettings.ReplaceScope) async throws {
    let harness = try await FrontendHarness { $0.replaceScope = scope }
    let (app, key, id) = try await harness.enrolled()
    #expect(try await app.signIn("noor").status == 200)
    #expect(try await app.enroll(try DeviceKey()).status == 200)
    _ = try await app.send("DELETE", "client/sessions")
    let answer = try await app.signIn(key, id)
    switch scope {
    case .user: #expect(answer.response["status"] == "complete")
    case .installation: #expect(answer.code == "trusted_device_not_registered")
    }
  }

  @Test func whatADeviceSaysOfItselfTouchesNobodyElse() async throws {
    let harness = try await FrontendHarness { $0.replaceScope = .installation }
    let (app, key, id) = try await harness.enrolled(installation: "machine")
    // The same installation by its own word, another client: only the token proves it.
    #expect(try await harness.signedIn("noor", installation: "machine").enroll(try DeviceKey()).status == 200)
    #expect(try await app.signIn(key, id).response["status"] == "complete")
  }

  @Test func enrollingMayNeedAFreshSession() async throws {
    let harness = try await FrontendHarness { $0.reverifyAfter = .seconds(60) }
    let app = try await harness.signedIn()
    harness.clock.advance(by: 60)
    let prepared = try await app.prepare(try DeviceKey())
    #expect(prepared.status == 200)
    harness.clock.advance(by: 1)
    let refused = try await app.prepare(try DeviceKey())
    #expect(refused.status == 403)
    #expect(refused.code == "session_reverification_required")
  }
}
