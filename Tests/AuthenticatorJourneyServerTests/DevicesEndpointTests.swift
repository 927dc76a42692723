import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

@Suite struct DevicesEndpointTests {
  private let filter = "_queryFilter=true"

  private func address(_ user: String, _ device: String? = nil) -> String {
    Harness.base + "/users/\(user)/devices/2fa/binding" + (device.map { "/" + $0 } ?? "")
  }

  /// Every byte percent-encoded.
  private func encoded(_ text: String) -> String { text.utf8.map { "%" + Hex.encode([$0]).uppercased() }.joined() }

  @Test func listsTheDevicesOfTheSessionsUser() async throws {
    let harness = try await Harness()
    let device = try Device(keyID: "phone")
    let token = try #require(try await harness.bind(device).token)
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    for name in ["mira", user.id, encoded(user.universalID), "MIRA"] {
      let list = try await harness.send("GET", address(name), query: filter, session: token)
      #expect(list.status == 200)
      #expect(list.body["resultCount"] == 1)
      let entry = try #require(list.body["result"]?[0]?.objectValue)
      #expect(entry["_id"] == "phone")
      #expect(entry["deviceName"] == "Test device")
      #expect(entry["deviceId"] == "device-1")
      #expect(entry["createdDate"] == .integer(harness.clock.now.milliseconds))
      #expect(entry["lastAccessDate"] == .integer(harness.clock.now.milliseconds))
      #expect(entry["deviceManagementStatus"] == false)
      #expect(entry["uuid"]?.stringValue?.utf8.count == 36)
      let key = try #require(entry["key"]?.objectValue)
      #expect(Set(key.names) == ["kty", "kid", "use", "alg", "crv", "x", "y"])
      #expect(key["kid"] == "phone" && key["alg"] == "ES256")
    }
  }

  @Test func notesWhenADeviceWasUsed() async throws {
    let harness = try await Harness()
    let device = try Device(keyID: "phone")
    let token = try #require(try await harness.bind(device).token)
    harness.clock.advance(by: 100)
    _ = try await harness.sign(device)
    let list = try await harness.send("GET", address("mira"), query: filter, session: token)
    let entry = list.body["result"]?[0]
    #expect(entry?["lastAccessDate"] == .integer(harness.clock.now.milliseconds))
    #expect(entry?["createdDate"] == .integer(harness.clock.now.milliseconds - 100_000))
  }

  @Test func showsAndDeletesNobodyElsesDevices() async throws {
    let harness = try await Harness()
    _ = try await harness.bind(try Device(keyID: "phone"))
    let noor = try await harness.session(of: "noor")
    let mira = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    for name in ["mira", mira.id, encoded(mira.universalID), "nobody"] {
      for (method, path, query) in [("GET", address(name), filter), ("DELETE", address(name, "phone"), nil)] {
        #expect(try await harness.send(method, path, query: query, session: noor).status == 403)
        #expect(try await harness.send(method, path, query: query).status == 401)
        #expect(try await harness.send(method, path, query: query, session: "nonsense").status == 401)
      }
    }
    // Under her own name, too, somebody else's key is not there.
    #expect(try await harness.send("DELETE", address("noor", "phone"), session: noor).status == 404)
    #expect(try await harness.registry.device("phone", family: .binding, realm: harness.realm) != nil)
  }

  @Test func deletesADeviceAndForgetsItsKey() async throws {
    let harness = try await Harness()
    let device = try Device(keyID: "a/b %+")
    _ = try await harness.bind(device)
    let phone = try Device(keyID: "phone")
    let token = try #require(try await harness.bind(phone).token)
    let deleted = try await harness.send("DELETE", address("mira", encoded("phone")), session: token)
    #expect(deleted.status == 200)
    #expect(deleted.body["_id"] == "phone")
    #expect(try await harness.send("DELETE", address("mira", "phone"), session: token).status == 404)
    #expect(try await harness.sign(phone).status == 401)
    // Its name is free again.
    #expect(try await harness.bind(try Device(keyID: "phone")).token != nil)
  }

  @Test func refusesSessionsOfAnotherRealm() async throws {
    let harness = try await Harness()
    try await harness.server.addUser(named: "mira", password: Harness.password, in: .root)
    let page = try await harness.send("POST", "/am/json/authenticate")
    let root = try await harness.send(
      "POST", "/am/json/authenticate", body: harness.credentials(page).serialized())
    let token = try #require(root.token)
    #expect(try await harness.send("GET", address("mira"), query: filter, session: token).status == 401)
  }

  @Test func answersOddRequests() async throws {
    let harness = try await Harness()
    let token = try await harness.session()
    #expect(try await harness.send("GET", address("mira"), session: token).status == 400)
    #expect(try await harness.send("PUT", address("mira", "x"), session: token).status == 405)
    #expect(try await harness.send("POST", address("mira"), session: token).status == 405)
    #expect(try await harness.send("GET", address("%zz"), query: filter, session: token).status == 400)
    #expect(try await harness.send("GET", address("mira") + "/a/b", session: token).status == 404)
  }

  // MARK: Sessions and users

  @Test func logsOutOnce() async throws {
    let harness = try await Harness()
    let token = try await harness.session()
    let path = Harness.base + "/sessions"
    let out = try await harness.send("POST", path, query: "_action=logout", session: token, body: Array("{}".utf8))
    #expect(out.status == 200)
    #expect(out.body == ["result": "Successfully logged out"])
    let again = try await harness.send("POST", path, query: "_action=logout", session: token)
    #expect(again.status == 401)
    #expect(again.message == "Access Denied")
    #expect(try await harness.send("POST", path, query: "_action=logout").status == 401)
    let check = try await harness.send("POST", path, query: "_action=validate", session: token)
    #expect(check.body == ["valid": false])
    #expect(try await harness.send("POST", path, query: "_action=dance").status == 501)
    #expect(try await harness.send("GET", path).status == 405)
  }

  @Test func sessionsEnd() async throws {
    let harness = try await Harness()
    let token = try await harness.session()
    harness.clock.advance(by: 7200)
    let info = try await harness.send(
      "POST", Harness.base + "/sessions", query: "_action=getSessionInfo", session: token)
    #expect(info.status == 401)
    #expect(try await harness.start("Login", session: token).authID != nil)
  }

  @Test func tellsWhoTheSessionsUserIs() async throws {
    let harness = try await Harness()
    let token = try await harness.session()
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    let answer = try await harness.send(
      "POST", Harness.base + "/users", query: "_action=idFromSession", session: token)
    #expect(answer.body["id"] == "mira")
    #expect(answer.body["dn"] == .string(user.universalID))
    #expect(try await harness.send("POST", Harness.base + "/users", query: "_action=idFromSession").status == 401)
    let own = try await harness.send("GET", Harness.base + "/users/mira", session: token)
    #expect(own.body["_id"] == .string(user.id))
    #expect(try await harness.send("GET", Harness.base + "/users/noor", session: token).status == 403)
  }

  @Test func tellsTheCookieNameToAnybody() async throws {
    let harness = try await Harness { $0.cookieName = "f00ba4" }
    let answer = try await harness.send("GET", Harness.base + "/serverinfo/*")
    #expect(answer.body["cookieName"] == "f00ba4")
    #expect(answer.body["realm"] == "/alpha")
  }
}
