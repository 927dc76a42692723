import AuthenticatorCoding
import Glibc
import Testing
import ToolSupport

/// The tool is killed beside the attempt; and what it may not print.
extension TrustedDeviceTests {
  /// Killed between the server's success and its own record: the next verb shows one consistent state.
  @Test(arguments: ["before", "after"]) func survivesAKillBesideTheAttempt(_ moment: String) async throws {
    let bench = try await TrustedDeviceBench()
    // Requests: the password's and the two after it, then prepare and attempt.
    let counting = try await PythonServer.proxy(to: bench.port)
    try bench.person()
    _ = try await bench.login(at: counting.url)
    let before = counting.requests.count
    unlinkStore(bench)
    let proxy = try await PythonServer.proxy(to: bench.port, holding: "\(before + 2):\(moment)")
    _ = try await bench.login(at: proxy.url)
    try bench.person(Bench.touch)
    let tool = try Tool.start(bench.arguments("enroll", at: proxy.url))
    let deadline = ContinuousClock.now + .seconds(300)
    while !proxy.isHolding {
      try #require(ContinuousClock.now < deadline, "the attempt never came")
      try await Task.sleep(for: .milliseconds(10))
    }
    tool.send(SIGKILL)
    #expect(try await tool.result().status == 137)
    #expect(try await bench.keys().map { $0["state"] } == ["staged"])
    try bench.person()
    let (status, json) = try await bench.run("list", at: proxy.url)
    #expect(status == 0)
    #expect(json.arrayValue?.count == (moment == "after" ? 1 : 0))
    let states = try await bench.keys().map { $0["state"] }
    #expect(states == (moment == "after" ? ["active"] : ["staged"]))
    let check = try await Tool.run(["keys", "check", "--json"] + bench.deviceOptions)
    #expect(check.status == 0)
    let checked = try check.json().arrayValue ?? []
    #expect(checked.map { $0["protocol"] } == ["trusted-device"])
    #expect(checked.map { $0["state"] } == states)
    if moment == "after" {
      #expect(json[0]?["current"] == true)
      #expect(checked[0]["health"] == "usable")
      #expect(try await bench.run("reconcile", at: proxy.url).1["pending"] == 0)
    }
    // Either way the person can go on.
    try bench.person(Bench.touch)
    #expect(try await bench.run("enroll", at: proxy.url).0 == 0)
    _ = try await bench.run("sign-out", at: proxy.url)
    try bench.person(Bench.touch)
    #expect(try await bench.run("sign-in", at: proxy.url).0 == 0)
  }

  private func unlinkStore(_ bench: TrustedDeviceBench) {
    for name in bench.folder.contents(of: "keys") { unlink(bench.folder.file(name)) }
  }

  @Test func printsNoSecret() async throws {
    let bench = try await TrustedDeviceBench()
    let proxy = try await PythonServer.proxy(to: bench.port)
    var printed = ""
    func run(_ verb: String, _ more: String...) async throws {
      let result = try await Tool.run(
        bench.arguments(verb, more, at: proxy.url).filter { $0 != "--json" } + ["--verbose"],
        environment: ["AUTHENTICATOR_LOG": "trace"])
      printed += result.stdout + result.stderr
    }
    try bench.person(Bench.touch)
    try await run("login", "--identifier", "mira", "--password", "correct horse")
    try await run("enroll", "--hint", "hint-PLANTED")
    try await run("sign-out")
    try bench.person(Bench.touch)
    try await run("sign-in")
    try await run("list")
    try await run("revoke", "--current")
    #expect(printed.contains("trace: "))
    #expect(printed.contains("enrolled"))
    var secrets: Set<String> = ["correct horse", "hint-PLANTED"]
    for request in proxy.requests {
      for pair in (request["request"]?.stringValue ?? "").split(separator: "&") {
        let halves = pair.split(separator: "=", maxSplits: 1)
        guard halves.count == 2, ["signature", "client_data", "public_key_jwk"].contains(halves[0]) else { continue }
        secrets.insert(String(halves[1]))
      }
    }
    #expect(secrets.count > 4, "the test saw proofs")
    for secret in secrets { #expect(!printed.contains(secret)) }
  }
}
