import AuthenticatorCoding
import Glibc
import TestMachine
import Testing
import ToolSupport

/// With everything logged that can be, no secret stands in what the tool prints or keeps.
@Suite struct SecrecyTests {
  private static let password = "corr3ct-h0rse-battery"
  private static let pin = "31415926"

  /// Everything secret that went over the wire: step tokens, challenges, proofs, session tokens.
  private func secrets(_ requests: [JSONValue]) throws -> [String: Set<String>] {
    var found: [String: Set<String>] = [:]
    for request in requests {
      for body in [request["request"], request["answer"]] {
        guard let text = body?.stringValue, let json = try? JSONValue.parse(text) else { continue }
        for name in ["authId", "tokenId"] {
          found[name, default: []].formUnion(json[name]?.stringValue.map { [$0] } ?? [])
        }
        for callback in json["callbacks"]?.arrayValue ?? [] {
          for entry in (callback["output"]?.arrayValue ?? []) + (callback["input"]?.arrayValue ?? []) {
            guard let name = entry["name"]?.stringValue, let value = entry["value"]?.stringValue, value.count > 8 else {
              continue
            }
            if name == "challenge" { found["challenge", default: []].insert(value) }
            if name.hasSuffix("jws") { found["jws", default: []].insert(value) }
          }
        }
      }
    }
    return found
  }

  @Test func nothingSecretIsPrintedOrKept() async throws {
    let folder = try TemporaryFolder()
    try folder.write("users.json", #"[{"username": "mira", "password": "\#(Self.password)"}]"#)
    let trace: [String: String?] = ["AUTHENTICATOR_LOG": "trace"]
    let server = try Tool.start(
      ["serve", "--port", "0", "--users", folder.file("users.json"), "--registry", folder.file("registry.sqlite")]
        + ["--json"], environment: trace)
    let url = try #require(try JSONValue.parse(try await server.firstLine())["url"]?.stringValue)
    let port = try #require(url.split(separator: ":").last?.split(separator: "/").first.flatMap { Int($0) })
    let proxy = try await PythonServer.proxy(to: port)

    var printed = ""
    func run(_ verb: [String], _ journey: String, _ steps: JSONValue...) async throws -> Int32 {
      let device: JSONValue = [
        "version": 1, "sensor": "fingerprint", "enrolled": ["a"], "passcode": "48291377",
        "state": .string(folder.file("device.state")), "transcript": .string(folder.file("transcript")),
        "steps": .array(steps),
      ]
      try folder.write("device.json", device.serializedString())
      let result = try await Tool.run(
        verb + ["--server", proxy.url, "--journey", journey, "--answer", "NameCallback=mira", "--answer"]
          + ["PasswordCallback=\(Self.password)", "--store", folder.file("keys.sqlite"), "--allow-software-keys"]
          + ["--device", "scripted:" + folder.file("device.json"), "--verbose"], environment: trace)
      printed += result.stdout + result.stderr
      return result.status
    }
    let pin: JSONValue = ["do": "pin", "value": .string(Self.pin)]
    #expect(try await run(["login"], "BindDevicePIN", pin) == 0)
    #expect(try await run(["login"], "SignDevice", pin) == 0)
    #expect(try await run(["login"], "SignDevice", ["do": "pin", "value": "99999999"], pin) == 0)
    #expect(try await run(["login"], "BindDevice", ["do": "fallback"], ["do": "passcode", "value": "48291377"]) == 0)
    #expect(try await run(["login"], "BindDevice", ["do": "cancel"]) == 1)
    #expect(try await run(["keys", "rotate"], "BindDevice", ["do": "match"]) == 0)
    #expect(try await run(["keys", "check"], "Login") == 0)
    server.send(SIGTERM)
    let served = try await server.result()
    #expect(served.status == 0)
    #expect(printed.contains("trace: "), "it was really logged")
    #expect(printed.contains("/users/…/devices/"))
    #expect(!printed.contains("/users/mira"), "an address names nobody")
    #expect(served.stderr.contains("trace: "), "by the server too")

    var planted: [String: Set<String>] = try secrets(proxy.requests)
    for name in ["authId", "tokenId", "challenge", "jws"] {
      #expect(planted[name]?.isEmpty == false, "the test saw a \(name)")
    }
    planted["password"] = [Self.password]
    planted["PIN"] = [Self.pin, "99999999"]
    planted["passcode"] = ["48291377"]
    var places: [(String, [UInt8])] = [
      ("output of the client", Array(printed.utf8)),
      ("output of the server", Array((served.stdout + served.stderr).utf8)),
    ]
    for name in folder.contents() where name != "users.json" && name != "device.json" {
      places.append((name, TemporaryFolder.read(folder.file(name)) ?? []))
    }
    #expect(places.contains { $0.0 == "keys.sqlite" } && places.contains { $0.0 == "registry.sqlite" })
    for (place, bytes) in places {
      for (name, values) in planted {
        for value in values { #expect(!bytes.contains(Array(value.utf8)), "\(place) holds a \(name)") }
      }
    }
  }
}
