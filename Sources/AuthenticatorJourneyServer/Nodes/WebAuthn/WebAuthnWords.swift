/// Whether the person must be verified in a ceremony, in the standard's words.
public enum WebAuthnUserVerification: String, Hashable, Sendable, CaseIterable {
  /// The ceremony fails otherwise.
  case required
  /// If the authenticator can.
  case preferred
  /// Only if it costs nothing.
  case discouraged
}

/// How much a registration should prove about the authenticator, in the standard's words.
public enum WebAuthnAttestationPreference: String, Hashable, Sendable, CaseIterable {
  /// Nothing; whatever comes is accepted.
  case none
  /// Perhaps in an anonymized form.
  case indirect
  /// What the authenticator says itself; no statement is refused then, and one with certificates must be vouched for.
  case direct
}

/// Which authenticators may be used, in the standard's words.
public enum WebAuthnAttachment: String, Hashable, Sendable, CaseIterable {
  /// Part of the device.
  case platform
  /// One that can be taken from device to device.
  case crossPlatform = "cross-platform"
}

/// Whether the credential must be one that signs in without a user name, in the standard's words.
public enum WebAuthnResidentKey: String, Hashable, Sendable, CaseIterable {
  /// It must.
  case required
  /// If the authenticator can.
  case preferred
  /// It need not.
  case discouraged
}

/// A signature algorithm the server accepts, by PingAM's word; the raw value is the number in COSE.
public enum WebAuthnAlgorithm: Int, Hashable, Sendable, CaseIterable {
  /// ECDSA on P-256 with SHA-256.
  case es256 = -7
  /// ECDSA on P-384 with SHA-384.
  case es384 = -35
  /// ECDSA on P-521 with SHA-512.
  case es512 = -36
  /// EdDSA on Ed25519.
  case edDSA = -8
  /// RSA, PKCS #1 v1.5, with SHA-256.
  case rs256 = -257
  /// RSA-PSS with SHA-256.
  case ps256 = -37
}
