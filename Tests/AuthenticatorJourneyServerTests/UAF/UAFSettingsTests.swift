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
    ("version", "2"), ("version", "null"), ("metadata", "null"), ("metadata", "[{}]"), ("realm", "1"),
    ("appID", "\"\""), ("facets", "[]"), ("facets", "[1]"), ("versions", "[\"1.2\"]"), ("versions", "[]"),
    ("policy", "{}"), ("enrollmentPolicy", "\"ignore\""), ("signCounterPolicy", "\"accept\""),
    ("requestLifetime", "0"), ("quota", "0"), ("transactionText", "\"€\""), ("unknown", "1"),
  ]) func namesWhatIsWrong(name: String, value: String) throws {
    let value = try JSONValue.parse(value)
    do {
      _ = try settings { $0[name] = value }
      Issue.record("\(name) was accepted")
    } catch let error as ExpectationError {
      #expect(error.member.hasPrefix(name), "\(error.member)")
    }
  }

  @Test func metadataMustBeGiven() {
    #expect(throws: ExpectationError("metadata")) { try settings { $0["metadata"] = nil } }
    #expect(throws: ExpectationError("")) { try UAFSettings(json: []) }
  }
}
