import AuthenticatorCoding
import AuthenticatorRelyingParty
import TestUAF
import Testing

/// Messages that have a client delete keys.
@Suite struct UAFDeregistrationTests {
  private let ceremony: UAFCeremony

  init() throws { ceremony = try UAFCeremony() }

  @Test func aDeregistrationNamesKeys() throws {
    let record = try ceremony.record()
    let json = try JSONValue.parse(try ceremony.prepared().deregistrationRequest(for: [record]))
    #expect(json[0]?["header"]?["op"] == "Dereg" && json[0]?["header"]?["serverData"] == nil)
    #expect(json[0]?["authenticators"] == [["aaid": "FFFF#F001", "keyID": .string(record.keyIDText)]])
    #expect(throws: UAFRelyingParty.RequestError.noKeys) { try ceremony.prepared().deregistrationRequest(for: []) }
  }

  /// As the other requests do; a key whose model is not known any more goes in whatever version the client has.
  @Test func aDeregistrationNamesAKeyInTheVersionsOfItsModel() throws {
    var old = try TestUAFAuthenticator()
    old.aaid = "FFFF#F002"
    var statement = old.metadata()
    statement["upv"] = [["major": 1, "minor": 0]]
    var party = try ceremony.prepared()
    party.models = try UAFModels(json: [.object(try TestUAFAuthenticator().metadata()), .object(statement)])
    party.versions = [.uaf11, .uaf10]
    func entries(_ aaids: String...) throws -> [[String]] {
      let records = try aaids.map { aaid in
        var record = try ceremony.record()
        record.aaid = aaid
        return record
      }
      let json = try JSONValue.parse(try party.deregistrationRequest(for: records))
      return (json.arrayValue ?? []).map { entry in
        (entry["authenticators"]?.arrayValue ?? []).compactMap { $0["aaid"]?.stringValue }
      }
    }
    #expect(try entries("FFFF#F001", "FFFF#F002") == [["FFFF#F001"], ["FFFF#F001", "FFFF#F002"]])
    #expect(try entries("FFFF#F002") == [["FFFF#F002"]])
    #expect(try entries("FFFF#F0FF", "FFFF#F002") == [["FFFF#F0FF"], ["FFFF#F0FF", "FFFF#F002"]])
  }
}
