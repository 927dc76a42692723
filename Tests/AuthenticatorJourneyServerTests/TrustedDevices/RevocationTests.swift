import AuthenticatorCoding
import AuthenticatorJourneyServer
import Testing

@Suite struct RevocationTests {
  @Test func aRevokedDeviceSignsNobodyIn() async throws {
    let harness = try await FrontendHarness()
    let (app, key, id) = try await harness.enrolled()
    _ = try await app.signIn()
    harness.clock.advance(by: 5)
    let revoked = try await app.send("DELETE", "me/trusted_devices/\(id)")
    #expect(revoked.status == 200)
    #expect(revoked.response["id"] == .string(id))
    #expect(revoked.response["status"] == "revoked")
    #expect(revoked.response["revoked_at"] == .integer(harness.clock.now.milliseconds))
    #expect(revoked.response["updated_at"] == revoked.response["revoked_at"])
    #expect(try await app.send("GET", "me/trusted_devices").response == [])
    // A revocation whose answer was lost may be repeated, and changes nothing more.
    harness.clock.advance(by: 5)
    #expect(try await app.send("DELETE", "me/trusted_devices/\(id)").response == revoked.response)
    _ = try await app.send("DELETE", "client/sessions")
    let begun = try await app.signIn(key, id)
    #expect(begun.status == 422)
    #expect(begun.code == "trusted_device_not_registered")
    #expect(begun.parameter == "trusted_device_id")
  }

  @Test func nobodyRevokesOrSeesAnotherUsersDevices() async throws {
    let harness = try await FrontendHarness()
    let (app, key, id) = try await harness.enrolled()
    let noor = try await harness.signedIn("noor")
    #expect(try await noor.send("GET", "me/trusted_devices").response == [])
    for name in [id, "tdc_none", String(repeating: "x", count: 65)] {
      let answer = try await noor.send("DELETE", "me/trusted_devices/\(name)")
      #expect(answer.status == 404)
      #expect(answer.code == "resource_not_found")
    }
    #expect(try await harness.app().send("DELETE", "me/trusted_devices/\(id)").code == "signed_out")
    #expect(try await app.signIn(key, id).response["status"] == "complete")
  }

  @Test func revokedOnesAreForgottenInTheEnd() async throws {
    let harness = try await FrontendHarness()
    let app = try await harness.signedIn()
    var ids: [String] = []
    for _ in 0..<23 {
      harness.clock.advance(by: 1)
      ids.append(try #require(try await app.enroll(try DeviceKey()).id))
    }
    // One is active and 20 are known to be revoked; the two oldest never were.
    let codes = try await ids.asyncMap { try await harness.app().begin($0).code }
    #expect(codes.prefix(2).allSatisfy { $0 == "form_resource_not_found" })
    #expect(codes.dropFirst(2).dropLast().allSatisfy { $0 == "trusted_device_not_registered" })
    #expect(codes.last == .some(nil))
  }
}

extension Array {
  fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
