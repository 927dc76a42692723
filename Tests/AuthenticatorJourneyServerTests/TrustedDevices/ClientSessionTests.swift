import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import Testing

@Suite struct ClientSessionTests {
  @Test func aSessionExpires() async throws {
    let harness = try await FrontendHarness { $0.sessionLifetime = .seconds(60) }
    let app = try await harness.signedIn()
    let id = try #require(try await app.sessionID())
    harness.clock.advance(by: 59)
    #expect(try await app.send("GET", "me/trusted_devices", session: id).status == 200)
    harness.clock.advance(by: 1)
    let client = try await app.send("GET", "client").response
    #expect(client["sessions"]?[0]?["status"] == "expired")
    #expect(client["last_active_session_id"] == .null)
    #expect(try await app.send("GET", "client/sessions/\(id)").response["status"] == "expired")
    let refused = try await app.send("GET", "me/trusted_devices", session: id)
    #expect(refused.status == 401)
    #expect(refused.code == "signed_out")
    // What has expired does not keep the next one out.
    let again = try await app.signIn()
    #expect(again.response["status"] == "complete")
    #expect(again.client["sessions"]?.arrayValue?.compactMap { $0["status"]?.stringValue } == ["active", "expired"])
  }

  @Test func aClockThatIsSetBackBringsASessionBackAndNothingElse() async throws {
    let harness = try await FrontendHarness { $0.sessionLifetime = .seconds(60) }
    let app = try await harness.signedIn()
    harness.clock.advance(by: 61)
    #expect(try await app.sessionID() == nil)
    harness.clock.advance(by: -10)
    #expect(try await app.sessionID() != nil)
  }

  @Test func signingOutEndsOneSession() async throws {
    let app = try await FrontendHarness { $0.singleSession = false }.signedIn()
    let first = try #require(try await app.sessionID())
    _ = try await app.signIn("noor")
    let removed = try await app.send("POST", "client/sessions/\(first)/remove")
    #expect(removed.response["status"] == "removed")
    #expect(removed.client["sessions"]?.arrayValue?.count == 1)
    #expect(try await app.send("GET", "me/trusted_devices", session: first).code == "signed_out")
    // A sign-out whose answer was lost may be repeated.
    let again = try await app.send("POST", "client/sessions/\(first)/remove")
    #expect(again.status == 200)
    #expect(again.response["status"] == "removed")
    #expect(try await app.send("GET", "me/trusted_devices").status == 200)
  }

  @Test func signingOutForgetsNoHistory() async throws {
    let harness = try await FrontendHarness()
    let app = try await harness.signedIn()
    let before = try await app.send("GET", "client").response
    #expect(before["last_authentication_strategy"] == "password")
    harness.clock.advance(by: 10)
    _ = try await app.send("DELETE", "client/sessions")
    let after = try await app.send("GET", "client").response
    #expect(after["sessions"] == [])
    #expect(after["last_authentication_strategy"] == "password")
    let (old, new) = (before["updated_at"]?.intValue ?? .max, after["updated_at"]?.intValue ?? 0)
    #expect(old < new)
  }

  @Test func signingOutEndsAllSessions() async throws {
    let app = try await FrontendHarness { $0.singleSession = false }.signedIn()
    _ = try await app.signIn("noor")
    let answer = try await app.send("DELETE", "client/sessions")
    #expect(answer.response["object"] == "client")
    #expect(answer.response["sessions"] == [])
    #expect(try await app.send("DELETE", "client/sessions").status == 200)
    #expect(try await app.send("GET", "me/trusted_devices").code == "signed_out")
    // The client stays, and with it the token.
    #expect(try await app.signIn().client["id"] == answer.response["id"])
  }

  @Test func sessionsOfOthersLookLikeNone() async throws {
    let harness = try await FrontendHarness()
    let app = try await harness.signedIn()
    let foreign = try #require(try await harness.signedIn("noor").sessionID())
    for id in [foreign, "sess_none", ""] {
      let used = try await app.send("GET", "me/trusted_devices", session: id)
      #expect(used.status == 401)
      #expect(used.code == "signed_out")
    }
    for (method, path) in [("GET", "client/sessions/\(foreign)"), ("POST", "client/sessions/\(foreign)/remove")] {
      let answer = try await app.send(method, path)
      #expect(answer.status == 404)
      #expect(answer.code == "resource_not_found")
    }
  }

  @Test func tasksKeepASessionPending() async throws {
    let app = try await FrontendHarness { $0.pendingTasks = ["setup-mfa", "reset-password"] }.app()
    let made = try await app.signIn()
    #expect(made.response["status"] == "complete")
    let session = try #require(made.client["sessions"]?[0])
    #expect(session["status"] == "pending")
    #expect(session["tasks"] == [["key": "setup-mfa"], ["key": "reset-password"]])
    let id = try #require(session["id"]?.stringValue)
    // A pending session enrolls.
    #expect(try await app.enroll(try DeviceKey(), session: id).status == 200)
    let first = try await app.send("POST", "client/sessions/\(id)/tasks/setup-mfa/complete")
    #expect(first.response["status"] == "pending")
    let unknown = try await app.send("POST", "client/sessions/\(id)/tasks/other/complete")
    #expect(unknown.code == "resource_not_found")
    let last = try await app.send("POST", "client/sessions/\(id)/tasks/reset-password/complete")
    #expect(last.response["status"] == "active")
    #expect(last.response["tasks"] == [])
  }

  @Test func aClientKeepsTenSessionsAndAUserAHundred() async throws {
    let harness = try await FrontendHarness()
    let app = harness.app()
    for _ in 0..<12 {
      #expect(try await app.signIn().status == 200)
      _ = try await app.send("DELETE", "client/sessions")
      harness.clock.advance(by: 1)
    }
    let client = try #require(try await app.send("GET", "client").response["id"]?.stringValue)
    // The registry knows a client by its digest only, so that whoever steals it makes no token.
    #expect(try await harness.registry.clientSessions(ofClient: client).isEmpty)
    let digest = Base64URL.encode(SHA256.hash(Array(client.utf8)))
    #expect(try await harness.registry.clientSessions(ofClient: digest).count == 10)
    let first = try await harness.signedIn("noor")
    for _ in 0..<100 {
      harness.clock.advance(by: 1)
      _ = try await harness.signedIn("noor")
    }
    // The oldest gave way.
    #expect(try await first.sessionID() == nil)
  }
}
