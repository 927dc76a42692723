import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorJOSE
import AuthenticatorJourneyServer
import AuthenticatorKit
import AuthenticatorTestSupport
import TestMachine
import Testing

/// Outside judges of device binding: jwcrypto reads our proofs, and a client of its own walks our server.
@Suite(.enabled(if: Skips.unless(Judge.python != nil), "AUTHENTICATOR_PYTHON names no interpreter with the judges"))
struct DeviceBindingJudgeTests {
  @Test func jwcryptoVerifiesOurProofs() async throws {
    let terminal = try await Terminal()
    let bound = try await terminal.visit("BindDevice")
    let signed = try await terminal.visit("SignDevice")
    let binding = try #require(bound.proofs.first)
    let signing = try #require(signed.proofs.first)
    let input = JSONValue.object(["binding": .string(binding), "signing": .string(signing)])
    let verdict = try await Judge.run("verify_jws.py", input: String(decoding: input.serialized(), as: UTF8.self))
    #expect(verdict.status == 0, "\(verdict.complaint)")

    let judged = try JSONValue.parse(Array(verdict.output.utf8))
    let key = try #require(try await UserKeys(context: terminal.device.context, realm: "/").active().first)
    #expect(judged["binding"]?["header"]?["kid"]?.stringValue == key.keyID)
    #expect(judged["signing"]?["header"]?["kid"]?.stringValue == key.keyID)
    #expect(judged["binding"]?["claims"]?["sub"]?.stringValue == key.userID)
    #expect(judged["binding"]?["claims"]?["iss"]?.stringValue == terminal.device.environment.appIdentifier)
    let issued = try #require(judged["signing"]?["claims"]?["iat"]?.intValue)
    #expect(judged["signing"]?["claims"]?["exp"]?.intValue == issued + 60)
    #expect(judged["signing"]?["header"]?["jwk"] == nil)
    let thumbprint = Base64URL.encode(JWK(key.record.publicKey).thumbprint)
    #expect(judged["thumbprint"]?.stringValue == thumbprint)
  }

  @Test func aClientInPythonWalksOurServer() async throws {
    let environment = AuthenticatorEnvironment(appIdentifier: "org.example.authenticator", deviceName: "judge")
    let inside = try await InProcessServer(users: ["mira": "correct horse"], environment: environment)
    let front = try HTTPFront(inside.server)
    let verdict: Judge.Verdict
    do {
      verdict = try await Judge.run("walk_server.py", arguments: [front.url])
    } catch {
      await front.stop()
      throw error
    }
    await front.stop()
    #expect(verdict.status == 0, "\(verdict.complaint)")
    #expect(verdict.output.hasSuffix("walked\n"), "\(verdict.output)")
  }
}
