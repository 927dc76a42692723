import AuthenticatorCoding
import AuthenticatorJourneyServer
import Testing

@Suite struct ClientSignInTests {
  @Test func aPasswordSignsInAtOnce() async throws {
    let app = try await FrontendHarness().app()
    let answer = try await app.signIn()
    #expect(answer.status == 200)
    #expect(answer.response["object"] == "sign_in_attempt")
    #expect(answer.response["status"] == "complete")
    let session = try #require(answer.response["created_session_id"]?.stringValue)
    #expect(answer.client["sessions"]?[0]?["id"] == .string(session))
    #expect(answer.client["sessions"]?[0]?["status"] == "active")
    #expect(answer.client["sessions"]?[0]?["user"]?["username"] == "mira")
    #expect(answer.client["last_active_session_id"] == .string(session))
    #expect(answer.client["last_authentication_strategy"] == "password")
    #expect(answer.client["sign_in"] == .null)
    #expect(answer.token != nil)
  }

  @Test func aPasswordSignsInInTwoSteps() async throws {
    let app = try await FrontendHarness().app()
    let begun = try await app.send("POST", "client/sign_ins", [("identifier", "MIRA")])
    #expect(begun.response["status"] == "needs_first_factor")
    #expect(begun.response["supported_first_factors"]?[0]?["strategy"] == "password")
    #expect(begun.client["sign_in"] == begun.response)
    let path = "client/sign_ins/\(try #require(begun.id))/attempt_first_factor"
    let wrong = try await app.send("POST", path, [("strategy", "password"), ("password", "wrong")])
    #expect(wrong.status == 422)
    #expect(wrong.code == "form_password_incorrect")
    #expect(wrong.parameter == "password")
    let right = try await app.send("POST", path, [("strategy", "password"), ("password", Harness.password)])
    #expect(right.response["status"] == "complete")
    #expect(right.client["sessions"]?[0]?["user"]?["username"] == "mira")
  }

  @Test func namesNobodyHasAreNotTold() async throws {
    let harness = try await FrontendHarness()
    let known = try await harness.app().signIn("mira", "wrong")
    let unknown = try await harness.app().signIn("nobody", "wrong")
    #expect(known.status == unknown.status)
    #expect(known.body["errors"] == unknown.body["errors"])
    let begun = try await harness.app().send("POST", "client/sign_ins", [("identifier", "nobody")])
    #expect(begun.response["status"] == "needs_first_factor")
  }

  @Test func wrongPasswordsLockTheAccountHereAndInJourneys() async throws {
    let harness = try await FrontendHarness()
    let app = harness.app()
    for _ in 0..<5 { #expect(try await app.signIn("mira", "wrong").code == "form_password_incorrect") }
    let locked = try await app.signIn()
    #expect(locked.status == 403)
    #expect(locked.code == "user_locked")
    #expect((locked.body["errors"]?[0]?["meta"]?["lockout_expires_in_seconds"]?.intValue ?? 0) > 0)
    #expect(try await harness.harness.login().token == nil)
    harness.clock.advance(by: 31)
    #expect(try await app.signIn().response["status"] == "complete")
  }

  @Test func whoIsSwitchedOffCannotSignInAndLosesSessions() async throws {
    let harness = try await FrontendHarness()
    let app = try await harness.signedIn()
    #expect(try await harness.server.setActive(false, userNamed: "mira", in: harness.harness.realm))
    #expect(try await app.send("GET", "me/trusted_devices").code == "signed_out")
    #expect(try await app.send("GET", "client").response["sessions"] == [])
    let refused = try await harness.app().signIn()
    #expect(refused.status == 403)
    #expect(refused.code == "user_banned")
    #expect(try await harness.server.setActive(true, userNamed: "mira", in: harness.harness.realm))
    #expect(try await harness.app().signIn().response["status"] == "complete")
  }

  @Test func oneClientHasOneSession() async throws {
    let app = try await FrontendHarness().signedIn()
    let again = try await app.signIn()
    #expect(again.status == 400)
    #expect(again.code == "session_exists")
    #expect(try await app.send("POST", "client/sign_ins", [("identifier", "noor")]).code == "session_exists")
  }

  @Test func severalSessionsAreOfSeveralUsers() async throws {
    let app = try await FrontendHarness { $0.singleSession = false }.signedIn()
    let again = try await app.signIn()
    #expect(again.status == 400)
    #expect(again.code == "identifier_already_signed_in")
    let second = try await app.signIn("noor")
    #expect(second.client["sessions"]?.arrayValue?.count == 2)
    #expect(second.client["last_active_session_id"] == second.response["created_session_id"])
  }

  @Test func aSignInIsOfItsClient() async throws {
    let harness = try await FrontendHarness()
    let app = harness.app()
    let id = try #require(try await app.send("POST", "client/sign_ins", [("identifier", "mira")]).id)
    let other = harness.app()
    _ = try await other.send("POST", "client")
    let path = "client/sign_ins/\(id)/attempt_first_factor"
    let fields = [("strategy", "password"), ("password", Harness.password)]
    let refused = try await other.send("POST", path, fields)
    #expect(refused.status == 404)
    #expect(refused.code == "resource_not_found")
    #expect(try await harness.app().send("POST", path, fields).code == "signed_out")
    #expect(try await app.send("POST", "client/sign_ins/sia_x/attempt_first_factor", fields).status == 404)
    #expect(try await app.send("POST", path, fields).response["status"] == "complete")
  }

  @Test func aSignInExpires() async throws {
    let harness = try await FrontendHarness()
    let app = harness.app()
    let begun = try await app.send("POST", "client/sign_ins", [("identifier", "mira")])
    let path = "client/sign_ins/\(try #require(begun.id))/attempt_first_factor"
    harness.clock.advance(by: 600)
    let late = try await app.send("POST", path, [("strategy", "password"), ("password", Harness.password)])
    #expect(late.status == 400)
    #expect(late.code == "verification_expired")
  }

  @Test func fieldsAreNamedWhenTheyAreMissingOrWrong() async throws {
    let app = try await FrontendHarness().app()
    func refusal(_ fields: [(String, String)], _ path: String = "client/sign_ins") async throws -> String {
      let answer = try await app.send("POST", path, fields)
      #expect(answer.status == 422)
      return "\(answer.code ?? "") \(answer.parameter ?? "")"
    }
    #expect(try await refusal([]) == "form_param_missing identifier")
    #expect(try await refusal([("identifier", "")]) == "form_param_missing identifier")
    #expect(try await refusal([("strategy", "magic")]) == "form_param_value_invalid strategy")
    #expect(try await refusal([("strategy", "trusted_device")]) == "form_param_missing trusted_device_id")
    let long = String(repeating: "n", count: 257)
    #expect(try await refusal([("identifier", long)]) == "form_param_value_invalid identifier")
    // The longest name still makes an id that is understood again.
    let name = String(repeating: "\u{1}", count: 256)
    let id = try #require(try await app.send("POST", "client/sign_ins", [("identifier", name)]).id)
    let path = "client/sign_ins/\(id)/attempt_first_factor"
    #expect(try await refusal([], path) == "form_param_missing strategy")
    #expect(try await refusal([("strategy", "password")], path) == "form_param_missing password")
    #expect(
      try await refusal([("strategy", "password"), ("password", "x")], path) == "form_password_incorrect password")
    let prepare = "client/sign_ins/\(id)/prepare_first_factor"
    #expect(try await refusal([("strategy", "password")], prepare) == "form_param_value_invalid strategy")
  }

  // MARK: Sign-up

  @Test func anAccountIsMadeAndSignedIn() async throws {
    let harness = try await FrontendHarness()
    let app = harness.app()
    let made = try await app.send("POST", "client/sign_ups", [("username", "ada"), ("password", "long enough")])
    #expect(made.response["object"] == "sign_up_attempt")
    #expect(made.response["status"] == "complete")
    #expect(made.client["sessions"]?[0]?["id"] == made.response["created_session_id"])
    #expect(made.client["sessions"]?[0]?["user"]?["id"] == made.response["created_user_id"])
    // The same person signs in to a journey.
    #expect(try await harness.harness.login("ada", "long enough").token != nil)
    #expect(try await harness.app().signIn("ada", "long enough").response["status"] == "complete")
  }

  @Test func accountsAreRefused() async throws {
    let harness = try await FrontendHarness { $0.maximumUsers = 3 }
    func signUp(_ fields: [(String, String)]) async throws -> String {
      let answer = try await harness.app().send("POST", "client/sign_ups", fields)
      return "\(answer.status) \(answer.code ?? "") \(answer.parameter ?? "")"
    }
    #expect(try await signUp([("password", "long enough")]) == "422 form_param_missing username")
    #expect(try await signUp([("username", "ada")]) == "422 form_param_missing password")
    let short = try await signUp([("username", "ada"), ("password", "short")])
    #expect(short == "422 form_password_length_too_short password")
    let long = try await signUp([("username", "ada"), ("password", String(repeating: "p", count: 1025))])
    #expect(long == "422 form_param_value_invalid password")
    let control = try await signUp([("username", "a\u{7}da"), ("password", "long enough")])
    #expect(control == "422 form_param_value_invalid username")
    let taken = try await signUp([("username", "Mira"), ("password", "long enough")])
    #expect(taken == "422 form_identifier_exists username")
    #expect(try await signUp([("username", "ada"), ("password", "long enough")]).hasPrefix("200"))
    #expect(try await signUp([("username", "eve"), ("password", "long enough")]).hasPrefix("403 user_quota_exceeded"))
    let signedIn = try await harness.signedIn()
    let again = try await signedIn.send("POST", "client/sign_ups", [("username", "bo"), ("password", "long enough")])
    #expect(again.code == "session_exists")
  }

  @Test func nobodySignsUpWhereItIsOff() async throws {
    let app = try await FrontendHarness { $0.signUp = false }.app()
    let answer = try await app.send("POST", "client/sign_ups", [("username", "ada"), ("password", "long enough")])
    #expect(answer.status == 403)
    #expect(answer.code == "sign_up_mode_restricted")
  }

  @Test func accountsFromOneAddressAreCounted() async throws {
    let harness = try await Harness { configuration in
      configuration.trustedDevices.signUp = true
      configuration.limits.failuresPerAddress = 2
    }
    var statuses: [Int] = []
    for name in ["a", "b", "c"] {
      let response = await harness.server.handle(
        ServerRequest(
          method: "POST", path: "/v1/client/sign_ups", query: "_is_native=true",
          fields: [.init("Content-Type", "application/x-www-form-urlencoded")],
          body: NativeApp.form([("username", name), ("password", "long enough")]), peer: "192.0.2.7"))
      statuses.append(response.status)
    }
    #expect(statuses == [200, 200, 429])
  }

  /// Whoever fails too often from one address waits, whatever account the next try is for.
  @Test func failuresFromOneAddressEndInTooManyRequests() async throws {
    let harness = try await Harness { configuration in
      configuration.trustedDevices.realm = Realm("/alpha")
      configuration.limits.failuresPerAddress = 2
      configuration.limits.addressInterval = .seconds(60)
    }
    func signIn(_ name: String, _ password: String, from peer: String = "192.0.2.7") async throws -> ServerResponse {
      await harness.server.handle(
        ServerRequest(
          method: "POST", path: "/v1/client/sign_ins", query: "_is_native=true",
          fields: [.init("Content-Type", "application/x-www-form-urlencoded")],
          body: NativeApp.form([("identifier", name), ("password", password)]), peer: peer))
    }
    for name in ["nobody", "noone"] { #expect(try await signIn(name, "wrong").status == 422) }
    let refused = try await signIn("mira", Harness.password)
    #expect(refused.status == 429)
    let body = try JSONValue.parse(refused.body)
    #expect(body["errors"]?[0]?["code"] == "too_many_requests")
    #expect(body["errors"]?[0]?["message"]?.stringValue?.isEmpty == false)
    #expect(body["clerk_trace_id"]?.stringValue?.count == 32)
    let wait = refused.fields.first { $0.name.lowercased() == "retry-after" }.flatMap { Int($0.value) }
    #expect((1...61).contains(try #require(wait)), "until the interval is over")
    #expect(try await signIn("mira", Harness.password, from: "192.0.2.8").status == 200)
    harness.clock.advance(by: 61)
    #expect(try await signIn("mira", Harness.password).status == 200)
  }
}
