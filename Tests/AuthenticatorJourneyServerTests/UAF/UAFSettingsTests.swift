import AuthenticatorCoding
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
      $0["requestLifetime"] = 60
      $0["quota"] = 3
      $0["transactionText"] = "Pay?"
    }
    #expect(settings.realm == Realm("/alpha") && settings.appID == "https://rp.example/uaf/facets")
    #expect(settings.facets == ["https://rp.example"] && settings.versions == [.uaf11, .uaf10])
    #expect(settings.policy == UAFAcceptancePolicy(anyOf: ["FFFF#F001"]))
    #expect(settings.enrollmentPolicy == .accept && settings.signCounterPolicy == .flag)
    #expect(settings.requestLifetime == .seconds(60) && settings.quota == 3 && settings.transactionText == "Pay?")
    #expect(settings.models["FFFF#F001"] != nil)
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
  ]) func namesWhatIsWrong(name: String, value: String) throws {
    let value = try JSONValue.parse(value)
    do {
      _ = try settings { $0[name] = value }
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
