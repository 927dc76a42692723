import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// What anybody without a session can compare: whom the server asks for which keys, and what it answers to nonsense.
@Suite struct UAFStrangerTests {
  /// A key that a request names.
  struct Named: Hashable {
    let aaid: String
    let keyID: String
  }

  typealias Form = (aaid: String, algorithm: UInt16, keyForm: UInt16)

  /// Models of every form.
  static let forms: [Form] = [
    ("FFFF#F001", 1, 0x100), ("FFFF#F002", 2, 0x101), ("FFFF#F003", 3, 0x102), ("FFFF#F004", 9, 0x103),
    ("FFFF#F005", 2, 0x100), ("FFFF#F006", 8, 0x102),
  ]
  let kit: UAFKit
  /// Has a key of its own, and signs with it in everybody's name.
  let stranger: TestUAFAuthenticator

  init() async throws {
    kit = try await Self.kit()
    stranger = try TestUAFAuthenticator()
  }

  static func kit(
    journeys: [JourneyTree]? = nil, registry: any JourneyRegistry = InMemoryRegistry(),
    _ adjust: @Sendable (inout UAFSettings) -> Void = { _ in }
  ) async throws -> UAFKit {
    let device = try TestUAFAuthenticator()
    let statements = forms.map { form -> JSONValue in
      var model = device
      (model.aaid, model.algorithm, model.keyForm) = form
      return .object(model.metadata())
    }
    let models = try UAFModels(json: .array(statements))
    return try await UAFKit(journeys: journeys, registry: registry, device: device) {
      $0.models = models
      adjust(&$0)
    }
  }

  func ask(_ kit: UAFKit, _ name: String?) async throws -> JSONValue {
    let context: JSONValue = name.map { ["username": .string($0)] } ?? [:]
    let body: JSONValue = ["op": "Auth", "context": .string(context.serializedString())]
    let answer = try await kit.harness.send(
      "POST", "/uaf/request", fields: [HTTPField("Content-Type", "application/fido+uaf")], body: body.serialized())
    return try JSONValue.parse(try #require(answer.body["uafRequest"]?.stringValue))
  }

  func keys(_ request: JSONValue) -> [Named] {
    (request[0]?["policy"]?["accepted"]?.arrayValue ?? []).flatMap { $0.arrayValue ?? [] }.flatMap { criterion in
      (criterion["keyIDs"]?.arrayValue ?? []).map {
        Named(aaid: criterion["aaid"]?[0]?.stringValue ?? "", keyID: $0.stringValue ?? "")
      }
    }
  }

  /// What a stranger may send about a key that was named.
  private enum Nonsense: CaseIterable {
    case signature, form, nonce, hash, counter, otherKey, otherAlgorithm, otherModel, transaction, state
  }

  private func nonsense(_ kind: Nonsense, about key: Named, _ request: JSONValue) throws -> JSONValue {
    var device = stranger
    let form = Self.forms.first { $0.aaid == key.aaid } ?? Self.forms[0]
    (device.aaid, device.algorithm, device.keyForm) = form
    device.keyID = try Base64URL.decode(key.keyID)
    switch kind {
    case .otherKey: device.keyID[0] ^= 1
    case .otherAlgorithm: device.algorithm = form.algorithm == 1 ? 2 : 1
    case .otherModel: device.aaid = "FFFF#F0FF"
    case .state: device.state = [1]
    case .counter: device.signCounter = 1 << 31
    default: break
    }
    let isLong = [3, 8, 9].contains(form.algorithm)
    let final = kit.client.finalChallenge(for: request)
    let assertion = try device.authentication(
      finalChallengeHash: final.hash, content: kind == .transaction ? [1] : nil
    ) { parts in
      if kind == .nonce { parts.signed.set(0x2E0F, [1]) }
      if kind == .hash { parts.signed.set(0x2E0A, [UInt8](repeating: 1, count: 32)) }
      let head: [UInt8] = form.algorithm == 9 ? [0x04, 0x82, 0x01, 0x00] : []
      parts.signature = { right in
        if kind == .form { return [1, 2, 3] }
        return isLong ? head + [UInt8](repeating: 1, count: 256) : right
      }
    }
    return .array([.object(kit.client.response(to: request, finalChallenge: final.text, assertions: [assertion]))])
  }

  /// A user with a key, one without, one who is switched off, and names that nobody has: one answer to all of them.
  @Test func oneAnswerToNonsenseWhoeverItIsAbout() async throws {
    _ = try await kit.register()
    _ = try await kit.harness.server.addUser(named: "olaf", password: Harness.password, in: kit.harness.realm)
    _ = try await kit.harness.server.setActive(false, userNamed: "olaf", in: kit.harness.realm)
    let nobodies = (0..<12).map { "nobody\($0)" }
    for kind in Nonsense.allCases {
      var answers: [String: [JSONValue]] = [:]
      for name in ["mira", "noor", "olaf"] + nobodies {
        let request = try await ask(kit, name)
        let key = try #require(keys(request).first)
        let message = try nonsense(kind, about: key, request).serializedString()
        let answer = try await kit.harness.send(
          "POST", "/uaf/response", fields: [HTTPField("Content-Type", "application/fido+uaf")],
          body: JSONValue.object(["uafResponse": .string(message)]).serialized())
        answers[name] = [.integer(Int64(answer.status)), answer.body]
      }
      #expect(Set(answers.values).count == 1, "\(kind): \(answers)")
      #expect(kind != .signature || answers["mira"]?[1]["statusCode"] == 1403)
    }
  }

  /// A key that was asked of nobody answers like one that somebody has, where no name is given too.
  @Test func oneAnswerToTheKeyOfNobody() async throws {
    _ = try await kit.register()
    for kind in Nonsense.allCases {
      var answers: Set<JSONValue> = []
      for name in ["mira", "noor", "nobody1", "nobody2"] {
        let key = try #require(keys(try await ask(kit, name)).first)
        for other in [nil, "nobody3"] {
          let request = try await ask(kit, other)
          let message = try nonsense(kind, about: key, request).serializedString()
          let answer = try await kit.harness.send(
            "POST", "/uaf/response", fields: [HTTPField("Content-Type", "application/fido+uaf")],
            body: JSONValue.object(["uafResponse": .string(message)]).serialized())
          answers.insert([.integer(Int64(answer.status)), answer.body, other == nil ? 1 : 2])
        }
      }
      #expect(answers.count == 2, "\(kind): \(answers)")
    }
  }

  @Test func oneAnswerOfTheNodeWhoeverItIsAbout() async throws {
    _ = try await kit.register()
    for kind in Nonsense.allCases {
      var answers: Set<JSONValue> = []
      for name in ["mira", "noor", "nobody1", "nobody2"] {
        let page = try await kit.authenticationStep(name)
        let request = try UAFKit.request(page)
        let message = try nonsense(kind, about: try #require(keys(request).first), request)
        let answer = try await kit.answer(page, message.serializedString())
        answers.insert([.integer(Int64(answer.status)), answer.body])
      }
      #expect(answers.count == 1, "\(kind): \(answers)")
    }
    // In the log they are one check too.
    #expect(Set(kit.refusals.prefix(4)) == ["signatureInvalid"])
  }

  /// One model of many would be everybody's who has none.
  @Test func keysOfNobodyVaryByNameInModelAndNumber() async throws {
    let names = (0..<60).map { "nobody\($0)" }
    var counts: [Int: Int] = [:]
    var models: [String: Int] = [:]
    var seen: Set<Named> = []
    for name in names {
      let first = keys(try await ask(kit, name))
      #expect(try await first == keys(ask(kit, name.uppercased())), "stable, and names are compared as users' are")
      #expect(try await first == keys(UAFKit.request(kit.authenticationStep(name))))
      counts[first.count, default: 0] += 1
      for key in first { models[key.aaid, default: 0] += 1 }
      #expect(first.allSatisfy { (try? Base64URL.decode($0.keyID))?.count == 32 })
      #expect(seen.isDisjoint(with: first))
      seen.formUnion(first)
    }
    #expect(counts.count > 1 && Set(counts.keys).isSubset(of: [1, 2, 3]))
    #expect(models.count == Self.forms.count && models.values.allSatisfy { $0 < seen.count / 2 })
  }

  /// Whatever the policy says, they are keys that could serve it.
  @Test func keysOfNobodyServeThePolicy() async throws {
    let policy = UAFAcceptancePolicy(
      accepted: [
        [UAFAcceptanceCriteria(aaids: ["FFFF#F001"]), UAFAcceptanceCriteria(aaids: ["FFFF#F004", "FFFF#F005"])],
        [UAFAcceptanceCriteria(aaids: ["FFFF#F006"])],
      ], disallowed: [UAFAcceptanceCriteria(aaids: ["FFFF#F005"])])
    let kit = try await Self.kit {
      $0.policy = policy
      $0.quota = 2
    }
    var shapes: Set<[String]> = []
    for name in (0..<48).map({ "nobody\($0)" }) { shapes.insert(keys(try await ask(kit, name)).map(\.aaid)) }
    #expect(shapes.contains(["FFFF#F001", "FFFF#F004"]) && shapes.contains(["FFFF#F006"]))
    #expect(shapes.isSubset(of: [["FFFF#F001", "FFFF#F004"], ["FFFF#F006"], ["FFFF#F006", "FFFF#F006"]]))
  }

  /// Of a model that speaks no version of the requests nobody is asked for a key, so nobody has one there either.
  @Test(arguments: [[UAFProtocolVersion.uaf11], [.uaf11, .uaf10]])
  func keysOfNobodyStandInARequest(_ versions: [UAFProtocolVersion]) async throws {
    let device = try TestUAFAuthenticator()
    let models = try UAFModels(
      json: .array(
        (0..<6).map { index in
          var model = device
          model.aaid = "FFFF#F10\(index)"
          var metadata = model.metadata()
          metadata["upv"] = [["major": 1, "minor": .integer(Int64(index % 2))]]
          return .object(metadata)
        }))
    var any = UAFAcceptanceCriteria()
    any.userVerification = 2
    for sets in [[[any]], [[any, any], [any]]] {
      let kit = try await UAFKit(device: device) {
        $0.models = models
        $0.versions = versions
        $0.policy = UAFAcceptancePolicy(accepted: sets)
      }
      var asked: Set<String> = []
      for name in (0..<40).map({ "nobody\($0)" }) {
        let request = try await ask(kit, name)
        let named = (request.arrayValue ?? []).flatMap { keys([$0]) }
        #expect(!named.isEmpty)
        asked.formUnion(named.map(\.aaid))
      }
      #expect(asked.count == 3 * versions.count)
    }
  }

  /// Nobody signs with a key of nobody, so that what is looked at behind the signature tells nothing: here that half of
  /// a set is missing.
  @Test func halfOfASetIsRefusedByItsSignature() async throws {
    let kit = try await Self.kit {
      $0.policy = UAFAcceptancePolicy(
        accepted: [[UAFAcceptanceCriteria(aaids: ["FFFF#F001"]), UAFAcceptanceCriteria(aaids: ["FFFF#F002"])]])
    }
    // The private key whose public one is the curve's base point, and one that the stranger made.
    let one = [UInt8](repeating: 0, count: 31) + [1]
    let base = try Hex.decode(
      "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
    for key in [try PrivateKey(material: SecretBytes(one + base), algorithm: .es256), stranger.key] {
      let request = try await ask(kit, "nobody")
      let named = try #require(keys(request).first)
      var device = try TestUAFAuthenticator(key: key)
      device.keyID = try Base64URL.decode(named.keyID)
      let final = kit.client.finalChallenge(for: request)
      let assertion = try device.authentication(finalChallengeHash: final.hash)
      let message = JSONValue.array([
        .object(kit.client.response(to: request, finalChallenge: final.text, assertions: [assertion]))
      ])
      let answer = try await kit.harness.send(
        "POST", "/uaf/response", fields: [HTTPField("Content-Type", "application/fido+uaf")],
        body: JSONValue.object(["uafResponse": .string(message.serializedString())]).serialized())
      #expect(answer.body["statusCode"] == 1403)
    }
  }

  /// The server's own secret makes them: another server has others, and a new start of this one has not.
  @Test func keysOfNobodyAreTheServersOwn() async throws {
    let directory = try TemporaryDirectory()
    let first = try await Self.kit(registry: try RegistryKind.sqlite.make(directory))
    let again = try await Self.kit(registry: try RegistryKind.sqlite.make(directory))
    let offered = keys(try await ask(first, "nobody"))
    #expect(try await keys(ask(again, "nobody")) == offered)
    #expect(try await keys(ask(kit, "nobody")) != offered)
  }

  /// What everybody can read in the server data is what was asked, and no identifier of a user.
  @Test func theServerDataTellOnlyWhatWasAsked() async throws {
    _ = try await kit.register()
    func subject(_ name: String) async throws -> String? {
      let text = try #require(try await ask(kit, name)[0]?["header"]?["serverData"]?.stringValue)
      let json = try JSONValue.parse(Array(try Base64URL.decode(text).dropLast(32)))
      return json["s"]?.stringValue
    }
    for name in ["mira", "noor", "nobody", String(repeating: "\u{1}", count: 256)] {
      #expect(try await subject(name) == Base64URL.encode(Array(name.utf8)))
    }
  }
}
