import AuthenticatorCoding
import Testing
import ToolSupport

/// What holds before any verb does its work.
@Suite struct CommandLineTests {
  private static let verbs = [
    "serve", "login", "keys list", "keys check", "keys delete", "keys rotate", "webauthn register",
    "webauthn authenticate", "webauthn verify-registration", "webauthn verify-authentication",
    "webauthn verify-signature", "webauthn list", "webauthn delete", "webauthn confirm", "webauthn withdraw",
    "trusted-device login", "trusted-device sign-up",
    "trusted-device sign-out", "trusted-device enroll", "trusted-device availability", "trusted-device reconcile",
    "trusted-device sign-in", "trusted-device list", "trusted-device revoke", "uaf process", "uaf verify", "uaf notify",
    "uaf discover", "uaf list", "doctor",
  ]

  @Test func showsTheHelpOnRequest() async throws {
    let result = try await Tool.run(["--help"])
    #expect(result.status == 0)
    for verb in Self.verbs {
      // A long name has a line of its own.
      let isNamed = result.stdout.contains("  \(verb) ") || result.stdout.contains("  \(verb)\n")
      #expect(isNamed, "the overview names \(verb)")
    }
    let named = result.stdout.split(separator: "\n").count { $0.firstMatch(of: /^  [a-z]/) != nil }
    #expect(named == Self.verbs.count, "and no other")
    #expect(result.stderr.isEmpty)
  }

  @Test(arguments: verbs)
  func documentsEveryVerbTwice(verb: String) async throws {
    let words = verb.split(separator: " ").map(String.init)
    let help = try await Tool.run(["help"] + words)
    let option = try await Tool.run(words + ["--help"])
    #expect(help.status == 0 && option.status == 0)
    #expect(help.stdout == option.stdout)
    #expect(help.stdout.contains("usage: authenticator \(verb)"))
    #expect(help.stdout.contains("--json"))
  }

  @Test func printsItsVersion() async throws {
    let result = try await Tool.run(["--version"])
    #expect(result.status == 0)
    #expect(result.stdout.wholeMatch(of: /authenticator \d+\.\d+\.\d+\n/) != nil)
  }

  @Test func nothingAtAllIsAUsageError() async throws {
    let result = try await Tool.run([])
    #expect(result.status == 2)
    #expect(result.stdout.isEmpty)
    #expect(result.stderr.contains("usage:"))
  }

  @Test(
    arguments: [
      (["frobnicate"], "unknown verb 'frobnicate'"),
      (["keys"], "'keys' wants one of: list, check, delete, rotate"),
      (["webauthn"], "'webauthn' wants one of: register, authenticate, verify-registration"),
      (["keys", "frobnicate"], "'keys' wants one of"),
      (["help", "frobnicate"], "unknown verb 'frobnicate'"),
      (["login", "--frobnicate"], "unknown option '--frobnicate'"),
      (["login", "-x"], "unknown option '-x'"),
      (["login", "--server"], "--server needs a value"),
      (["login", "--server", "--realm", "alpha"], "--server needs a value"),
      (["login", "--server", "http://a", "--server=http://b"], "--server is given twice"),
      (["keys", "list", "--verbose", "--verbose"], "--verbose is given twice"),
      (["keys", "list", "--verbose=yes"], "--verbose takes no value"),
      (["keys", "list", "extra"], "unexpected argument 'extra'"),
      (["keys", "list", "--store="], "--store is empty"),
      (["keys", "delete"], "TAG is missing"),
      (["keys", "check", "--journey", "X"], "--server is missing"),
      (["keys", "rotate"], "--server is missing"),
      (["login"], "--server is missing"),
      (["keys", "check", "--answer", "x=y"], "--server is missing; --answer says nothing without it"),
      (["keys", "check", "--reconcile"], "--server is missing; --reconcile says nothing without it"),
      (["keys", "check", "--no-session", "--server", "http://127.0.0.1:1"], "checking needs a session"),
      (["doctor", "--timeout", "abc"], "--server is missing; --timeout says nothing without it"),
      (["doctor", "--ca", "/nope"], "--server is missing; --ca says nothing without it"),
      (["doctor", "--realm", "../x"], "--server is missing; --realm says nothing without it"),
      (["doctor", "--timeout", "abc", "--server", "http://127.0.0.1:1"], "--timeout wants a whole number"),
      (["--json=no", "keys", "list"], "options follow the verb: authenticator VERB --json=no"),
      (["--verbose", "keys", "list"], "options follow the verb: authenticator VERB --verbose"),
      (["serve", "--application-id="], "--application-id is empty"),
      (["serve", "--host", "localhost"], "--host wants a numeric address, not 'localhost'"),
      (["serve", "--host="], "--host is empty"),
      (["serve", "--port", "65536"], "--port wants a whole number from 0 to 65535"),
      (["serve", "--port", "http"], "--port wants a whole number"),
      (["login", "--server", "example.com"], "--server: the URL has no scheme"),
      (["uaf", "list", "--facet", "a:b", "--server", "example.com"], "--server: the URL has no scheme"),
      (["trusted-device", "list", "--server", "example.com"], "--server: the URL has no scheme"),
    ])
  func namesTheWordAtFault(arguments: [String], message: String) async throws {
    let plain = try await Tool.run(arguments)
    #expect(plain.status == 2)
    #expect(plain.stderr.contains(message))
    #expect(plain.stderr.split(separator: "\n").count == 1, "one clear line")
    #expect(plain.stdout.isEmpty)
  }

  /// Standard input can be read once, by what reads a file from its beginning to its end.
  @Test(
    arguments: [
      (["uaf", "process", "--message", "-", "--channel-binding", "-"], "--message and --channel-binding cannot both"),
      (["uaf", "process", "--message", "-", "--authenticators=-"], "--message and --authenticators cannot both"),
      (
        ["uaf", "process", "--device", "scripted:-", "--channel-binding", "-"], "--channel-binding and --device cannot"
      ),
      (["uaf", "discover", "--authenticators", "-", "--device", "scripted:-"], "--authenticators and --device cannot"),
      (["uaf", "notify", "--response", "-", "--device=scripted:-"], "--response and --device cannot both"),
      (["uaf", "verify", "--request", "-", "--response", "r", "--expect", "-"], "--request and --expect cannot both"),
      (["uaf", "process", "--ca", "-"], "--ca cannot be standard input"),
      (["uaf", "list", "--store", "-"], "--store cannot be standard input"),
      (["login", "--session-file", "-"], "--session-file cannot be standard input"),
      (["login", "--installation", "-"], "--installation cannot be standard input"),
      (["login", "--authenticators", "-", "--attestation-key", "-"], "--attestation-key and --authenticators cannot"),
      (["keys", "list", "--pam-folder=-"], "--pam-folder cannot be standard input"),
      (["webauthn", "register", "--options", "-", "--attestation-chain", "-"], "cannot both be standard input"),
      (["webauthn", "verify-registration", "--metadata-roots", "-", "--metadata-roots", "-"], "cannot twice be"),
      (["webauthn", "verify-registration", "--expect", "-", "--metadata", "-"], "--expect and --metadata cannot both"),
      (["trusted-device", "login", "--password-file", "-", "--device", "scripted:-"], "cannot both be standard input"),
      (["trusted-device", "list", "--ca", "-"], "--ca cannot be standard input"),
      (["serve", "--users", "-", "--uaf", "-"], "--users and --uaf cannot both be standard input"),
      (["serve", "--trusted-devices", "-", "--trust-store", "a=-"], "cannot both be standard input"),
      (["serve", "--registry", "-"], "--registry cannot be standard input"),
      (["serve", "--journeys", "-"], "--journeys cannot be standard input"),
      (["doctor", "--ca", "-"], "--ca cannot be standard input"),
    ])
  func standardInputIsReadOnce(arguments: [String], message: String) async throws {
    let result = try await Tool.run(arguments, input: "{}")
    #expect(result.status == 2 && result.stdout.isEmpty)
    #expect(result.stderr.contains(message), "\(result.stderr)")
    #expect(result.stderr.split(separator: "\n").count == 1, "one clear line")
  }

  /// An option that says nothing to a verb is unknown to it, and its help does not show it.
  @Test(
    arguments: [
      ("keys list", ["--authenticator", "--app-id", "--device-name"], ["--store", "--pam-service"]),
      ("keys delete", ["--authenticator", "--app-id", "--device-name", "--pam-service", "--pam-folder"], ["--store"]),
      ("webauthn register", ["--app-id", "--device-name"], ["--authenticator", "--pam-service"]),
      ("webauthn authenticate", ["--app-id", "--device-name"], ["--authenticator", "--pam-service"]),
      ("webauthn list", ["--authenticator", "--app-id", "--device-name", "--pam-service"], ["--store", "--device"]),
      ("webauthn delete", ["--authenticator", "--app-id", "--device-name", "--pam-folder"], ["--store", "--device"]),
      ("webauthn confirm", ["--authenticator", "--app-id", "--device-name", "--pam-folder"], ["--store", "--device"]),
      (
        "webauthn withdraw", ["--authenticator", "--app-id", "--device-name", "--pam-folder"], ["--store", "--device"]
      ),
      (
        "uaf list", ["--authenticator", "--app-id", "--device-name", "--pam-service"], ["--authenticators", "--device"]
      ),
      ("uaf notify", ["--authenticator", "--app-id", "--pam-service", "--ca"], ["--authenticators", "--device"]),
      ("uaf process", ["--authenticator", "--app-id", "--device-name"], ["--ca", "--pam-service"]),
    ])
  func optionsWithoutEffectAreUnknown(verb: String, unknown: [String], known: [String]) async throws {
    let words = verb.split(separator: " ").map(String.init)
    let help = try await Tool.run(words + ["--help"]).stdout
    for option in known { #expect(help.contains("\n  \(option) "), "\(option)") }
    for option in unknown { #expect(!help.contains("\n  \(option) "), "\(option)") }
    for option in [unknown.first, unknown.last].compactMap(\.self) {
      let result = try await Tool.run(words + [option, "x"])
      #expect(result.status == 2 && result.stderr.contains("unknown option '\(option)'"))
    }
  }

  @Test(arguments: ["--authenticator", "--app-id", "--device-name"])
  func whatShapesASignInNeedsAServer(option: String) async throws {
    let result = try await Tool.run(["keys", "check", option, "pin"])
    #expect(result.status == 2)
    #expect(result.stderr.contains("--server is missing; \(option) says nothing without it"))
  }

  /// Identifiers in base64url begin with a dash once in 64 times, and with two once in 4,096 times.
  @Test(arguments: ["-vv8DWDsSkU7OwlsWUhmEFK34ltse_Br9u7mQswv-5w", "--v8DWDsSkU7OwlsWUhmEFK34ltse_Br9u7mQswv-5w"])
  func anIdentifierMayBeginWithDashes(id: String) async throws {
    let folder = try TemporaryFolder()
    let store = ["--store", folder.file("keys.sqlite"), "--allow-software-keys", "--json"]
    for words in [
      ["webauthn", "delete", id], ["webauthn", "delete", "--", id], ["webauthn", "delete", "--credential", id],
      ["webauthn", "delete", "--credential=" + id], ["keys", "delete", id],
    ] {
      let result = try await Tool.run(Array(words[..<2]) + store + Array(words[2...]))
      #expect(result.status == 1, "\(words) means something that is not there")
      #expect(try result.json()["error"] != "usage")
    }
  }

  @Test(
    arguments: [
      (["webauthn", "delete", "--forse"], "unknown option '--forse'"),
      (["webauthn", "delete", "-force"], "unknown option '-force'"),
      (["webauthn", "delete", "-f"], "unknown option '-f'"),
      (["webauthn", "delete", "AA", "-vv8DWDs"], "unknown option '-vv8DWDs'"),
      (["webauthn", "delete", "--credential", "--forse"], "--credential needs a value"),
    ])
  func aMisspelledOptionIsNoOperand(arguments: [String], message: String) async throws {
    let result = try await Tool.run(arguments)
    #expect(result.status == 2 && result.stdout.isEmpty)
    #expect(result.stderr.contains(message))
  }

  @Test(arguments: [("login", "Login"), ("keys check", "Login"), ("keys rotate", "BindDevice")])
  func namesTheJourneyThatIsWalkedUnlessToldOtherwise(verb: String, journey: String) async throws {
    let help = try await Tool.run(["help"] + verb.split(separator: " ").map(String.init))
    #expect(help.stdout.contains("the journey to walk (default \(journey))"))
  }

  @Test func usageErrorsAreJSONOnRequest() async throws {
    let result = try await Tool.run(["login", "--frobnicate", "--json"])
    #expect(result.status == 2)
    let json = try result.json()
    #expect(json["error"] == "usage")
    #expect(json["stage"] == "arguments")
    #expect(json["outcome"] == "failure" && json["session"] == .null && json["steps"] == [])
    #expect(json["message"]?.stringValue?.contains("--frobnicate") == true)
    #expect(result.stderr.isEmpty)
  }
}
