import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import Testing

@Suite struct WebAuthnDevicesEndpointTests {
  private let filter = "_queryFilter=true"

  private func address(_ user: String, _ device: String? = nil) -> String {
    Harness.base + "/users/\(user)/devices/2fa/webauthn" + (device.map { "/" + $0 } ?? "")
  }

  /// Every byte percent-encoded.
  private func encoded(_ text: String) -> String { text.utf8.map { "%" + Hex.encode([$0]).uppercased() }.joined() }

  @Test func listsTheCredentialsOfTheSessionsUser() async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    let token = try #require(try await harness.register(&passkey, name: "Key").token)
    let user = try #require(try await harness.registry.user(named: "mira", in: harness.realm))
    // The user handle, decoded, is the id by which a client names its user here.
    let handle = String(decoding: try Base64URL.decode(try #require(passkey.userHandle)), as: UTF8.self)
    for name in ["mira", user.id, handle, encoded(user.universalID)] {
      let list = try await harness.send("GET", address(name), query: filter, session: token)
      #expect(list.status == 200 && list.body["resultCount"] == 1)
      var entry = try #require(list.body["result"]?[0]?.objectValue)
      let uuid = try #require(entry["uuid"]?.stringValue)
      #expect(uuid.utf8.count == 36 && entry["_id"] == .string(uuid))
      (entry["uuid"], entry["_id"]) = (nil, nil)
      #expect(
        entry == [
          "createdDate": .integer(harness.clock.now.milliseconds),
          "lastAccessDate": .integer(harness.clock.now.milliseconds),
          "credentialId": .string(Base64URL.encode(passkey.id)), "deviceName": "Key",
          "deviceManagementStatus": false, "recoveryCodes": [],
        ])
    }
  }

  @Test func deletesByCredentialAndByIdentifier() async throws {
    let harness = try await Harness.webAuthn()
    var (one, two) = (try Passkey(), try Passkey())
    try await harness.register(&one)
    let token = try #require(try await harness.register(&two).token)
    // As clients do: the credential's id leads to the record's.
    let found = try await harness.send("GET", address("mira", Base64URL.encode(one.id)), session: token)
    let uuid = try #require(found.body["uuid"]?.stringValue)
    let deleted = try await harness.send("DELETE", address("mira", uuid), session: token)
    #expect(deleted.status == 200 && deleted.body["credentialId"] == .string(Base64URL.encode(one.id)))
    #expect(try await harness.send("DELETE", address("mira", uuid), session: token).status == 404)
    #expect(try await harness.authenticate(one).status == 401)
    #expect(try await harness.authenticate(two).token != nil)
    let direct = encoded(Base64URL.encode(two.id))
    #expect(try await harness.send("DELETE", address("mira", direct), session: token).status == 200)
    #expect(try await harness.send("GET", address("mira"), query: filter, session: token).body["resultCount"] == 0)
    // What was deleted here may be registered again.
    #expect(try await harness.register(&two).token != nil)
  }

  @Test func showsAndDeletesNobodyElsesCredentials() async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    try await harness.register(&passkey)
    let id = Base64URL.encode(passkey.id)
    let device = try #require(try await harness.webAuthnDevices().first)
    let noor = try await harness.session(of: "noor")
    for name in ["mira", device.userID, "nobody"] {
      for (method, path, query) in [
        ("GET", address(name), filter), ("GET", address(name, id), nil), ("DELETE", address(name, id), nil),
        ("DELETE", address(name, device.uuid), nil),
      ] as [(String, String, String?)] {
        #expect(try await harness.send(method, path, query: query, session: noor).status == 403)
        #expect(try await harness.send(method, path, query: query).status == 401)
        #expect(try await harness.send(method, path, query: query, session: "nonsense").status == 401)
      }
    }
    // Under her own name they are not there.
    for name in [id, device.uuid] {
      #expect(try await harness.send("GET", address("noor", name), session: noor).status == 404)
      #expect(try await harness.send("DELETE", address("noor", name), session: noor).status == 404)
    }
    #expect(try await harness.webAuthnDevices().count == 1)
  }

  @Test func aSessionOfAnotherRealmIsNone() async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    let token = try #require(try await harness.register(&passkey).token)
    let root = "/am/json/realms/root/users/mira/devices/2fa/webauthn"
    #expect(try await harness.send("GET", root, query: filter, session: token).status == 401)
  }

  @Test(arguments: [
    "%00", "%2F", "..%2F..%2F", "%zz", "%", "%C0%AF", "'%20OR%201=1--", "%F0%9F%94%91", "*", "%25", "a%0d%0aX:1",
    "%EF%BB%BF", "null", "-1",
  ]) func answersHostileIDs(id: String) async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    let token = try #require(try await harness.register(&passkey).token)
    for method in ["GET", "DELETE"] {
      let answer = try await harness.send(method, address("mira", id), session: token)
      #expect(answer.status == 404 || answer.status == 400, "\(answer.status)")
      #expect((try await harness.send(method, address(id, "x"), session: token).status / 100) == 4)
    }
    #expect(try await harness.webAuthnDevices().count == 1)
  }

  @Test func keepsTheFamiliesApart() async throws {
    let harness = try await Harness.webAuthn()
    var passkey = try Passkey()
    let token = try #require(try await harness.register(&passkey).token)
    _ = try await harness.bind(try Device(keyID: Base64URL.encode(passkey.id)))
    let binding = Harness.base + "/users/mira/devices/2fa/binding"
    let bound = try await harness.send("GET", binding, query: filter, session: token)
    #expect(bound.body["resultCount"] == 1 && bound.body["result"]?[0]?["credentialId"] == nil)
    let id = Base64URL.encode(passkey.id)
    #expect(try await harness.send("DELETE", binding + "/" + id, session: token).status == 200)
    #expect(try await harness.authenticate(passkey).token != nil)
  }

  @Test func answersOddRequests() async throws {
    let harness = try await Harness.webAuthn()
    let token = try await harness.session()
    #expect(try await harness.send("GET", address("mira"), session: token).status == 400)
    #expect(try await harness.send("PUT", address("mira", "x"), session: token).status == 405)
    #expect(try await harness.send("DELETE", address("mira"), session: token).status == 405)
    #expect(try await harness.send("GET", address("mira", "a/b"), session: token).status == 404)
  }
}
