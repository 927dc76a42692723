import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorTestSupport
import DeviceAuthenticators
import Foundation
import TestMachine
import Testing

extension ScriptedUserVerifierTests {
  // MARK: Its files

  @Test func theStateFileLocksByTheRuleOfTheDescription() async throws {
    let folder = try TemporaryFolder()
    for (failures, expected) in [(4, "fingerprint"), (5, "lockedOut"), (7, "lockedOut")] {
      var device = ScriptedDevice(
        sensor: .fingerprint, enrolled: ["right"], failedAttempts: failures, steps: [.match()])
      let described = try ScriptedUserVerifier(device, environment: environment.environment)
      #expect(await outcome(described, Self.biometric) == expected)
      device.failedAttempts = 0
      device.state = try folder.write(
        #"{"version": 1, "failedAttempts": \#(failures), "lockedOut": false, "enrolled": ["right"]}"#, to: "state.json")
      let stored = try ScriptedUserVerifier(device, environment: environment.environment)
      #expect(await outcome(stored, Self.biometric) == expected)
    }
  }

  @Test func countsThatNoDeviceReachesAreRefusedInAFileAndHeldInCode() async throws {
    let folder = try TemporaryFolder()
    var device = ScriptedDevice(sensor: .fingerprint, enrolled: ["right"], passcode: "482913")
    device.state = try folder.write(
      #"{"version": 1, "failedAttempts": 9223372036854775807, "enrolled": ["right"]}"#, to: "state.json")
    #expect(throws: ScriptedDeviceError.self) { try ScriptedUserVerifier(device, environment: environment.environment) }
    for count in [Int.max, .min] {
      let verifier = try verifier(.mismatch, .passcode("1"), .passcode("482913"), failedAttempts: count)
      #expect(verifier.isLockedOut == (count > 0))
      #expect(await outcome(verifier, Self.both) == "passcode")
      #expect(verifier.failedAttempts == 0)
    }
  }

  @Test func aTranscriptThatCannotBeWrittenIsRefusedByName() throws {
    let folder = try TemporaryFolder()
    for path in [folder.file("missing/transcript"), folder.path] {
      var device = ScriptedDevice(sensor: .fingerprint, enrolled: ["right"])
      device.transcript = path
      do {
        _ = try ScriptedUserVerifier(device, environment: environment.environment)
        Issue.record("it was accepted")
      } catch let error as ScriptedDeviceError {
        #expect(error.description.hasPrefix(path))
      }
    }
  }

  @Test func aStateThatCannotBeReplacedIsRefusedByName() throws {
    guard geteuid() != 0 else { return try refusesAStateOnAReadOnlyDisk() }
    let folder = try TemporaryFolder()
    let state = try folder.write(#"{"version": 1, "enrolled": ["right"]}"#, to: "state.json")
    chmod(folder.path, 0o500)
    defer { chmod(folder.path, 0o700) }
    try expectRefusal(of: state)
  }

  /// Modes do not bind root.
  private func refusesAStateOnAReadOnlyDisk() throws {
    guard Skips.unless(SmallDisk.isPossible) else { return }
    let disk = try SmallDisk(bytes: 65536)
    defer { disk.unmount() }
    try Data(#"{"version": 1, "enrolled": ["right"]}"#.utf8).write(to: URL(fileURLWithPath: disk.file("state.json")))
    try disk.makeReadOnly()
    try expectRefusal(of: disk.file("state.json"))
  }

  private func expectRefusal(of state: String) throws {
    var device = ScriptedDevice(sensor: .fingerprint, enrolled: ["right"])
    device.state = state
    do {
      _ = try ScriptedUserVerifier(device, environment: environment.environment)
      Issue.record("it was accepted")
    } catch let error as ScriptedDeviceError {
      #expect(error.description.hasPrefix(state))
    }
  }

  @Test func aFileThatFailsDuringAPromptIsNoFaultOfTheSensor() async throws {
    let folder = try TemporaryFolder()
    for name in ["transcript", "state"] {
      var device = ScriptedDevice(sensor: .fingerprint, enrolled: ["right"], steps: [.mismatch, .match(), .match()])
      if name == "state" { device.state = folder.file(name) } else { device.transcript = folder.file(name) }
      let verifier = try ScriptedUserVerifier(device, environment: environment.environment)
      // A folder takes the file's place: nobody writes that.
      try FileManager.default.removeItem(atPath: folder.file(name))
      try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
      do {
        _ = try await verifier.verify(request(), by: Self.biometric)
        Issue.record("it succeeded")
      } catch let error as AuthenticatorError {
        #expect(error.code == .storageFailed)
        #expect(error.reason.hasPrefix(folder.file(name)))
      }
      #expect(verifier.prompts.last?.result == "storageFailed")
      try FileManager.default.removeItem(atPath: folder.file(name))
      #expect(await outcome(verifier, Self.biometric) == "fingerprint", "the next prompt is shown")
    }
  }

  // MARK: Files

  @Test func theTranscriptHasALineForEveryPrompt() async throws {
    let folder = try TemporaryFolder()
    var device = ScriptedDevice(sensor: .fingerprint, enrolled: ["a"], passcode: "482913")
    device.transcript = folder.file("transcript.jsonl")
    device.steps = [.match(), .passcode("482913"), .hang]
    let verifier = try ScriptedUserVerifier(device, environment: environment.environment)
    var prompt = Prompt(reason: "Why \"so\"?", cancelTitle: "No", fallbackTitle: "Ja ☎︎")
    prompt.lines = [Prompt.Line(label: "Account", text: "alice")]
    _ = try await verifier.verify(request(prompt), by: Self.biometric)
    _ = try await verifier.verify(request(), by: Self.passcode)
    let hangingRequest = request()
    let hanging = Task { try await verifier.verify(hangingRequest, by: Self.biometric) }
    while try folder.lines(of: "transcript.jsonl").count < 3 { await Task.yield() }
    hanging.cancel()
    verifier.releaseHanging()
    _ = await hanging.result

    let lines = try folder.lines(of: "transcript.jsonl").prefix(3).map { try JSONValue.parse($0) }
    #expect(
      lines[0] == [
        "kind": "biometric", "reason": "Why \"so\"?", "cancelTitle": "No", "fallbackTitle": "Ja ☎︎",
        "content": "Account: alice", "options": nil, "result": "success",
      ])
    #expect(
      lines[1] == [
        "kind": "passcode", "reason": "Why", "cancelTitle": "No", "fallbackTitle": nil, "content": nil,
        "options": nil, "result": "success",
      ])
    #expect(lines[2]["result"] == .null)
    #expect(try !folder.lines(of: "transcript.jsonl").joined().contains("482913"))
  }

  @Test func stateLivesOnFromRunToRun() async throws {
    let folder = try TemporaryFolder()
    var device = ScriptedDevice(sensor: .fingerprint, enrolled: ["a"], passcode: "482913", failedAttempts: 2)
    device.state = folder.file("state.json")
    device.steps = [.mismatch, .mismatch, .enroll("b"), .mismatch]
    let first = try ScriptedUserVerifier(device, environment: environment.environment)
    #expect(try folder.lines(of: "state.json").count == 1)
    #expect(await outcome(first, Self.biometric) == "lockedOut")

    device.steps = [.passcode("482913")]
    device.enrolled = []
    let second = try ScriptedUserVerifier(device, environment: environment.environment)
    #expect(second.isLockedOut)
    #expect(second.failedAttempts == 5)
    #expect(await outcome(second, Self.both) == "passcode")

    device.steps = [.match(finger: "b")]
    let third = try ScriptedUserVerifier(device, environment: environment.environment)
    #expect(third.failedAttempts == 0)
    #expect(await outcome(third, Self.biometric) == "fingerprint")
  }

  @Test(arguments: [
    "", "x", "{}", #"{"version": 2}"#, #"{"version": 1, "enroled": []}"#, #"{"version": 1, "enrolled": 1}"#,
    #"{"version": 1, "enrolled": ["a", 1]}"#,
  ])
  func aDamagedStateIsRefused(_ content: String) throws {
    let folder = try TemporaryFolder()
    var device = ScriptedDevice(sensor: .fingerprint)
    device.state = try folder.write(content, to: "state.json")
    #expect(throws: ScriptedDeviceError.self) {
      try ScriptedUserVerifier(device, environment: environment.environment)
    }
    #expect(try String(contentsOfFile: folder.file("state.json"), encoding: .utf8) == content)
  }

  @Test func aStateThatCannotBeWrittenIsRefused() async throws {
    let folder = try TemporaryFolder()
    var device = ScriptedDevice(sensor: .fingerprint)
    device.state = folder.file("missing/state.json")
    #expect(throws: ScriptedDeviceError.self) {
      try ScriptedUserVerifier(device, environment: environment.environment)
    }
  }
}
