import AuthenticatorCoding
import TestMachine
import Testing
import ToolSupport

/// Binding where nothing can be written any more.
@Suite(.enabled(if: Skips.unless(SmallDisk.isPossible), "nothing can be mounted")) struct FullDiskTests {
  /// Whatever room is left, down to none: the bind succeeds or is refused as a whole, and the old key signs.
  @Test(arguments: ["BindDevice", "BindDevicePIN"]) func aBindIsRefusedAndTheOldKeySigns(journey: String) async throws {
    let bench = try await Bench()
    let disk = try SmallDisk(bytes: 256 * 1024)
    defer { disk.unmount() }
    let store = disk.file("keys.sqlite")
    func run(_ journey: String) async throws -> (Int32, JSONValue) {
      try bench.person(journey == "BindDevicePIN" ? Bench.pin("271828") : Bench.touch)
      return try await bench.run(bench.login(journey).map { $0 == bench.store ? store : $0 })
    }
    #expect(try await run("BindDevice").0 == 0)
    func tags(_ state: JSONValue) async throws -> [JSONValue?] {
      let (_, json) = try await bench.run(["keys", "list", "--store", store, "--json"])
      return (json.arrayValue ?? []).filter { $0["state"] == state }.map { $0["tag"] }
    }
    let old = try await tags("active")
    #expect(old.count == 1)

    var refusals = 0
    for room in [0, 20_480] {
      try disk.fill(leaving: room)
      let (status, json) = try await run(journey)
      if status == 0 {
        try disk.free()
        break
      }
      refusals += 1
      #expect(json["ceremonies"]?[0]?["result"] == "storageFailed", "\(room): \(json.serializedString())")
      #expect(json["session"] == .null)
      #expect(try await tags("active") == old, "\(room)")
      #expect(try await run("SignDevice").0 == 0, "\(room): the old key signs on the full disk")
      try disk.free()
    }
    #expect(refusals > 0)
    let (status, json) = try await run(journey)
    #expect(status == 0, "\(json.serializedString())")
    #expect(try await tags("staged") == [])
    if journey == "BindDevice" { #expect(try await run("SignDevice").0 == 0) }
  }
}
