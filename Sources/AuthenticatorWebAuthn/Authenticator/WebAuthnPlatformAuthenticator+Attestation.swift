internal import AuthenticatorCBOR
internal import AuthenticatorCore
internal import AuthenticatorCrypto

/// How a new credential is vouched for.
enum AttestationChoice: Hashable {
  case none
  case selfSigned
  case certified
  case tpm
}

extension WebAuthnPlatformAuthenticator {
  /// The first format of the relying party's list that this authenticator makes, or else its own favorite.
  ///
  /// Where nobody is asked for anything, a self-signed statement would need a prompt of its own and is not made.
  func chooseFormat(_ request: MakeCredentialRequest) -> AttestationChoice {
    for format in request.attestationFormats {
      switch (format, configuration.attestation) {
      case (.none, _): return .none
      case (.packed, .certified): return .certified
      case (.packed, .selfSigned), (.packed, .tpm): return request.level > .none ? .selfSigned : .none
      case (.tpm, .tpm): return .tpm
      default: continue
      }
    }
    switch configuration.attestation {
    case .none: return .none
    case .certified: return .certified
    case .tpm: return .tpm
    case .selfSigned: return request.level > .none ? .selfSigned : .none
    }
  }

  /// Builds the attestation object (WebAuthn Level 3 section 8).
  ///
  /// - Parameter key: the credential's own key, for a self-signed statement.
  func attest(
    _ data: AuthenticatorData, _ clientDataHash: [UInt8], format: AttestationChoice,
    algorithm: COSEAlgorithmIdentifier, record: KeyRecord, key: SigningKey?
  ) async throws -> AttestationObject {
    let message = data.rawBytes + clientDataHash
    switch (format, configuration.attestation) {
    case (.certified, .certified(let attestationKey)):
      let signature = try await attestationKey.sign(message)
      return try packed(
        data, COSEAlgorithmIdentifier(attestationKey.algorithm), signature, attestationKey.certificates)
    case (.selfSigned, _):
      guard let key else { throw AuthenticatorError(.verificationInsufficient, stage: "attest") }
      return try packed(data, algorithm, try await key.sign(message), [])
    case (.tpm, _):
      if let object = try await tpm(data, message, record) { return object }
      return try AttestationObject(format: .none, authenticatorData: data)
    default:
      return try AttestationObject(format: .none, authenticatorData: data)
    }
  }

  private func packed(
    _ data: AuthenticatorData, _ algorithm: COSEAlgorithmIdentifier?, _ signature: Signature,
    _ certificates: [[UInt8]]
  ) throws -> AttestationObject {
    guard let algorithm else { throw AuthenticatorError(.unsupportedAlgorithm, stage: "attest") }
    var statement: CBORMap = [
      "alg": .integer(algorithm.rawValue), "sig": .bytes(signature.derRepresentation),
    ]
    if !certificates.isEmpty { statement["x5c"] = .array(certificates.map(CBORValue.bytes)) }
    return try AttestationObject(format: .packed, statement: .map(statement), authenticatorData: data)
  }

  /// The statement of the key's provider; nil when it makes none for this key.
  private func tpm(
    _ data: AuthenticatorData, _ message: [UInt8], _ record: KeyRecord
  ) async throws -> AttestationObject? {
    let certification: KeyCertification?
    do {
      certification = try await store.certify(record.tag, qualifyingData: SHA256.hash(message))
    } catch let error as AuthenticatorError where error.code == .unsupported {
      return nil
    }
    guard let certification else { return nil }
    // The statement covers the hash that belongs to its own algorithm, and SHA-256 was given.
    guard let algorithm = COSEAlgorithmIdentifier(certification.algorithm),
      [.es256, .rs256, .ps256].contains(algorithm)
    else { throw AuthenticatorError(.unsupportedAlgorithm, stage: "attest") }
    let statement: CBORMap = [
      "ver": "2.0", "alg": .integer(algorithm.rawValue), "sig": .bytes(certification.signature),
      "x5c": .array(certification.chain.map(CBORValue.bytes)), "certInfo": .bytes(certification.statement),
      "pubArea": .bytes(certification.publicArea),
    ]
    return try AttestationObject(format: .tpm, statement: .map(statement), authenticatorData: data)
  }
}
