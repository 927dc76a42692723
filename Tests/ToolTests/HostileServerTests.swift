import AuthenticatorCoding
import Testing
import ToolSupport

/// `login` at a server that wants to exhaust it: a typed error, at most 64 MiB, and no later than the time limit.
@Suite struct HostileServerTests {
  private static let mostMemory = 64 << 20

  /// How each attack ends.
  private static let attacks = [
    "endless": "invalidMessage", "announced": "invalidMessage", "deep": "invalidMessage", "callbacks": "invalidMessage",
    "values": "invalidMessage", "arrays": "invalidMessage", "members": "invalidMessage", "text": "invalidMessage",
    "escapes": "invalidMessage", "fields": "invalidMessage", "interim": "invalidMessage", "steps": "invalidMessage",
    "drip": "timedOut",
  ]

  @Test(arguments: attacks.keys.sorted()) func endsSoonAndInLittleMemory(attack: String) async throws {
    let server = try await PythonServer.hostile(attack)
    let folder = try TemporaryFolder()
    let timeout = attack == "drip" ? ["--timeout", "1"] : []
    let result = try await Tool.run(
      ["login", "--server", server.url, "--json"] + timeout, measuring: folder.file("peak"))
    let json = try result.json()
    #expect([1, 3].contains(result.status))
    #expect(json["outcome"] == "failure")
    #expect(json["code"] == Self.attacks[attack].map(JSONValue.string), "\(result.stdout)")
    let peak = Int(String(decoding: try #require(TemporaryFolder.read(folder.file("peak"))), as: UTF8.self)) ?? .max
    #expect(peak < Self.mostMemory, "\(peak >> 20) MiB")
    #expect(peak > 4 << 20, "it was really measured")
  }
}
