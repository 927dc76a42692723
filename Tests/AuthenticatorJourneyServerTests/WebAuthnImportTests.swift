import AuthenticatorCoding
import AuthenticatorJourneyServer
import Testing

/// WebAuthn nodes in trees that administrators export.
@Suite struct WebAuthnImportTests {
  private func read(_ type: String, _ settings: JSONObject, wired: [String] = []) throws -> TreeImport.ImportedTree {
    let failure = "e301438c-0bd0-429c-ab0c-66126501069a"
    let connections = JSONObject(wired.map { ($0, JSONValue.string(failure)) })
    let export: JSONValue = [
      "tree": [
        "_id": "T", "entryNodeId": "n",
        "nodes": ["n": ["nodeType": .string(type), "connections": .object(connections)]],
      ], "nodes": ["n": .object(settings)],
    ]
    return try #require(try TreeImport().read([("file", export.serialized())]).first)
  }

  private func node<Node: TreeNode>(_ settings: JSONObject, as: Node.Type = Node.self) throws -> Node {
    try #require(try read(Node.nodeType, settings).tree.step("n")?.node as? Node)
  }

  @Test func knowsTheTypes() {
    let types = [
      "RecoveryCodeCollectorDecisionNode", "RecoveryCodeDisplayNode", "WebAuthnAuthenticationNode",
      "WebAuthnDeviceStorageNode", "WebAuthnRegistrationNode",
    ]
    #expect(Set(types).isSubset(of: NodeFactories.standard.types))
    #expect(NodeFactories.standard.types.contains("UsernameCollectorNode"))
  }

  @Test func hasPingAMsDefaults() throws {
    let registration: WebAuthnRegistrationNode = try node([:])
    #expect(registration.relyingPartyName == "ForgeRock" && registration.relyingPartyID == nil)
    #expect(registration.origins.isEmpty && registration.userVerification == .preferred)
    #expect(registration.attestation == .none && registration.algorithms == [.es256, .rs256])
    #expect(registration.attachment == nil && registration.residentKey == nil && registration.trustStore == nil)
    #expect(!registration.enforcesRevocationCheck)
    #expect(registration.timeout == 60 && !registration.excludesCredentials && registration.generatesRecoveryCodes)
    #expect(!registration.storesAttestationData && !registration.postponesStorage && registration.asScript)
    #expect(registration.maxSavedDevices == 0 && registration.certificationLevel == nil)
    #expect(registration.displayNameState == nil)
    #expect(registration.outcomes == ["success", "failure", "unsupported", "error"])
    let authentication: WebAuthnAuthenticationNode = try node([:])
    #expect(authentication.relyingPartyID == nil && authentication.origins.isEmpty && authentication.asScript)
    #expect(authentication.userVerification == .preferred && !authentication.allowsRecoveryCode)
    #expect(authentication.timeout == 60 && !authentication.takesUsernameFromDevice)
    #expect(!authentication.detectsSignCountMismatch && !authentication.concealsMissingDevices)
    #expect(authentication.outcomes == ["success", "failure", "unsupported", "error", "noDevice"])
    let storage: WebAuthnDeviceStorage = try node([:])
    #expect(storage.generatesRecoveryCodes && storage.outcomes == ["success", "failure"])
    #expect(try node([:], as: RecoveryCodeDisplay.self).asScript)
    #expect(try node([:], as: RecoveryCodeCollectorDecision.self).outcomes == ["true", "false"])
  }

  @Test func readsTheSettings() throws {
    let registration: WebAuthnRegistrationNode = try node([
      "relyingPartyName": "Example", "relyingPartyDomain": "example.org", "origins": ["https://example.org"],
      "userVerificationRequirement": "REQUIRED", "attestationPreference": "DIRECT",
      "acceptedSigningAlgorithms": ["EDDSA", "RS512", "ES384", "ES512"], "authenticatorAttachment": "CROSS_PLATFORM",
      "trustStoreAlias": "anchors", "enforceRevocationCheck": true, "timeout": 90, "excludeCredentials": true,
      "generateRecoveryCodes": false, "storeAttestationDataInTransientState": true,
      "postponeDeviceProfileStorage": false, "requiresResidentKey": true, "displayNameSharedState": "cn",
      "asScript": false, "maxSavedDevices": 3, "fidoCertificationLevel": "L1_PLUS",
    ])
    #expect(registration.relyingPartyName == "Example" && registration.relyingPartyID == "example.org")
    #expect(registration.origins == ["https://example.org"] && registration.userVerification == .required)
    #expect(registration.attestation == .direct && registration.algorithms == [.edDSA, .es384, .es512])
    #expect(registration.attachment == .crossPlatform && registration.trustStore == "anchors")
    #expect(registration.enforcesRevocationCheck)
    #expect(registration.timeout == 90 && registration.excludesCredentials && !registration.generatesRecoveryCodes)
    #expect(registration.storesAttestationData && registration.residentKey == .required && !registration.asScript)
    #expect(registration.displayNameState == "cn" && registration.maxSavedDevices == 3)
    #expect(registration.certificationLevel == .level1Plus)
    #expect(registration.outcomes.last == "exceedDeviceLimit")
    let newer: WebAuthnRegistrationNode = try node([
      "residentKeyRequirement": "PREFERRED", "requiresResidentKey": true, "fidoCertificationLevel": "OFF",
      "authenticatorAttachment": "UNSPECIFIED", "relyingPartyDomain": "", "trustStoreAlias": "",
    ])
    #expect(newer.residentKey == .preferred && newer.attachment == nil && newer.relyingPartyID == nil)
    let authentication: WebAuthnAuthenticationNode = try node([
      "relyingPartyDomain": "example.org", "origins": ["https://example.org", "ios:bundle-id:org.example"],
      "userVerificationRequirement": "DISCOURAGED",
      "isRecoveryCodeAllowed": true, "timeout": 30, "requiresResidentKey": true, "asScript": false,
      "detectSignCountMismatch": true,
    ])
    #expect(
      authentication.relyingPartyID == "example.org"
        && authentication.origins == ["https://example.org", "ios:bundle-id:org.example"])
    #expect(authentication.userVerification == .discouraged && authentication.timeout == 30)
    #expect(authentication.takesUsernameFromDevice && !authentication.asScript)
    #expect(authentication.outcomes.suffix(2) == ["recoveryCode", "successSignCountMismatch"])
    let storage: WebAuthnDeviceStorage = try node(["generateRecoveryCodes": false, "maxSavedDevices": 1])
    #expect(!storage.generatesRecoveryCodes && storage.outcomes.last == "exceedDeviceLimit")
  }

  @Test(
    arguments: [
      ("WebAuthnRegistrationNode", "acceptedSigningAlgorithms", ["RS384", "RS512"]),
      ("RecoveryCodeCollectorDecisionNode", "recoveryCodeType", "OATH"),
    ] as [(String, String, JSONValue)]) func listsWhatIsNotImplemented(type: String, name: String, value: JSONValue)
    throws
  {
    #expect(try read(type, JSONObject([(name, value)]), wired: ["success"]).missing.map(\.type) == [type])
  }

  @Test(
    arguments: [
      ("WebAuthnRegistrationNode", "userVerificationRequirement", "ALWAYS"),
      ("WebAuthnRegistrationNode", "attestationPreference", 1), ("WebAuthnRegistrationNode", "timeout", -1),
      ("WebAuthnRegistrationNode", "acceptedSigningAlgorithms", ["ES999"]),
      ("WebAuthnRegistrationNode", "authenticatorAttachment", "BOTH"),
      ("WebAuthnRegistrationNode", "residentKeyRequirement", "MAYBE"),
      ("WebAuthnRegistrationNode", "fidoCertificationLevel", "L9"), ("WebAuthnRegistrationNode", "origins", "x"),
      ("WebAuthnRegistrationNode", "origins", ["https://example.org/"]),
      ("WebAuthnAuthenticationNode", "origins", ["http://example.org"]),
      ("WebAuthnRegistrationNode", "relyingPartyDomain", "https://example.org"),
      ("WebAuthnAuthenticationNode", "relyingPartyDomain", "Example.org"),
      ("WebAuthnRegistrationNode", "enforceRevocationCheck", "yes"),
      ("WebAuthnRegistrationNode", "asScript", "no"), ("WebAuthnAuthenticationNode", "isRecoveryCodeAllowed", 1),
      ("WebAuthnAuthenticationNode", "detectSignCountMismatch", "x"),
      ("WebAuthnDeviceStorageNode", "maxSavedDevices", "many"),
      ("RecoveryCodeCollectorDecisionNode", "recoveryCodeType", 1),
    ] as [(String, String, JSONValue)]) func refusesSettingsOfAnotherKind(type: String, name: String, value: JSONValue)
  {
    let problem = JourneyTreeError.Problem.invalidSetting(step: "n", setting: name)
    #expect(throws: JourneyTreeError(tree: "T", problem)) { try read(type, JSONObject([(name, value)])) }
  }

  @Test func runsAnImportedTree() async throws {
    let (success, failure) = ("70e691a5-1e33-4ac3-a356-e7b6d60d92e0", "e301438c-0bd0-429c-ab0c-66126501069a")
    let export: JSONValue = [
      "tree": [
        "_id": "Register", "entryNodeId": "u",
        "nodes": [
          "u": ["nodeType": "UsernameCollectorNode", "connections": ["outcome": "r"]],
          "r": [
            "nodeType": "WebAuthnRegistrationNode",
            "connections": [
              "success": "c", "failure": .string(failure), "unsupported": .string(failure), "error": .string(failure),
            ],
          ],
          "c": ["nodeType": "RecoveryCodeDisplayNode", "connections": ["outcome": .string(success)]],
        ],
      ], "nodes": ["r": ["asScript": false]],
    ]
    let imported = try TreeImport().read([("file", export.serialized())])
    #expect(imported.flatMap(\.missing).isEmpty)
    let harness = try await Harness.webAuthn(journeys: imported.map(\.tree))
    let page = try await harness.question("Register", user: "mira")
    let codes = try await harness.post(try page.answered(try Passkey().registration(for: page)))
    #expect(codes.output(0, "messageType") == "4")
    var answer = try #require(codes.body.objectValue)
    answer["callbacks"] = []
    #expect(try await harness.post(.object(answer)).token != nil)
  }
}
