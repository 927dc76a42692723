import AuthenticatorCoding
import AuthenticatorKit
import AuthenticatorTestSupport
import AuthenticatorWebAuthn
import TestMachine
import Testing

/// python-fido2 as a CTAP2 client: it drives our authenticator over CTAPHID, and judges what comes back.
@Suite(.enabled(if: Skips.unless(Judge.python != nil), "AUTHENTICATOR_PYTHON names no interpreter with the judges"))
struct CTAP2JudgeTests {
  @MainActor private func drive(
    _ mode: String, _ passkeys: Passkeys, _ type: AuthenticatorType
  ) async throws -> JSONValue {
    let conversation = try Conversation("drive_ctaphid.py", arguments: [mode])
    let key = try await SecurityKey(passkeys, type) { conversation.answer(Hex.encode($0)) }
    let verdict = try await conversation.verdict { line in
      if let report = try? Hex.decode(line) { key.receive(report) }
    }
    #expect(verdict.status == 0, "\(verdict.complaint)")
    return verdict.status == 0 ? try JSONValue.parse(verdict.output) : .null
  }

  /// Verified by the device itself: every algorithm, extensions, exclusion and selection.
  @Test func aClientThatLetsTheDeviceVerify() async throws {
    let passkeys = try Passkeys()
    passkeys.person(Array(repeating: .match(), count: 100))
    let seen = try await drive("verification", passkeys, .biometricOnly)
    #expect(seen["options"]?["uv"] == true && seen["credentials"] == 7)
    #expect((seen["touches"]?.intValue ?? 0) > 0, "the person was told that a touch is waited for")

    // Our own client derives from the same credential what python-fido2 has decrypted.
    let response = try await passkeys.client().get(
      json: Passkeys.request(extensions: ["prf": ["eval": ["first": "b25l"]]]), caller: Passkeys.caller,
      credential: try await newest(passkeys))
    #expect(seen["prf"] == response["clientExtensionResults"]?["prf"]?["results"]?["first"])
  }

  private func newest(_ passkeys: Passkeys) async throws -> CredentialID? {
    try await passkeys.authenticator().credentials(of: Passkeys.relyingPartyID)
      .first { $0.userName == "extensions" }?.id
  }

  /// Verified by a PIN of the device, in both protocols.
  @Test(arguments: ["pin1", "pin2"])
  func aClientThatAsksForThePIN(_ mode: String) async throws {
    let passkeys = try Passkeys()
    passkeys.person(Array(repeating: .approve, count: 100))
    let seen = try await drive(mode, passkeys, .none)
    #expect(seen["options"]?["clientPin"] == false && seen["prf"]?.stringValue?.count == 43)
    #expect(try await passkeys.device.store.records(matching: .everything).isEmpty, "a reset forgets everything")
  }
}
