import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorKeyStore
import AuthenticatorTestSupport
import AuthenticatorUAF
import Testing

/// What a model may claim: a server relies on it.
struct ModelTests {
  private struct Claim: CustomTestStringConvertible {
    var member: String
    var behavior = UAFBehavior.biometricWithState
    var bend: @Sendable (inout UAFAuthenticatorModel) -> Void
    var testDescription: String { member }
  }

  private static let claims = [
    Claim(member: "keyProtection") { $0.keyProtection = [] },
    Claim(member: "keyProtection") { $0.keyProtection = [.software, .hardware] },
    Claim(member: "keyProtection") { $0.keyProtection = .secureElement },
    Claim(member: "keyProtection") {
      $0.keyProtection = [.hardware, .trustedExecutionEnvironment, .secureElement]
    },
    Claim(member: "keyProtection") { $0.keyProtection = [.software, .remoteHandle] },
    Claim(member: "keyProtection") { $0.keyProtection = KeyProtectionTypes(rawValue: 0x20) },
    Claim(member: "matcherProtection") { $0.matcherProtection = [] },
    Claim(member: "matcherProtection") { $0.matcherProtection = MatcherProtectionTypes(rawValue: 7) },
    Claim(member: "attachmentHint") { $0.attachmentHint = [] },
    Claim(member: "attachmentHint") { $0.attachmentHint = [.internal, .external] },
    Claim(member: "attachmentHint") { $0.attachmentHint = AttachmentHint(rawValue: 0x200) },
    Claim(member: "userVerification") { $0.userVerification = [] },
    Claim(member: "userVerification") { $0.userVerification = .all },
    Claim(member: "userVerification") { $0.userVerification = .passcode },
    Claim(member: "userVerification") { $0.userVerification = [.fingerprint, .eyeprint] },
    Claim(member: "userVerification") { $0.userVerification = .none },
    Claim(member: "userVerification", behavior: .silent) { $0.userVerification = .passcode },
    Claim(member: "userVerification", behavior: .presence) { $0.userVerification = [.presence, .passcode] },
    // A passcode that opens the key must be told.
    Claim(member: "userVerification", behavior: .biometricOrPasscode) { $0.userVerification = .fingerprint },
    Claim(member: "userVerification", behavior: .biometricOrPasscode) { $0.userVerification = .passcode },
    Claim(member: "behavior") {
      $0.behavior = UAFBehavior(name: "own", authenticator: .none, level: .none, userVerification: .passcode)
      $0.userVerification = .passcode
      $0.tcDisplay = []
    },
    Claim(member: "behavior") {
      $0.behavior = UAFBehavior(name: "own", authenticator: .biometricOnly, userVerification: .passcode)
      $0.userVerification = .passcode
    },
    Claim(member: "behavior") {
      $0.behavior = UAFBehavior(name: "own", authenticator: .none, userVerification: .fingerprint)
      $0.userVerification = .fingerprint
    },
    Claim(member: "attestationTypes") { $0.attestationTypes = [] },
    Claim(member: "attestationTypes") { $0.attestationTypes = [UAFAttestationType(rawValue: 1)] },
    Claim(member: "attestationTypes") { $0.attestationTypes = [.basicFull] },
    Claim(member: "attestationTypes") { $0.attestationTypes = [.basicSurrogate, .basicSurrogate] },
    Claim(member: "publicKeyFormat") { $0.publicKeyFormat = .rsa2048Raw },
    Claim(member: "publicKeyFormat") { $0.authenticationAlgorithm = .rsaPSSSHA256Raw },
    Claim(member: "authenticationAlgorithm") { $0.authenticationAlgorithm = UAFAlgorithm(rawValue: 5) },
    Claim(member: "versions") { $0.versions = [UAFVersion(major: 1, minor: 2)] },
    Claim(member: "versions") { $0.versions = [UAFVersion(major: 1, minor: 2), .v11] },
    Claim(member: "versions") { $0.versions = [.v11, .v11] },
    Claim(member: "versions") { $0.versions = [] },
    Claim(member: "maximumKeys") { $0.maximumKeys = 0 },
    Claim(member: "tcDisplay", behavior: .silent) { $0.tcDisplay = .any },
    Claim(member: "tcDisplay") { $0.tcDisplay = [.privilegedSoftware, .hardware] },
    Claim(member: "tcDisplayPNGCharacteristics") {
      $0.tcDisplay = []
      $0.tcDisplayPNGCharacteristics = [DisplayPNGCharacteristics(width: 1, height: 1, bitDepth: 8, colorType: 2)]
    },
    Claim(member: "tcDisplayPNGCharacteristics") {
      $0.tcDisplayPNGCharacteristics = [DisplayPNGCharacteristics(width: 0, height: 1, bitDepth: 8, colorType: 2)]
    },
  ]

  @Test(arguments: claims)
  private func refusesWhatCannotBe(_ claim: Claim) throws {
    var model = UAFAuthenticatorModel(aaid: try UAFKit.Model.state.aaid, behavior: claim.behavior)
    try expect(model, isFine: true)
    claim.bend(&model)
    let error = try expect(model, isFine: false)
    #expect(error?.reason.hasPrefix("FFFF#A002: \(claim.member) ") == true, "\(error?.reason ?? "-")")
  }

  @discardableResult
  private func expect(_ model: UAFAuthenticatorModel, isFine: Bool) throws -> AuthenticatorError? {
    do {
      _ = try UAFKit { $0.authenticators = [model] }
      #expect(isFine)
      return nil
    } catch let error as AuthenticatorError {
      #expect(!isFine && error.code == .invalidRequest)
      return error
    }
  }

  @Test(arguments: [
    KeyProtectionTypes.software, .hardware, [.hardware, .secureElement], [.hardware, .trustedExecutionEnvironment],
  ])
  func offersOnlyWhatTheStoreKeepsItsKeysLike(_ stated: KeyProtectionTypes) async throws {
    for hasHardware in [true, false] {
      let device = try TestDevice(
        ScriptedDevice(), instance: "https://rp.example",
        providers: hasHardware ? [EmulatedHardware()] : [SoftwareKeyProvider()])
      let client = try UAFClient(
        UAFClientConfiguration(
          context: device.context,
          authenticators: [
            UAFAuthenticatorModel(aaid: try UAFKit.Model.silent.aaid, behavior: .silent, keyProtection: stated)
          ]))
      let found = await client.discover().availableAuthenticators.map(\.keyProtection)
      // Less may be said than is true. The emulated hardware passes for an enclave, which is called either.
      let isTrue = stated == .software || hasHardware
      #expect(found == (isTrue ? [stated] : []), "hardware: \(hasHardware)")
    }
  }

  @Test func reportsTheProtectionThatDiscoveryTells() async throws {
    for hasHardware in [true, false] {
      let device = try TestDevice(
        ScriptedDevice(), instance: "https://rp.example",
        providers: hasHardware ? [EmulatedHardware()] : [SoftwareKeyProvider()])
      let client = try UAFClient(
        UAFClientConfiguration(
          context: device.context,
          authenticators: [UAFAuthenticatorModel(aaid: try UAFKit.Model.silent.aaid, behavior: .silent)]))
      let header = UAFKit.header("Reg", exts: [["id": "fido.uaf.uvm", "data": "", "fail_if_unknown": true]])
      let response = try await client.process(UAFKit.registration(.silent, header: header), facetID: UAFKit.facet)
      let reported = try UAFKit.registered(response).extensions.first?.data
      let told = try #require(await client.discover().availableAuthenticators.first).keyProtection
      #expect(reported == [0, 2, 0, 0, UInt8(told.rawValue), 0, 1, 0])
      #expect(told == (hasHardware ? [.hardware, .secureElement] : .software))
    }
  }
}
