import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import TestCertificates
import Testing

/// Whom the registration node believes what an authenticator says about itself.
@Suite struct WebAuthnAttestationTests {
  /// An authenticator's own key, with a certificate of a root.
  private struct Model {
    let key: PrivateKey
    let leaf: [UInt8]

    init(_ root: TestCertificate) throws {
      key = try PrivateKey.generate(.es256)
      var leaf = try TestCertificate(
        subject: [
          ("2.5.4.6", "DE"), ("2.5.4.10", "Example"), ("2.5.4.11", "Authenticator Attestation"), ("2.5.4.3", "Leaf"),
        ], key: key)
      leaf.extensions = [
        (TestCertificate.basicConstraints, true, TestCertificate.basicConstraints(isAuthority: false))
      ]
      self.leaf = try leaf.encoded(issuer: root)
    }

    func statement(_ message: [UInt8]) throws -> [UInt8] {
      [0xA3] + Passkey.Ceremony.text("alg") + [0x26] + Passkey.Ceremony.text("sig")
        + Passkey.Ceremony.bytes(try key.sign(message).derRepresentation) + Passkey.Ceremony.text("x5c") + [0x81]
        + Passkey.Ceremony.bytes(leaf)
    }
  }

  enum Kind: CaseIterable {
    case none
    case itself
    case vouched
    case stranger
  }

  private func outcome(
    _ kind: Kind, _ preference: WebAuthnAttestationPreference, store: String? = nil, at seconds: Int64 = 1_767_225_600
  ) async throws -> (outcome: String?, refusals: [String], device: DeviceRecord?) {
    let (root, other) = (try TestCertificate.authority(), try TestCertificate.authority())
    let node = WebAuthnRegistrationNode {
      $0.generatesRecoveryCodes = false
      $0.attestation = preference
      $0.trustStore = store
    }
    let clock = ManualClock(seconds: seconds)
    let harness = try await Harness.webAuthn(journeys: [try WebAuthnTrees.tree(node)], clock: clock) {
      let anchors = try? TrustAnchors([root.certificate()])
      if store == nil { $0.webAuthn.trustAnchors = anchors } else { $0.webAuthn.trustStores["mine"] = anchors }
    }
    var passkey = try Passkey()
    let model = try Model(kind == .stranger ? other : root)
    let own = passkey.key
    passkey.bend = { ceremony in
      guard kind != .none else { return }
      ceremony.attestationFormat = "packed"
      ceremony.statement =
        kind == .itself
        ? { message in
          [0xA2] + Passkey.Ceremony.text("alg") + [0x26] + Passkey.Ceremony.text("sig")
            + Passkey.Ceremony.bytes(try own.sign(message).derRepresentation)
        } : { try model.statement($0) }
    }
    let end = try await harness.end { try passkey.registration(for: $0) }
    return (end.outcome, harness.refusals, try await harness.webAuthnDevices().first)
  }

  @Test(arguments: Kind.allCases) func whatWasNotAskedForIsNotRequired(kind: Kind) async throws {
    let result = try await outcome(kind, .none)
    #expect(result.outcome == "success")
    let attestation = try #require(result.device?.attributes["attestation"])
    #expect(attestation["format"] == (kind == .none ? "none" : "packed"))
    #expect(attestation["trusted"] == .bool(kind == .vouched))
  }

  @Test(arguments: [(Kind.none, true), (.itself, true), (.vouched, true), (.stranger, false)])
  func indirectTakesNothingThatNobodyVouchesFor(kind: Kind, isTaken: Bool) async throws {
    let result = try await outcome(kind, .indirect)
    #expect(result.outcome == (isTaken ? "success" : "failure"))
    #expect(result.refusals == (isTaken ? [] : ["attestationUntrusted"]))
    #expect((result.device != nil) == isTaken)
  }

  @Test(
    arguments: [
      (Kind.none, "attestationMissing"), (.itself, nil), (.vouched, nil), (.stranger, "attestationUntrusted"),
    ] as [(Kind, String?)]) func directWantsAStatement(kind: Kind, refusal: String?) async throws
  {
    let result = try await outcome(kind, .direct)
    #expect(result.outcome == (refusal == nil ? "success" : "failure"))
    #expect(result.refusals == (refusal.map { [$0] } ?? []))
  }

  @Test func certificatesMustBeValidNow() async throws {
    // The test's certificates are valid from 2024 to 2034.
    let late = try await outcome(.vouched, .direct, at: 2_100_000_000)
    #expect(late.outcome == "failure" && late.refusals == ["attestationCertificateExpired"])
  }

  @Test func aNodeMayNameItsAnchors() async throws {
    #expect(try await outcome(.vouched, .direct, store: "mine").outcome == "success")
    #expect(try await outcome(.stranger, .direct, store: "mine").outcome == "failure")
    // Anchors that are not there are the operator's fault, not the client's.
    #expect(try await outcome(.vouched, .direct, store: "other").outcome == nil)
  }

  @Test func certifiedModelsNeedMetadata() async throws {
    let node = WebAuthnRegistrationNode { $0.certificationLevel = .level1 }
    let harness = try await Harness.webAuthn(journeys: [try WebAuthnTrees.tree(node)])
    let passkey = try Passkey()
    #expect(try await harness.end { try passkey.registration(for: $0) }.status == 500)
    #expect(harness.events.all == [.fault("node of the tree WebAuthn asks for certified models without metadata")])
  }
}
