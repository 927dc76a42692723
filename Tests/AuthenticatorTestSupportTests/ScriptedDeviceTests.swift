import AuthenticatorCore
import AuthenticatorTestSupport
import Foundation
import Testing

/// The JSON form, schema version 1.
@Suite struct ScriptedDeviceTests {
  private func parse(_ text: String) throws -> ScriptedDevice { try ScriptedDevice(json: Array(text.utf8)) }

  private func refusal(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> String? {
    do {
      _ = try parse(text)
      Issue.record("it was accepted", sourceLocation: sourceLocation)
      return nil
    } catch let error as ScriptedDeviceError {
      #expect(!error.description.contains("\n"), sourceLocation: sourceLocation)
      return error.description
    } catch {
      Issue.record("it threw \(error)", sourceLocation: sourceLocation)
      return nil
    }
  }

  static let complete = """
    {"version": 1, "sensor": "face", "sensorAvailable": false, "enrolled": ["alice", "glasses"], "passcode": "482913",
     "failedAttempts": 2,
     "lockedOut": true, "domainState": "unreadable", "now": 1700000000123, "transcript": "t.jsonl", "state": "s.json",
     "steps": [{"do": "match", "finger": "alice"}, {"do": "match"}, {"do": "mismatch"}, {"do": "cancel"},
       {"do": "systemCancel"}, {"do": "fallback"}, {"do": "passcode", "value": "1"}, {"do": "pin", "value": "2"},
       {"do": "approve"}, {"do": "refuse"}, {"do": "choose", "value": "3"}, {"do": "noAnswer"}, {"do": "hang"},
       {"do": "sensorUnavailable"}, {"do": "enroll", "finger": "x"}, {"do": "remove", "finger": "y"}],
     "context": {"method": "passcode", "authenticated": false, "invalidated": true, "age": 1.5}}
    """

  @Test func everyMemberIsRead() throws {
    let device = try parse(Self.complete)
    #expect(device.sensor == .face)
    #expect(!device.isSensorAvailable)
    #expect(device.enrolled == ["alice", "glasses"])
    #expect(device.passcode == "482913")
    #expect(device.failedAttempts == 2)
    #expect(device.isLockedOut)
    #expect(device.domainState == .unreadable)
    #expect(device.now == UnixTime(milliseconds: 1_700_000_000_123))
    #expect(device.transcript == "t.jsonl")
    #expect(device.state == "s.json")
    #expect(
      device.steps == [
        .match(finger: "alice"), .match(), .mismatch, .cancel, .systemCancel, .fallback, .passcode("1"), .pin("2"),
        .approve, .refuse, .choose("3"), .noAnswer, .hang, .sensorUnavailable, .enroll("x"), .remove("y"),
      ])
    #expect(
      device.context
        == ScriptedDevice.Context(
          isBiometric: false, isAuthenticated: false, isInvalidated: true, age: .milliseconds(1500)))
  }

  @Test func onlyTheVersionIsNeeded() throws {
    let device = try parse(#"{"version": 1, "passcode": null}"#)
    #expect(device.sensor == .none)
    #expect(device.isSensorAvailable)
    #expect(device.passcode == nil)
    #expect(device.steps.isEmpty)
    #expect(device.context == nil)
  }

  @Test func theFixedClockIsTheWallClockOnly() throws {
    let environment = TestEnvironment()
    let fixed = try parse(#"{"version": 1, "now": 5}"#).applied(to: environment.environment)
    environment.clock.advance(by: .seconds(9))
    #expect(fixed.now() == UnixTime(milliseconds: 5))
    #expect(fixed.uptime() == .seconds(1009))
    #expect(try parse(#"{"version": 1}"#).applied(to: environment.environment).now() == environment.clock.now)
  }

  @Test(arguments: [
    (#"{}"#, "version is missing"), (#"{"version": 2}"#, "version is not 1"),
    (#"{"version": "1"}"#, "version is not 1"),
    (#"{"version": true}"#, "version is not 1"), (#"[]"#, "not an object"), (#"{"version": 1"#, "not JSON"),
    (#"{"version": 1, "version": 1}"#, "an object has a name twice"), (#"{"version": 1} x"#, "not JSON"),
    (#"{"version": 1, "Sensor": "face"}"#, #"unknown member "Sensor""#),
    (#"{"version": 1, "sensor": "iris"}"#, #"unknown sensor "iris""#),
    (#"{"version": 1, "sensor": null}"#, "sensor is not a string"),
    (#"{"version": 1, "enrolled": "a"}"#, "enrolled is not an array of names"),
    (#"{"version": 1, "enrolled": [1]}"#, "enrolled is not an array of names"),
    (#"{"version": 1, "passcode": 482913}"#, "passcode is not a string"),
    (#"{"version": 1, "failedAttempts": -1}"#, "failedAttempts is not an integer, 0 or more"),
    (#"{"version": 1, "failedAttempts": 1.0}"#, "failedAttempts is not an integer, 0 or more"),
    (#"{"version": 1, "failedAttempts": 9223372036854775807}"#, "failedAttempts is out of range"),
    (#"{"version": 1, "failedAttempts": 9223372036854775808}"#, "failedAttempts is not an integer, 0 or more"),
    (#"{"version": 1, "now": 9223372036854775807}"#, "now is out of range"),
    (#"{"version": 1, "lockedOut": 1}"#, "lockedOut is not true or false"),
    (#"{"version": 1, "domainState": "none"}"#, #"unknown domainState "none""#),
    (#"{"version": 1, "now": "soon"}"#, "now is not an integer, 0 or more"),
    (#"{"version": 1, "steps": {}}"#, "steps is not an array"),
    (#"{"version": 1, "steps": [{"do": "match"}, {"do": "dance"}]}"#, #"steps[1]: unknown step "dance""#),
    (#"{"version": 1, "steps": [{}]}"#, "steps[0]: do is missing"),
    (#"{"version": 1, "steps": [7]}"#, "steps[0]: not an object"),
    (#"{"version": 1, "steps": [{"do": "pin"}]}"#, "steps[0]: value is missing"),
    (#"{"version": 1, "steps": [{"do": "pin", "value": 1}]}"#, "steps[0]: value is not a string"),
    (#"{"version": 1, "steps": [{"do": "cancel", "value": "x"}]}"#, #"steps[0]: unknown member "value""#),
    (#"{"version": 1, "steps": [{"do": "enroll"}]}"#, "steps[0]: finger is missing"),
    (#"{"version": 1, "context": {}}"#, "context: method is missing"),
    (#"{"version": 1, "context": null}"#, "context: not an object"),
    (#"{"version": 1, "context": {"method": "voice"}}"#, #"context: unknown method "voice""#),
    (#"{"version": 1, "context": {"method": "biometric", "age": -1}}"#, "age is out of range"),
    (#"{"version": 1, "context": {"method": "biometric", "age": 1e300}}"#, "age is out of range"),
    (#"{"version": 1, "context": {"method": "biometric", "when": 1}}"#, #"context: unknown member "when""#),
  ])
  func whatTheSchemaDoesNotHaveIsRefusedInOneLine(_ text: String, _ reason: String) {
    #expect(refusal(text)?.contains(reason) == true, "\(refusal(text) ?? "")")
  }

  @Test func aRefusalShowsNoSecret() {
    #expect(
      refusal(#"{"version": 1, "passcode": "secret-1", "steps": [{"do": "pin", "value": "secret-2"}, 7]}"#)?
        .contains("secret") == false)
  }

  @Test func everyPrefixIsRefused() {
    let bytes = Array(Self.complete.utf8)
    for count in 0..<bytes.count {
      #expect(throws: ScriptedDeviceError.self) { try ScriptedDevice(json: Array(bytes.prefix(count))) }
    }
  }

  @Test func flippedBitsNeverTrap() {
    let bytes = Array(Self.complete.utf8)
    var accepted = 0
    for index in bytes.indices {
      var flipped = bytes
      flipped[index] ^= 1 << UInt8(index % 8)
      do {
        _ = try ScriptedDevice(json: flipped)
        accepted += 1
      } catch { #expect(error is ScriptedDeviceError) }
    }
    #expect(accepted < bytes.count / 2)
  }

  @Test func filesAreReadOrRefusedByName() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(#"{"version": 1, "sensor": "fingerprint"}"#, to: "device.json")
    #expect(try ScriptedDevice(contentsOf: path).sensor == .fingerprint)
    for (name, content) in [
      ("missing.json", nil), ("bad.json", "x"), ("huge.json", String(repeating: " ", count: 1 << 21)),
    ] {
      if let content { _ = try folder.write(content, to: name) }
      do {
        _ = try ScriptedDevice(contentsOf: folder.file(name))
        Issue.record("it was accepted")
      } catch let error as ScriptedDeviceError {
        #expect(error.description.hasPrefix(folder.file(name)))
      }
    }
    #expect(throws: ScriptedDeviceError.self) { try ScriptedDevice(contentsOf: folder.path) }
  }
}
