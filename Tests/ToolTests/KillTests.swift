import AuthenticatorCoding
import Glibc
import Testing
import ToolSupport

/// The tool is killed in the middle of binding anew. Nothing half-made remains after recovery, and at every moment a
/// key works.
@Suite(.serialized) struct KillTests {
  /// A key signs in now, whatever was left; then everything is settled, two hours later as the device's clock goes.
  private func expectRecovery(_ bench: Bench, at url: String, _ what: String) async throws {
    let active = try await bench.keys().filter { $0["state"] == "active" }
    #expect(active.count == 1, "\(what)")
    try bench.person(Bench.touch)
    let sign = try await bench.run(bench.login("SignDevice", at: url))
    #expect(sign.0 == 0, "\(what): \(sign.1.serializedString())")

    try bench.person(now: SystemMoment.milliseconds + 7_200_000)
    let check = try await bench.run(
      ["keys", "check", "--reconcile", "--server", url, "--answer", "NameCallback=mira", "--answer"]
        + ["PasswordCallback=correct horse", "--json"] + bench.deviceOptions)
    #expect(check.0 == 0, "\(what): \(check.1.serializedString())")
    let left = check.1["keys"]?.arrayValue ?? []
    #expect(left.map { $0["state"] } == ["active"], "\(what): nothing staged, nothing retired")
    #expect(left.map { $0["server"] } == ["listed"], "\(what): both sides agree")
    try bench.person(Bench.touch)
    #expect(try await bench.run(bench.login("SignDevice", at: url)).0 == 0, "\(what): and it signs")
  }

  /// Requests of a bind: start, name and password, proof.
  @Test(arguments: ["1:before", "2:before", "2:after", "3:before", "3:after"])
  func betweenTwoMessages(hold: String) async throws {
    let bench = try await Bench()
    // The requests before the re-bind: three to bind.
    let parts = hold.split(separator: ":")
    let number = try #require(Int(parts[0])) + 3
    let proxy = try await PythonServer.proxy(to: bench.port, holding: "\(number):\(parts[1])")
    try bench.person(Bench.touch)
    #expect(try await bench.run(bench.login("BindDevice", at: proxy.url)).0 == 0)

    try bench.person(Bench.touch)
    let tool = try Tool.start(bench.login("BindDevice", at: proxy.url))
    try await waitUntil { proxy.isHolding }
    tool.send(SIGKILL)
    #expect(try await tool.result().status == 137)
    try await expectRecovery(bench, at: proxy.url, hold)
  }

  /// Requests of a rotation after its success, each until the server is asked no more: the old key's removal, and
  /// what goes with it.
  @Test func betweenTheMessagesAfterSuccess() async throws {
    var isUntouched = false
    var lastHit = 0
    // A bind and a rotation take six requests up to success.
    for number in 7..<20 where !isUntouched {
      for moment in ["before", "after"] where !isUntouched {
        let bench = try await Bench()
        let proxy = try await PythonServer.proxy(to: bench.port, holding: "\(number):\(moment)")
        try bench.person(Bench.touch)
        #expect(try await bench.run(bench.login("BindDevice", at: proxy.url)).0 == 0)
        try bench.person(Bench.touch)
        let tool = try Tool.start(
          ["keys", "rotate", "--server", proxy.url, "--journey", "BindDevice", "--allow-software-keys", "--json"]
            + ["--answer", "NameCallback=mira", "--answer", "PasswordCallback=correct horse"] + bench.deviceOptions)
        try await waitUntil { proxy.isHolding || tool.hasEnded }
        isUntouched = !proxy.isHolding
        tool.send(SIGKILL)
        #expect(try await tool.result().status == (isUntouched ? 0 : 137))
        // Past the last request it is the recovery that would be held.
        guard !isUntouched else { break }
        try await expectRecovery(bench, at: proxy.url, "\(number):\(moment)")
        lastHit = number
      }
    }
    #expect(isUntouched && lastHit >= 8, "a rotation asks more than this")
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func aSignalDuringAPromptUndoesWhatWasBegun(signal: Int32) async throws {
    let bench = try await Bench()
    try bench.person(Bench.touch)
    try await bench.bind()
    let before = try await bench.keys()
    try bench.person(["do": "hang"])
    let tool = try Tool.start(bench.login("BindDevice", ["--timeout", "600"]))
    // The transcript has a line for the first bind, and another as soon as the prompt hangs.
    let transcript = bench.folder.file("transcript")
    try await waitUntil { (TemporaryFolder.read(transcript) ?? []).filter { $0 == 0x0A }.count == 2 }
    tool.send(signal)
    let result = try await tool.result()
    #expect(result.status == 128 + signal)
    let outcome = try result.json()
    #expect(outcome["outcome"] == "failure" && outcome["code"] == "appCanceled")
    #expect(outcome["message"] == "ended by a signal")
    #expect(outcome["ceremonies"]?[0]?["result"] == "appCanceled")
    #expect(try await bench.keys() == before, "nothing is staged, and the old key is as it was")
  }

  @Test func aBindingClearsWhatKilledOnesLeft() async throws {
    let bench = try await Bench()
    let transcript = bench.folder.file("transcript")
    for number in 1...2 {
      try bench.person(["do": "hang"])
      let tool = try Tool.start(bench.login("BindDevice", ["--timeout", "600"]))
      try await waitUntil { (TemporaryFolder.read(transcript) ?? []).filter { $0 == 0x0A }.count == number }
      tool.send(SIGKILL)
      #expect(try await tool.result().status == 137)
    }
    #expect(try await bench.keys().map { $0["state"] } == ["staged", "staged"])
    try bench.person(Bench.touch)
    try await bench.bind()
    #expect(try await bench.keys().map { $0["state"] } == ["active"])
  }

  /// Before each operation on the store's files in turn, until one re-bind runs untouched.
  @Test func betweenTwoFileOperations() async throws {
    let bench = try await Bench()
    let library = try await Self.faultLibrary(in: bench.folder)
    var position = 0
    var kills = 0
    while true {
      position += 1
      try #require(position < 200, "the re-bind never runs untouched")
      for name in bench.folder.contents(of: "keys") { unlink(bench.folder.file(name)) }
      try bench.person(Bench.touch)
      try await bench.bind()
      try bench.person(Bench.touch)
      let result = try await Tool.run(
        bench.login("BindDevice"),
        environment: [
          "LD_PRELOAD": library, "STORE_FAULT_FOLDER": bench.folder.file("keys"), "STORE_FAULT_KIND": "kill-before",
          "STORE_FAULT_AT": "\(position)",
        ])
      if result.status == 0 { break }
      #expect(result.status == 137, "\(position): \(result.stdout)")
      kills += 1
      try await expectRecovery(bench, at: bench.url, "file operation \(position)")
    }
    #expect(kills >= 4, "a bind that writes less was not hit")
  }

  /// The library of the store's fault tests, compiled for this one.
  static func faultLibrary(in folder: TemporaryFolder) async throws -> String {
    let path = #filePath
    let tests = path[..<(path.range(of: "/ToolTests/")?.lowerBound ?? path.endIndex)]
    let library = folder.file("faults.so")
    let source = tests + "/AuthenticatorSQLiteTests/Faults/faults.c"
    let compiler = try ChildProcess("cc", ["-shared", "-fPIC", "-O1", "-o", library, String(source)])
    let result = try await compiler.result()
    try #require(result.status == 0, "\(result.stderr)")
    return library
  }
}

/// The machine's clock.
enum SystemMoment {
  static var milliseconds: Int64 {
    var moment = timespec()
    clock_gettime(CLOCK_REALTIME, &moment)
    return Int64(moment.tv_sec) * 1000
  }
}
