import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCrypto
import AuthenticatorRelyingParty
import AuthenticatorWebAuthn

extension FuzzTarget {
  /// Attestation objects, and authenticator data and COSE keys inside, by both readers of this package: they agree
  /// about the key, and the relying party accepts nothing that it did not ask for.
  static let attestationObject = FuzzTarget(name: "attestation-object", maximumLength: 4096) { bytes in
    let object = try? AttestationObject(rawBytes: bytes)
    if let object {
      let rebuilt = try? AttestationObject(
        format: object.format, statement: object.statement, authenticatorData: object.authenticatorData)
      try expect(rebuilt?.rawBytes == bytes, "an attestation object has one form")
    }
    if let data = try? AuthenticatorData(rawBytes: bytes) {
      try expect(data.rawBytes == bytes, "authenticator data is kept as received")
    }
    let key = object?.authenticatorData.attestedCredentialData?.credentialPublicKey ?? (try? COSEKey(encoded: bytes))
    if let key {
      let other = try? WebAuthnPublicKey(coseBytes: key.encoded())
      try expect(other?.publicKey == key.publicKey, "both readers find the same key")
    }
    let ceremony = CeremonyExpectation(
      challenge: [1, 2, 3], origins: ["https://example.org"], relyingPartyID: "example.org")
    let response = ReceivedRegistration(
      id: [1],
      clientDataJSON: Array(
        #"{"type":"webauthn.create","challenge":"AQID","origin":"https://example.org"}"#.utf8),
      attestationObject: bytes)
    let verdict = try? RegistrationExpectation(ceremony: ceremony, attestation: .direct).verify(response, at: 0)
    try expect(verdict == nil, "nobody attests to another registration")
  }

  /// Client data, and options and responses in JSON.
  static let webAuthnJSON = FuzzTarget(name: "webauthn-json", maximumLength: 4096) { bytes in
    if let data = try? CollectedClientData(rawBytes: bytes) {
      try expect(data.rawBytes == bytes, "client data is kept as received")
      let made = try? CollectedClientData(
        type: data.type, challenge: data.challenge, origin: data.origin, crossOrigin: data.crossOrigin,
        topOrigin: data.topOrigin)
      if let made {
        let again = try? CollectedClientData(rawBytes: made.rawBytes)
        try expect(again == made, "client data reads back as it was written")
      }
    }
    guard let json = try? JSONValue.parse(bytes) else { return }
    if let options = try? PublicKeyCredentialCreationOptions(json: json) {
      let again = try? PublicKeyCredentialCreationOptions(json: options.json)
      try expect(again == options, "creation options read back as they were written")
    }
    if let options = try? PublicKeyCredentialRequestOptions(json: json) {
      let again = try? PublicKeyCredentialRequestOptions(json: options.json)
      try expect(again == options, "request options read back as they were written")
    }
    if let response = try? AuthenticationResponse(json: json) {
      let again = try? AuthenticationResponse(json: response.json)
      try expect(again == response, "a response reads back as it was written")
      let received = try? ReceivedAuthentication(json: json)
      try expect(received?.signature == response.signature, "both readers find the same signature")
    }
    _ = try? RegistrationResponse(json: json)
    _ = try? RegistrationExpectation(json: json)
    _ = try? AuthenticationExpectation(json: json)
    _ = try? WebAuthnCredentialRecord(json: json)
  }

  /// Certificates: reading every part of one never traps, and none leads to an anchor that did not issue it. Revocation
  /// lists as well.
  static let certificate: FuzzTarget = {
    let anchors = try? TrustAnchors([])
    return FuzzTarget(name: "certificate", maximumLength: 4096) { bytes in
      if let list = try? RevocationList(derRepresentation: bytes) {
        try expect(list.derRepresentation == bytes, "a revocation list is kept as received")
        _ = try? TrustAnchors([], revocationLists: [list])
      }
      guard let anchors, let certificate = try? X509Certificate(derRepresentation: bytes) else { return }
      try expect(certificate.derRepresentation == bytes, "a certificate is kept as received")
      _ = try? certificate.publicKey()
      _ = try? certificate.isCertificateAuthority()
      _ = try? certificate.extendedKeyUsage()
      _ = try? certificate.alternativeDirectoryNames()
      _ = try? certificate.fidoAAGUID()
      _ = try? certificate.appleNonce()
      _ = try? certificate.androidKeyDescription()
      let isTrusted = (try? anchors.verify([certificate], at: 1_800_000_000)) != nil
      try expect(!isTrusted, "no anchor, no trust")
    }
  }()
}
