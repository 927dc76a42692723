internal import AuthenticatorCBOR
internal import AuthenticatorCore

/// What extensions ask of a new credential.
public struct RegistrationExtensions: Sendable {
  /// `credProtect`; nil: not asked.
  public var protection: CredentialProtectionPolicy?
  /// `minPinLength`.
  public var requestsMinimumPINLength: Bool
  /// `hmac-secret` and `prf`: whether the credential shall have secrets.
  public var requestsHMACSecret: Bool
  /// `prf`: secrets to derive at once; without effect unless the credential gets secrets.
  public var hmacSecret: HMACSecretEvaluation?
  /// `credBlob`; nil: not asked.
  public var blob: [UInt8]?
  /// `largeBlob`: whether the credential shall have room for one.
  public var requestsLargeBlob: Bool
  /// `uvm`.
  public var requestsVerificationMethods: Bool

  /// Asks for nothing unless told.
  public init(
    protection: CredentialProtectionPolicy? = nil, requestsMinimumPINLength: Bool = false,
    requestsHMACSecret: Bool = false, hmacSecret: HMACSecretEvaluation? = nil, blob: [UInt8]? = nil,
    requestsLargeBlob: Bool = false, requestsVerificationMethods: Bool = false
  ) {
    self.protection = protection
    self.requestsMinimumPINLength = requestsMinimumPINLength
    self.requestsHMACSecret = requestsHMACSecret
    self.hmacSecret = hmacSecret
    self.blob = blob
    self.requestsLargeBlob = requestsLargeBlob
    self.requestsVerificationMethods = requestsVerificationMethods
  }
}

/// What became of the extensions of a new credential, beside what is signed.
public struct RegistrationExtensionResults: Sendable {
  /// Whether the credential has secrets.
  public var hasHMACSecret = false
  /// The secrets asked for; nil when none were, or none could be derived.
  public var hmacSecret: HMACSecretOutputs?
  /// Whether it has room for a large blob.
  public var hasLargeBlob = false
  /// Nil unless asked for.
  public var verificationMethods: [UserVerificationMethodEntry]?
}

extension WebAuthnPlatformConfiguration {
  /// The protection a credential gets: what is asked for, and no less than configured.
  func protection(for extensions: RegistrationExtensions) -> CredentialProtectionPolicy {
    max(extensions.protection ?? minimumProtection, minimumProtection)
  }

  /// Whether a credential gets a blob: only discoverable ones do.
  func accepts(blob: [UInt8]?, isDiscoverable: Bool) -> Bool {
    guard let blob else { return false }
    return isDiscoverable && blob.count <= maximumCredentialBlobBytes
  }

  /// The outputs that are signed, in CTAP2's terms.
  func signedOutputs(
    _ extensions: RegistrationExtensions, attributes: CredentialAttributes, relyingPartyID: String,
    verificationMethods: [UserVerificationMethodEntry]?
  ) -> CBORMap? {
    var outputs = CBORMap()
    if extensions.protection != nil { outputs["credProtect"] = .integer(attributes.protection.rawValue) }
    if attributes.flags.contains(.hmacSecret) { outputs["hmac-secret"] = true }
    if extensions.requestsMinimumPINLength, minimumPINLengthParties.contains(relyingPartyID) {
      outputs["minPinLength"] = .integer(minimumPINLength)
    }
    if let blob = extensions.blob {
      outputs["credBlob"] = .bool(
        accepts(blob: blob, isDiscoverable: attributes.flags.contains(.discoverable)))
    }
    if let verificationMethods { outputs["uvm"] = .array(verificationMethods.map(\.cborValue)) }
    return outputs.isEmpty ? nil : outputs
  }
}
