import AuthenticatorCore
import AuthenticatorKit
import AuthenticatorTestSupport
import Foundation
import TestMachine
import Testing

/// A Frontend API in Python, which shares nothing with this package, judges what the client sends.
@Suite(.enabled(if: Skips.unless(Judge.python != nil), "AUTHENTICATOR_PYTHON names no interpreter with the judges"))
struct TrustedDeviceClientJudgeTests {
  @Test func aServerInPythonAcceptsEveryRequest() async throws {
    let judge = try JudgeServer("judge_trusted_device_client.py")
    defer { judge.stop() }
    let device = try TestDevice(instance: judge.url("/proxy"))
    var configuration = try TrustedDeviceConfiguration(server: judge.url("/proxy"))
    configuration.locale = "de-DE"
    let client = TrustedDeviceClient(
      configuration, transport: try CurlTransport(), keyStore: device.store, verifier: device.verifier,
      environment: device.context.environment)
    let devices = client.trustedDevices

    // A password, then the finger.
    try await client.refresh()
    #expect(try await client.auth.signIn(identifier: "mira", password: "correct horse & more").status == .complete)
    device.verifier.script([.match()])
    let name = "Judge's desk & more=100% ü"
    let enrolled = try await devices.enroll(deviceName: name, identifierHint: "mira@example.com")
    #expect(enrolled.name == name)
    #expect(enrolled.publicKeyThumbprint == nil, "the vendor's servers show no key")
    #expect(try await devices.availability() == .available)
    try await client.auth.signOut()

    // A challenge for another device is not answered; nobody is asked.
    #expect(await code { try await client.auth.signInWithTrustedDevice() } == .challengeMismatch)
    #expect(await devices.validateLocalCredential() == .valid)
    device.verifier.script([.match()])
    #expect(try await client.auth.signInWithTrustedDevice().status == .complete)
    try await client.auth.signOut()

    // The answer to the proof is lost: it is not sent again, and the session is found.
    device.verifier.script([.match()])
    #expect(try await client.auth.signInWithTrustedDevice().createdSessionID == "sess_3")
    #expect(try await devices.list().map(\.id) == [enrolled.id])
    #expect(try await devices.revoke(id: enrolled.id).status == .revoked)
    #expect(try await devices.availability() == .unavailable(.noLocalCredential))

    let verdict = judge.verdict()
    #expect(verdict.status == 0, "\(verdict.complaint)")
    let counts = try JSONDecoder().decode([String: Int].self, from: Data(verdict.output.utf8))
    #expect(
      counts == [
        "password": 1, "prepare": 1, "attempt": 1, "begin": 3, "prove": 2, "list": 2, "revoke": 1, "validate": 1,
        "sign_out": 2,
      ])
  }

  private func code<Value>(_ body: () async throws -> Value) async -> AuthenticatorError.Code? {
    do {
      _ = try await body()
      return nil
    } catch {
      return (error as? AuthenticatorError)?.code
    }
  }
}

/// A judge that is a server: it is told to end, and then speaks.
private final class JudgeServer {
  private let process = Process()
  private let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
  private let port: Int

  init(_ name: String) throws {
    let script = try #require(Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Judges"))
    process.executableURL = URL(fileURLWithPath: try #require(Judge.python))
    process.arguments = [script.path]
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    try process.run()
    var line: [UInt8] = []
    while let byte = try stdout.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A { line.append(byte) }
    port = try #require(Int(String(decoding: line, as: UTF8.self)), "the judge names no port")
  }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  func verdict() -> Judge.Verdict {
    try? stdin.fileHandleForWriting.close()
    let output = stdout.fileHandleForReading.readDataToEndOfFile()
    let complaint = stderr.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Judge.Verdict(
      status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
      complaint: String(decoding: complaint, as: UTF8.self))
  }

  func stop() {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
  }
}
