import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

@Suite struct EnvironmentAndClientTests {
  private func native(_ harness: FrontendHarness) async throws -> JSONValue? {
    try await harness.app().raw("GET", "/v1/environment", query: nil).body["auth_config"]?["native_settings"]
  }

  @Test func environmentShowsTheSwitches() async throws {
    let on = try #require(try await native(try await FrontendHarness()))
    #expect(on["object"] == "native_settings")
    for name in [
      "api_enabled", "trusted_device_sign_in_enabled", "trusted_device_enrollment_prompt_after_sign_in_enabled",
      "trusted_device_enrollment_prompt_after_sign_up_enabled",
    ] { #expect(on[name] == true, "\(name)") }
    #expect(on["biometric_sign_in_enabled"] == nil)

    let off = try #require(
      try await native(
        try await FrontendHarness { settings in
          settings.nativeAPI = false
          settings.trustedDevices = false
          settings.promptAfterSignIn = false
          settings.promptAfterSignUp = false
          settings.urlFamilies = [.biometricCredentials]
        }))
    for member in off.objectValue ?? [:] where member.name != "object" {
      #expect(member.value == false, "\(member.name)")
    }
    #expect(off["biometric_sign_in_enabled"] == false)
  }

  @Test func environmentSaysWhoMaySignUp() async throws {
    for signUp in [true, false] {
      let harness = try await FrontendHarness { $0.signUp = signUp }
      let answer = try await harness.app().send("GET", "environment")
      #expect(answer.body["user_settings"]?["sign_up"]?["mode"] == (signUp ? "public" : "restricted"))
      #expect(answer.body["auth_config"]?["single_session_mode"] == true)
    }
  }

  @Test func addressesAreServedBelowTheContextPathToo() async throws {
    let harness = try await FrontendHarness()
    for path in ["/v1/environment", "/am/v1/environment"] {
      #expect(try await harness.app().raw("GET", path, query: nil).status == 200)
    }
    #expect(try await harness.app().raw("GET", "/other/v1/environment", query: nil).status == 404)
    #expect(try await harness.app().raw("GET", "/v2/environment", query: nil).status == 404)
  }

  @Test func journeysAreServedBesideIt() async throws {
    let harness = try await FrontendHarness()
    #expect(try await harness.harness.login().token != nil)
  }

  @Test func aStrangerHasNoClient() async throws {
    let answer = try await FrontendHarness().app().send("GET", "client")
    #expect(answer.status == 200)
    #expect(answer.response == .null)
    #expect(answer.token == nil)
  }

  @Test func aClientIsMadeOnce() async throws {
    let app = try await FrontendHarness().app()
    let made = try await app.send("POST", "client")
    #expect(made.response["object"] == "client")
    #expect(made.token != nil)
    let again = try await app.send("PUT", "client")
    #expect(again.response["id"] == made.response["id"])
    // A token that stays is not sent again.
    #expect(again.token == nil)
    let shown = try await app.send("GET", "client").response
    #expect(shown["id"] == made.response["id"])
    #expect(shown["sessions"] == [])
    #expect(shown["last_active_session_id"] == .null)
    #expect(shown["created_at"] == 1_767_225_600_000)
  }

  @Test func aForeignTokenIsTakenAwayWhereTheClientIsAskedFor() async throws {
    let app = try await FrontendHarness().app()
    app.token = "not-one-of-ours"
    // Elsewhere it stays, so that a request that was overtaken takes nothing.
    let refused = try await app.send("GET", "me/trusted_devices")
    #expect(refused.code == "authentication_invalid")
    #expect(refused.token == nil)
    let answer = try await app.send("GET", "client")
    #expect(answer.response == .null)
    #expect(answer.token == "Bearer")
    #expect(app.token == nil)
  }

  @Test func aTokenOfAnotherServerIsNoTokenHere() async throws {
    let stranger = try await FrontendHarness().signedIn()
    let app = try await FrontendHarness().app()
    app.token = stranger.token
    #expect(try await app.send("GET", "client").response == .null)
  }

  @Test(arguments: ["", "Bearer", "bearer", " BEARER "]) func anEmptyTokenIsNone(_ text: String) async throws {
    let app = try await FrontendHarness().app()
    app.token = text
    let answer = try await app.send("GET", "client")
    #expect(answer.status == 200)
    #expect(answer.token == nil)
    #expect(try await app.send("GET", "me/trusted_devices").code == "signed_out")
  }

  @Test func everyBitOfATokenCounts() async throws {
    let app = try await FrontendHarness().signedIn()
    let token = try #require(app.token)
    #expect(try await app.send("GET", "me/trusted_devices").status == 200)
    for index in token.indices.dropLast() {
      var changed = token
      changed.replaceSubrange(index...index, with: token[index] == "A" ? "B" : "A")
      app.token = changed
      #expect(try await app.send("GET", "me/trusted_devices").code == "authentication_invalid")
    }
  }

  @Test func onlyNativeRequestsAreAnswered() async throws {
    let app = try await FrontendHarness().app()
    for query in [nil, "", "_is_native=false", "_is_native=1"] as [String?] {
      let answer = try await app.raw("GET", "/v1/client", query: query)
      #expect(answer.status == 400)
      #expect(answer.code == "native_request_required")
    }
    let page = try await app.raw(
      "POST", "/v1/client", query: "_is_native=true", fields: [.init("Origin", "https://evil.example")])
    #expect(page.code == "native_request_required")
    #expect(page.token == nil)
  }

  @Test func timesAreMillisecondsAndErrorsAreTraceable() async throws {
    let app = try await FrontendHarness().app()
    let answer = try await app.send("GET", "me/trusted_devices")
    #expect(answer.status == 401)
    #expect(answer.body["clerk_trace_id"]?.stringValue?.utf8.count == 32)
    let error = try #require(answer.body["errors"]?[0])
    #expect(error["message"]?.stringValue?.isEmpty == false)
    #expect(error["long_message"]?.stringValue?.isEmpty == false)
    let session = try await FrontendHarness().signedIn().send("GET", "client").response["sessions"]?[0]
    #expect(session?["created_at"] == 1_767_225_600_000)
    #expect(session?["expire_at"] == .integer(1_767_225_600_000 + 604_800_000))
  }
}
