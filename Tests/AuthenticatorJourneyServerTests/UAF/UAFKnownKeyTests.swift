import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// A client deletes keys of which the server says that nobody has them (1481), so it says it of no key that somebody
/// has, whatever else is wrong.
@Suite struct UAFKnownKeyTests {
  private let kit: UAFKit
  /// Two models, one of which the kit's device is.
  private let devices: [TestUAFAuthenticator]

  init() async throws {
    var second = try TestUAFAuthenticator()
    second.aaid = "FFFF#F002"
    second.keyID[0] = 2
    devices = [try TestUAFAuthenticator(), second]
    let models = try UAFModels(json: .array(devices.map { .object($0.metadata()) }))
    kit = try await UAFKit(device: devices[0]) {
      $0.models = models
      $0.policy = UAFAcceptancePolicy(accepted: [
        [UAFAcceptanceCriteria(aaids: ["FFFF#F001"]), UAFAcceptanceCriteria(aaids: ["FFFF#F002"])],
        [UAFAcceptanceCriteria(aaids: ["FFFF#F001"])],
      ])
    }
  }

  private func send(_ path: String, _ body: JSONValue, session: String? = nil) async throws -> JSONValue {
    try await kit.harness.send(
      "POST", path, session: session, fields: [HTTPField("Content-Type", "application/fido+uaf")],
      body: body.serialized()
    ).body
  }

  private func ask(_ op: String, _ username: String? = nil, session: String? = nil) async throws -> JSONValue {
    var body: JSONObject = ["op": .string(op)]
    if let username { body["context"] = .string(#"{"username": "\#(username)"}"#) }
    let answer = try await send("/uaf/request", .object(body), session: session)
    return try JSONValue.parse(try #require(answer["uafRequest"]?.stringValue))
  }

  private func message(_ request: JSONValue, _ assertion: (Int, [UInt8]) throws -> [UInt8]) throws -> JSONValue {
    let final = kit.client.finalChallenge(for: request)
    let assertions = try devices.indices.map { try assertion($0, final.hash) }.filter { !$0.isEmpty }
    let response = kit.client.response(to: request, finalChallenge: final.text, assertions: assertions)
    return ["uafResponse": .string(JSONValue.array([.object(response)]).serializedString())]
  }

  private func register(_ places: [Int], for user: String = "mira") async throws {
    let session = try await kit.harness.session(of: user)
    let body = try message(try await ask("Reg", session: session)) { place, hash in
      try places.contains(place) ? devices[place].registration(finalChallengeHash: hash) : []
    }
    #expect(try await send("/uaf/response", body, session: session)["statusCode"] == 1200)
  }

  /// What the server says to a response of these devices.
  private func status(_ request: JSONValue, by places: [Int]) async throws -> JSONValue? {
    let body = try message(request) { place, hash in
      var device = devices[place]
      device.signCounter = 1
      return try places.contains(place) ? device.authentication(finalChallengeHash: hash) : []
    }
    return try await send("/uaf/response", body)["statusCode"]
  }

  private func remove(_ place: Int, of user: String = "mira") async throws {
    let owner = try #require(try await kit.harness.registry.user(named: user, in: kit.harness.realm)).id
    let name = UAFKeyName(aaid: devices[place].aaid, keyID: devices[place].keyID)
    #expect(try await kit.harness.registry.removeUAFKeys([name], ofUser: owner, realm: kit.harness.realm).count == 1)
  }

  @Test func whoeverIsSwitchedOffKeepsTheKeys() async throws {
    try await register([0])
    let named = try await ask("Auth", "mira")
    _ = try await kit.harness.server.setActive(false, userNamed: "mira", in: kit.harness.realm)
    #expect(try await status(try await ask("Auth"), by: [0]) == 1403)
    #expect(try await status(named, by: [0]) == 1403)
    #expect(kit.refusals == ["keyNotAdmitted", "keyNotAdmitted"])
    _ = try await kit.harness.server.setActive(true, userNamed: "mira", in: kit.harness.realm)
    #expect(try await status(try await ask("Auth"), by: [0]) == 1200)
  }

  /// One key of a set is gone; the other one would go too.
  @Test(arguments: ["mira", nil]) func aSetOfWhichAKeyIsGoneKeepsTheOther(user: String?) async throws {
    try await register([0, 1])
    let request = try await ask("Auth", user)
    let (late, last) = (try await ask("Auth", user), try await ask("Auth", user))
    try await remove(0)
    #expect(try await status(request, by: [0, 1]) == 1403)
    try await remove(1)
    #expect(try await status(late, by: [0, 1]) == 1481)
    #expect(try await status(last, by: [1]) == 1481)
  }

  @Test func anotherUsersKeyIsNotUnknown() async throws {
    try await register([0])
    for user in ["noor", "nobody"] { #expect(try await status(try await ask("Auth", user), by: [0]) == 1403) }
    #expect(kit.refusals == ["keyNotAdmitted", "keyNotAdmitted"])
  }

  /// Two people's keys are no one's set.
  @Test func keysOfTwoUsersAnswerForNobody() async throws {
    try await register([0, 1])
    try await remove(0)
    try await register([0], for: "noor")
    #expect(try await status(try await ask("Auth"), by: [0, 1]) == 1403)
    #expect(kit.refusals == ["keyNotAdmitted"])
  }

  /// While there is room for one key, a set of two is not asked for; then nothing is.
  @Test func whoeverHasNoRoomHearsItBeforeAScan() async throws {
    let kit = try await UAFKit(device: devices[0]) { [uaf = kit.harness.server.configuration.uaf] settings in
      settings = uaf
      settings.quota = 1
    }
    func ask() async throws -> JSONValue {
      try await kit.harness.send(
        "POST", "/uaf/request", session: try await kit.harness.session(),
        fields: [HTTPField("Content-Type", "application/fido+uaf")], body: JSONValue.object(["op": "Reg"]).serialized()
      ).body
    }
    let request = try JSONValue.parse(try #require(try await ask()["uafRequest"]?.stringValue))
    #expect(request[0]?["policy"]?["accepted"] == [[["aaid": ["FFFF#F001"]]]])
    #expect(try await kit.register().token != nil)
    #expect(try await ask() == ["statusCode": 1403])
  }

  /// The addresses are for the users of one realm; a key of another one is somebody's all the same.
  @Test(arguments: ["nobody", nil]) func aKeyOfAnotherRealmIsSomebodys(named user: String?) async throws {
    let server = kit.harness.server
    _ = try await server.addUser(named: "rosa", password: Harness.password, in: .root)
    let rosa = try #require(try await kit.harness.registry.user(named: "rosa", in: .root))
    try await register([0])
    let stored = try #require(try await kit.keys().first).registration
    try await remove(0)
    let moved = UAFKeyRecord(realm: .root, userID: rosa.id, registration: stored, createdAt: kit.harness.clock.now)
    #expect(try await status(try await ask("Auth", user), by: [0]) == 1481)
    #expect(try await kit.harness.registry.addUAFKeys([moved], limit: 10) == .added)
    #expect(try await status(try await ask("Auth", user), by: [0]) == 1403)
  }
}
