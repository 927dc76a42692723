import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty

extension FuzzTarget {
  /// Assertions of UAF, as a registration and as an authentication: only the key of the sample, which signed the
  /// sample's own challenge, is ever taken.
  static let uafReceivedAssertion: FuzzTarget = {
    let bench = UAFBench()
    return FuzzTarget(name: "uaf-received-assertion", maximumLength: 4096) { bytes in
      guard let bench else { throw Broken(promise: "the samples are there") }
      guard !bytes.isEmpty else { return }
      let text = JSONValue.string(Base64URL.encode(bytes))
      for operation in ["Reg", "Auth"] {
        let received = try? UAFReceivedResponse(json: [
          [
            "header": ["upv": ["major": 1, "minor": 1], "op": .string(operation)],
            "fcParams": .string(bench.finalChallenge),
            "assertions": [["assertionScheme": "UAFV1TLV", "assertion": text]],
          ]
        ])
        guard let received else { throw Broken(promise: "any bytes are the assertion of a message") }
        if operation == "Reg" {
          let verdict = try? bench.expectation.verifyRegistration(received, at: 0)
          try expect(
            verdict?.registrations.allSatisfy { $0.publicKey == bench.publicKey } ?? true,
            "nobody signs for another key")
        } else {
          let record = UAFRegistrationRecord(
            aaid: "FFFF#F001", keyID: bench.keyID, publicKey: bench.publicKey, keyForm: .ecRaw,
            signatureForm: .es256Raw, signCounter: 7, registrationCounter: 1, authenticatorVersion: 1,
            attestationType: UAFModelStatement.basicSurrogate)
          let verdict = try? bench.expectation.verifyAuthentication(received, registered: [record])
          try expect(
            verdict?.signers.allSatisfy { $0.registration.signCounter > 7 } ?? true, "a counter only rises")
          _ = received.keyNames
        }
      }
    }
  }()

  /// Messages, policies and metadata of UAF in JSON.
  static let uafReceivedMessage = FuzzTarget(name: "uaf-received-message", maximumLength: 8192) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    if let received = try? UAFReceivedResponse(message: text) {
      try expect(received.keyNames.count <= 32, "a message has a bounded number of assertions")
    }
    guard let json = try? JSONValue.parse(bytes) else { return }
    if let policy = try? UAFAcceptancePolicy(json: json, strict: false) {
      let again = try? UAFAcceptancePolicy(json: .object(policy.json), strict: false)
      try expect(again == policy, "a policy reads back as it was written")
    }
    if let policy = try? UAFAcceptancePolicy(json: json) {
      try expect((try? UAFAcceptancePolicy(json: json, strict: false)) == policy, "strict is no other reading")
    }
    _ = try? UAFModelStatement(json: json)
    _ = try? UAFRegistrationRecord(json: json)
    _ = try? UAFVerificationJob(request: json, expect: json)
  }
}

/// What the sample `pub-reg-surrogate-raw` says, and what its server expects.
private struct UAFBench: Sendable {
  let finalChallenge = Base64URL.encode(
    Array(
      """
      {"appID":"https://rp.example/uaf/facets","challenge":"kzZauv2hljZLV9-vxAyxtKyLZ_SJW8bVGz3WkOXN1P0",\
      "facetID":"ios:bundle-id:com.example.app","channelBinding":{}}
      """.utf8))
  let keyID: [UInt8]
  let publicKey: [UInt8]
  let expectation: UAFExpectation

  init?() {
    let statement: JSONValue = [
      "aaid": "FFFF#F001", "authenticatorVersion": 0, "upv": [["major": 1, "minor": 1]],
      "assertionScheme": "UAFV1TLV", "authenticationAlgorithm": 1, "publicKeyAlgAndEncoding": 256,
      "attestationTypes": [15880], "userVerificationDetails": [[["userVerification": 4]]], "keyProtection": 1,
      "matcherProtection": 1, "attachmentHint": 1, "isSecondFactorOnly": false, "tcDisplay": 3,
      "attestationRootCertificates": [],
    ]
    guard let keyID = try? Base64URL.decode("GPbWpncIA6ijtYG_72uQhs8vfNSkoGENmaa26Eyvzyc"),
      let publicKey = try? Hex.decode(
        "04bb3c9d8c6c887cae410ca34308dd3ff4a72908024179d72847108f43ce16a56a"
          + "c69e3c245b0fba98870773785b4620c3a4a5f7c560cb3acdc2e7c919975918bf"),
      let models = try? UAFModels(json: [statement])
    else { return nil }
    self.keyID = keyID
    self.publicKey = publicKey
    expectation = UAFExpectation(
      challenge: "kzZauv2hljZLV9-vxAyxtKyLZ_SJW8bVGz3WkOXN1P0", appID: "https://rp.example/uaf/facets",
      policy: UAFAcceptancePolicy(anyOf: ["FFFF#F001"]), models: models, facets: ["ios:bundle-id:com.example.app"])
  }
}
