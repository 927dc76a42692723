import AuthenticatorCore
import AuthenticatorJourneyServer
import AuthenticatorTestSupport
import TestMachine
import Testing

/// A native client in Python, which shares nothing with this package, against the Frontend API.
@Suite(.enabled(if: Skips.unless(Judge.python != nil), "AUTHENTICATOR_PYTHON names no interpreter with the judges"))
struct TrustedDeviceJudgeTests {
  @Test func aClientInPythonEnrollsAndSignsIn() async throws {
    let environment = AuthenticatorEnvironment(appIdentifier: "org.example.authenticator", deviceName: "judge")
    let inside = try await InProcessServer(users: ["mira": "correct horse"], environment: environment)
    let front = try HTTPFront(inside.server)
    let verdict: Judge.Verdict
    do {
      let key = try #require(PublishableKey.test(url: front.url))
      verdict = try await Judge.run("walk_trusted_devices.py", arguments: [key, front.url])
    } catch {
      await front.stop()
      throw error
    }
    await front.stop()
    #expect(verdict.status == 0, "\(verdict.complaint)")
    #expect(verdict.output.hasSuffix("walked\n"), "\(verdict.output)")
  }
}
