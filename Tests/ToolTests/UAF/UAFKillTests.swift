import AuthenticatorCoding
import Glibc
import Testing
import ToolSupport

/// The tool is killed in the middle of a UAF registration. Afterwards either the server knows the key and it signs in,
/// or it does not and registering works; and then both sides have one key, the same.
@Suite(.serialized) struct UAFKillTests {
  /// Two hours later as the device's clock goes, so that nothing can be under way any more.
  private func expectRecovery(_ bench: Bench, at url: String, _ what: String) async throws {
    let isKnown = try await !bench.serverKeyIDs().isEmpty
    let later = SystemMoment.milliseconds + 7_200_000
    for journey in isKnown ? ["LoginUAF"] : ["RegisterUAF", "LoginUAF"] {
      try bench.person(Bench.touch, now: later)
      let (status, json) = try await bench.run(bench.login(journey, at: url))
      #expect(status == 0, "\(what), \(journey): \(json.serializedString())")
    }
    let keys = try await bench.keys()
    #expect(keys.map { $0["state"] } == ["active"], "\(what): nothing staged, nothing retired")
    #expect(try await bench.serverKeyIDs() == Set(keys.compactMap { $0["kid"]?.stringValue }), "\(what)")
  }

  /// Requests of a registration: start, name and password, response. The key is made between the second and the third.
  @Test(arguments: ["2:after", "3:before", "3:after"])
  func betweenTwoMessages(hold: String) async throws {
    let bench = try await Bench.uaf()
    let proxy = try await PythonServer.proxy(to: bench.port, holding: hold)
    try bench.person(Bench.touch)
    let tool = try Tool.start(bench.login("RegisterUAF", at: proxy.url))
    try await waitUntil { proxy.isHolding }
    tool.send(SIGKILL)
    #expect(try await tool.result().status == 137)
    let staged = try await bench.keys().map { $0["state"] }
    #expect(staged == (hold.hasPrefix("3") ? ["staged"] : []))
    #expect(try await bench.serverKeyIDs().count == (hold == "3:after" ? 1 : 0))
    try await expectRecovery(bench, at: proxy.url, hold)
  }

  /// Nothing was made and nothing has changed: the key that was there signs.
  @Test func duringThePrompt() async throws {
    let bench = try await Bench.uaf()
    try await bench.registerUAF()
    let before = try await bench.keys()
    try bench.person(["do": "hang"])
    let tool = try Tool.start(bench.login("LoginUAF", ["--timeout", "600"]))
    let transcript = bench.folder.file("transcript")
    // A line for the registration, and another as soon as the prompt hangs.
    try await waitUntil { (TemporaryFolder.read(transcript) ?? []).filter { $0 == 0x0A }.count == 2 }
    tool.send(SIGKILL)
    #expect(try await tool.result().status == 137)
    #expect(try await bench.keys() == before)
    try await expectRecovery(bench, at: bench.url, "prompt")
  }

  /// Before every other operation on the store's files in turn, until one registration runs untouched. The device keeps
  /// the key of the time before, which its server has forgotten.
  @Test func betweenTwoFileOperations() async throws {
    let bench = try await Bench.uaf()
    let library = try await KillTests.faultLibrary(in: bench.folder)
    try await bench.registerUAF()
    var position = 0
    var (unknown, known) = (0, 0)
    while true {
      position += 2
      try #require(position < 200, "the registration never runs untouched")
      try await bench.forgetOnServer()
      try bench.person(Bench.touch)
      let result = try await Tool.run(
        bench.login("RegisterUAF"),
        environment: [
          "LD_PRELOAD": library, "STORE_FAULT_FOLDER": bench.folder.file("keys"), "STORE_FAULT_KIND": "kill-before",
          "STORE_FAULT_AT": "\(position)",
        ])
      if result.status == 0 { break }
      #expect(result.status == 137, "\(position): \(result.stdout)")
      if try await bench.serverKeyIDs().isEmpty { unknown += 1 } else { known += 1 }
      try await expectRecovery(bench, at: bench.url, "file operation \(position)")
    }
    #expect(unknown >= 4, "a registration that writes less before its response was not hit")
    #expect(known >= 1, "taking the key into use writes too")
  }
}
