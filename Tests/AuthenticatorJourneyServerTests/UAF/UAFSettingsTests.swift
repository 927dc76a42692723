import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// The settings file of UAF.
@Suite struct UAFSettingsTests {
  private let valid: JSONObject

  init() throws { valid = ["version": 1, "metadata": [.object(try TestUAFAuthenticator().metadata())]] }

  private func settings(_ bend: (inout JSONObject) -> Void = { _ in }) throws -> UAFSettings {
    var json = valid
    bend(&json)
    return try UAFSettings(json: .object(json))
  }

  @Test func readsEverySetting() throws {
    let settings = try settings {
      $0["realm"] = "/alpha"
      $0["appID"] = "https://rp.example/uaf/facets"
      $0["facets"] = ["https://rp.example"]
      $0["versions"] = ["1.1", "1.0"]
      $0["policy"] = ["accepted": [[["aaid": ["FFFF#F001"]]]]]
      $0["enrollmentPolicy"] = "accept"
      $0["signCounterPolicy"] = "flag"
      $0["extensions"] = [["id": "fido.uaf.uvm", "data": "", "fail_if_unknown": false]]
      $0["requestLifetime"] = 60
      $0["quota"] = 3
      $0["transactionText"] = "Pay?"
    }
    #expect(settings.realm == Realm("/alpha") && settings.appID == "https://rp.example/uaf/facets")
    #expect(settings.facets == ["https://rp.example"] && settings.versions == [.uaf11, .uaf10])
    #expect(settings.policy == UAFAcceptancePolicy(anyOf: ["FFFF#F001"]))
    #expect(settings.enrollmentPolicy == .accept && settings.signCounterPolicy == .flag)
    #expect(settings.requestLifetime == .seconds(60) && settings.quota == 3 && settings.transactionText == "Pay?")
    #expect(settings.models["FFFF#F001"] != nil && settings.extensions == [.userVerificationMethod])
  }

  @Test(arguments: [
    ("version", "2"), ("version", "null"), ("metadata", "null"), ("metadata", "[{}]"), ("metadata", "[]"),
    ("realm", "1"),
    ("appID", "\"\""), ("appID", "\"https:// bad\""), ("appID", "\"http://nope\""), ("appID", "\"https://\""),
    ("appID", "\"nonsense\""), ("facets", "[\"http://rp.example\"]"), ("facets", "[\"https://rp.example/path\"]"),
    ("facets", "[\"https:// bad\"]"), ("facets", "[\"nonsense\"]"),
    ("policy", #"{"accepted": [[{"aaid": ["FFFF#F00D"]}]]}"#),
    ("policy", #"{"accepted": [[{"aaid": ["FFFF#F001", "FFFF#F00D"]}]]}"#),
    ("policy", #"{"accepted": [[{"aaid": ["FFFF#F001"], "keyIDs": ["AAAA"]}]]}"#),
    ("policy", #"{"accepted": [[{"userVerification": 128}]]}"#),
    ("policy", #"{"accepted": [[{"aaid": ["FFFF#F001"]}]], "disallowed": [{"aaid": ["FFFF#F001"]}]}"#),
    ("facets", "[]"), ("facets", "[1]"), ("versions", "[\"1.2\"]"), ("versions", "[]"),
    ("policy", "{}"), ("enrollmentPolicy", "\"ignore\""), ("signCounterPolicy", "\"accept\""),
    ("requestLifetime", "0"), ("maximumRegistrationCounter", "-1"), ("quota", "0"), ("transactionText", "\"€\""),
    ("unknown", "1"), ("policy", #"{"accepted": [[{"aaid": ["FFFF#F001"]}, {"aaid": ["FFFF#F001"]}]]}"#),
    ("facets", "[\"https://rp.example:0\"]"), ("facets", "[\"https://m@rp.example\"]"),
    ("quota", "-1"), ("maximumRegistrationCounter", "0"), ("extensions", "[]"), ("extensions", "[{\"id\": \"x\"}]"),
    ("policy.disallowed", #"{"accepted": [[{"userVerification": 2}]], "disallowed": [{"vendorID": ["ZZZZ"]}]}"#),
    ("policy.disallowed", #"{"accepted": [[{"userVerification": 2}]], "disallowed": [{"keyIDs": ["x"]}]}"#),
    ("policy.disallowed", #"{"accepted": [[{"userVerification": 2}]], "disallowed": [{"keyIDs": ["AAAA"]}]}"#),
    ("policy.accepted", #"{"accepted": [[{"aaid": ["FFFF#F001"]}, {"aaid": ["FFFF#F001"]}]]}"#),
  ]) func namesWhatIsWrong(name: String, value: String) throws {
    let value = try JSONValue.parse(value)
    do {
      _ = try settings { $0[String(name.prefix { $0 != "." })] = value }
      Issue.record("\(name) was accepted")
    } catch let error as ExpectationError {
      #expect(error.member.hasPrefix(name), "\(error.member)")
    }
  }

  /// What a server would start with and never sign anybody in by.
  @Test func namesTheMemberThatCanNeverWork() throws {
    func member(_ bend: (inout JSONObject) -> Void) -> String? {
      do {
        _ = try settings(bend)
        return nil
      } catch { return (error as? ExpectationError)?.member }
    }
    #expect(
      member { $0["policy"] = ["accepted": [[["aaid": ["FFFF#F001"]]], [["aaid": ["FFFF#F00D"]]]]] }
        == "policy.accepted.1.0.aaid")
    #expect(
      member {
        var statement = $0["metadata"]?[0]?.objectValue ?? [:]
        statement["upv"] = [["major": 1, "minor": 0]]
        $0["metadata"] = [.object(statement)]
      } == "versions")
    #expect(
      member {
        $0["appID"] = "linux:exe:org.example"
        $0["facets"] = ["linux:exe:org.example.other"]
      } == "appID")
    #expect(
      member {
        $0["appID"] = "linux:exe:org.example"
        $0["facets"] = ["linux:exe:org.example"]
      } == nil)
  }

  /// Without facets of its own a server has those of its applications.
  @Test func anAppIDIsOneOfTheDefaultFacets() throws {
    let settings = try settings { $0["appID"] = "linux:exe:org.example" }
    try settings.check(applicationIDs: ["org.example.other", "org.example"])
    #expect(throws: ExpectationError("appID")) { try settings.check(applicationIDs: ["org.example.other"]) }
  }

  /// A request is one text of a journey, with an entry for each version that a model speaks.
  @Test func policyAndExtensionsFitIntoAJourney() throws {
    func member(extensions count: Int, _ bend: (inout JSONObject) -> Void = { _ in }) throws -> String? {
      do {
        _ = try settings {
          $0["extensions"] = .array(
            (0..<count).map { index in
              [
                "id": .string("e\(index)"), "data": .string(String(repeating: "d", count: 8192)),
                "fail_if_unknown": false,
              ]
            })
          bend(&$0)
        }
        return nil
      } catch let error as ExpectationError { return error.isUseless ? error.member : "malformed" }
    }
    #expect(try member(extensions: 5) == nil)
    #expect(try member(extensions: 6) == "extensions")
    #expect(try member(extensions: 3) { $0["versions"] = ["1.1", "1.0"] } == "extensions")
    #expect(
      try member(extensions: 5) {
        $0["versions"] = ["1.1", "1.0"]
        var statement = $0["metadata"]?[0]?.objectValue ?? [:]
        statement["upv"] = [["major": 1, "minor": 1]]
        $0["metadata"] = [.object(statement)]
      } == nil)
    let sets = [JSONValue](repeating: [["aaid": ["FFFF#F001"]]], count: 1000)
    #expect(try member(extensions: 1) { $0["policy"] = ["accepted": .array(sets)] } == nil)
    #expect(try member(extensions: 3) { $0["policy"] = ["accepted": .array(sets)] } == "policy")
  }

  /// What the client takes for no message would end every request.
  @Test func policiesHaveTheBoundsThatClientsRead() throws {
    func member(_ criterion: JSONValue, times count: Int = 1) -> String? {
      do {
        let set = [JSONValue](repeating: criterion, count: count)
        _ = try UAFAcceptancePolicy(json: ["accepted": [.array(set)]], strict: false)
        return nil
      } catch { return error.member }
    }
    func criterion(id: Int = 1, data: Int = 0, count: Int = 1) -> JSONValue {
      let element: JSONValue = [
        "id": .string(String(repeating: "i", count: id)), "data": .string(String(repeating: "d", count: data)),
        "fail_if_unknown": false,
      ]
      return ["aaid": ["FFFF#F001"], "exts": .array([JSONValue](repeating: element, count: count))]
    }
    #expect(member(criterion(id: 32, data: 8192, count: 64)) == nil)
    for bad in [criterion(id: 33), criterion(data: 8193), criterion(count: 65), criterion(id: 0)] {
      #expect(member(bad) == "policy.accepted.0.0.exts")
    }
    #expect(member(criterion(), times: 64) == nil && member(criterion(), times: 65) == "policy.accepted.0")
  }

  /// A known extension rules nothing out, as at the client; what cannot be served is not called malformed.
  @Test func aKnownExtensionMustBeUnderstoodAndIs() throws {
    func policy(_ id: String) -> JSONValue {
      let element: JSONValue = ["id": .string(id), "data": "", "fail_if_unknown": true]
      return ["accepted": [[["aaid": ["FFFF#F001"], "exts": [element]]]]]
    }
    _ = try settings { $0["policy"] = policy("fido.uaf.uvm") }
    let useless = ExpectationError("policy.accepted.0.0", isUseless: true)
    #expect(throws: useless) { try settings { $0["policy"] = policy("org.example.own") } }
    #expect(useless.description == "policy.accepted.0.0 lets nothing succeed")
  }

  private func statement(_ aaid: String, _ minors: [Int]) throws -> JSONValue {
    var statement = try TestUAFAuthenticator().metadata()
    statement["aaid"] = .string(aaid)
    statement["upv"] = .array(minors.map { ["major": 1, "minor": .integer(Int64($0))] })
    return .object(statement)
  }

  /// A response is in one version, so a set needs models of one; and all of it is registered at once.
  @Test func aSetCanBeServedAtOnce() throws {
    func member(_ minors: [[Int]], quota: Int = 2) throws -> ExpectationError? {
      let models = try [statement("FFFF#F001", minors[0]), statement("FFFF#F002", minors[1])]
      do {
        _ = try settings {
          $0["metadata"] = .array(models)
          $0["versions"] = ["1.0", "1.1"]
          $0["policy"] = ["accepted": [[["aaid": ["FFFF#F001"]], ["aaid": ["FFFF#F002"]]]]]
          $0["quota"] = .integer(Int64(quota))
        }
        return nil
      } catch { return error as? ExpectationError }
    }
    #expect(try member([[0, 1], [1]]) == nil)
    #expect(try member([[0], [1]]) == ExpectationError("policy.accepted.0", isUseless: true))
    #expect(try member([[0, 1], [1]], quota: 1) == ExpectationError("quota", isUseless: true))
  }

  // MARK: Nodes

  /// The settings of a node in a journey's file.
  private func node(_ type: String, _ settings: JSONObject) throws -> JourneyTree {
    let end: JSONValue = "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"
    let export: JSONValue = [
      "tree": [
        "_id": "T", "entryNodeId": "uaf",
        "nodes": ["uaf": ["nodeType": .string(type), "connections": ["success": end]]],
      ], "nodes": ["uaf": .object(settings)],
    ]
    return try #require(try TreeImport().read([("file", export.serialized())]).first).tree
  }

  @Test(arguments: [
    ("transactionText", #"{"transactionText": {}}"#), ("transactionText", #"{"transactionText": ""}"#),
    ("transactionText", #"{"transactionText": {"en": ""}}"#),
    ("transactionState", #"{"transactionText": "Pay?", "transactionState": "text"}"#),
    ("transactionState", #"{"transactionState": ""}"#), ("timeout", #"{"timeout": 0}"#),
    ("aaids", #"{"aaids": []}"#),
  ]) func aNodeThatCannotWorkIsNamed(setting: String, text: String) throws {
    let settings = try #require(try JSONValue.parse(text).objectValue)
    #expect(throws: JourneyTreeError(tree: "T", .invalidSetting(step: "uaf", setting: setting))) {
      try node("UAFAuthenticationNode", settings)
    }
    guard setting == "timeout" else { return }
    for type in ["UAFRegistrationNode", "UAFDeregistrationNode"] {
      #expect(throws: JourneyTreeError.self) { try node(type, settings) }
    }
  }

  @Test func aNodeNamesModelsThatAreKnown() async throws {
    for type in ["UAFAuthenticationNode", "UAFRegistrationNode"] {
      let (known, unknown) = (try node(type, ["aaids": ["FFFF#F001"]]), try node(type, ["aaids": ["AAAA#0001"]]))
      let problem = JourneyTreeError(tree: "T", .invalidSetting(step: "uaf", setting: "aaids"))
      try settings().check([known])
      #expect(throws: problem) { try settings().check([known, unknown]) }
      await #expect(throws: AuthenticatorError.self) { try await UAFKit(journeys: [unknown]) }
      // Where no model is known the nodes end as unsupported.
      try UAFSettings().check([unknown])
    }
  }

  /// A facet that no client sends would refuse every response.
  @Test(arguments: [
    ("https://rp.example/", "https://rp.example"), ("https://RP.example:443", "https://rp.example"),
    ("HTTPS://rp.example:8443/", "https://rp.example:8443"), ("linux:exe:Org.Example", "linux:exe:Org.Example"),
  ]) func facetsAreInTheFormThatClientsSend(given: String, kept: String) async throws {
    let settings = try settings { $0["facets"] = [.string(given)] }
    #expect(settings.facets == [kept])
    var kit = try await UAFKit { $0.facets = settings.facets }
    kit.client.facetID = kept
    #expect(try await kit.register().token != nil)
  }

  @Test func aModelMustBeAbleToAttest() throws {
    func member(_ types: JSONValue, roots: [[UInt8]] = []) -> String? {
      do {
        var statement = try TestUAFAuthenticator().metadata(roots: roots)
        statement["attestationTypes"] = types
        _ = try settings { $0["metadata"] = [.object(statement)] }
        return nil
      } catch { return (error as? ExpectationError)?.member }
    }
    #expect(member([15881]) == "metadata.0.attestationTypes")
    #expect(member([15879]) == "metadata.0.attestationRootCertificates")
    #expect(member([15881, 15879]) == "metadata.0.attestationRootCertificates")
    #expect(member([15879, 15880]) == nil && member([15881, 15880]) == nil)
  }

  @Test func metadataMustBeGiven() {
    #expect(throws: ExpectationError("metadata")) { try settings { $0["metadata"] = nil } }
    #expect(throws: ExpectationError("")) { try UAFSettings(json: []) }
  }
}
