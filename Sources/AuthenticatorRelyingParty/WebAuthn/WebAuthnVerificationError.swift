/// Why a registration or authentication was refused: the first step of the procedure that failed (WebAuthn Level 3
/// sections 7.1 and 7.2).
///
/// For the server's own log. An unauthenticated caller should learn only that it was refused.
public struct WebAuthnVerificationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The step that failed.
  public let code: Code
  /// A fixed sentence, or one that names a member of the response; holds no input.
  public let reason: String

  /// An error of a step.
  public init(_ code: Code, _ reason: StaticString = "") {
    self.code = code
    self.reason = "\(reason)"
  }

  /// A response that cannot be read; `what` names a member and what is wrong with it, and holds nothing of the input.
  init(malformed what: String) {
    code = .responseMalformed
    reason = what
  }

  /// The step that failed, for people.
  public var step: String { code.step }

  public var description: String { reason.isEmpty ? code.rawValue : "\(code.rawValue): \(reason)" }

  /// Two errors are equal when their codes are.
  public static func == (left: WebAuthnVerificationError, right: WebAuthnVerificationError) -> Bool {
    left.code == right.code
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension WebAuthnVerificationError {
  /// The steps that can fail, each once.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    // MARK: The response
    /// Not a response of its kind: a member is missing, of the wrong type, or not base64url without padding.
    case responseMalformed
    /// The credential's type is not `public-key`.
    case credentialTypeMismatch
    /// `id`, `rawId` and the credential ID in the authenticator data are not the same, or not 1 to 1,023 bytes.
    case credentialIDMismatch

    // MARK: Client data
    /// Not a JSON object with the members of client data.
    case clientDataMalformed
    /// The client data is not of this ceremony.
    case ceremonyMismatch
    /// The challenge is another one, or not written as base64url without padding.
    case challengeMismatch
    /// The origin is not an expected one.
    case originMismatch
    /// The ceremony ran in a frame of another origin, which was not expected.
    case crossOriginNotAllowed
    /// The outermost page's origin is not an expected one.
    case topOriginMismatch

    // MARK: Authenticator data
    /// The attestation object is not CBOR of its form.
    case attestationObjectMalformed
    /// The authenticator data is cut, has bytes left over, or does not bear out its flags.
    case authenticatorDataMalformed
    /// The credential belongs to another relying party ID.
    case relyingPartyIDMismatch
    /// Nobody was there.
    case userNotPresent
    /// The person was not verified, and had to be.
    case userNotVerified
    /// Backed up, but not eligible for it.
    case backupFlagsInvalid
    /// A registration without attested credential data.
    case attestedCredentialDataMissing
    /// An assertion with attested credential data.
    case attestedCredentialDataUnexpected
    /// The algorithm was not offered.
    case algorithmNotAllowed
    /// The algorithm is not known here.
    case algorithmUnsupported
    /// The public key is malformed: wrong members, sizes or curve, or off its curve.
    case publicKeyInvalid

    // MARK: Attestation
    /// The statement's format is not known here.
    case attestationFormatUnsupported
    /// The statement has not the members of its format, or a structure in it cannot be read.
    case attestationStatementMalformed
    /// The statement's algorithm is unknown or does not go with its key.
    case attestationAlgorithmMismatch
    /// The statement's signature is not one of this credential.
    case attestationSignatureInvalid
    /// The attestation certificate breaks a rule of its format.
    case attestationCertificateInvalid
    /// The certificate is for another model.
    case attestationAAGUIDMismatch
    /// The statement is about another key.
    case attestationKeyMismatch
    /// The statement is about another registration.
    case attestationChallengeMismatch
    /// The attested key may not be used as a credential: not generated there, not for signing, or not bound to one app.
    case attestationKeyUseNotAllowed
    /// Attestation was asked for and none was given.
    case attestationMissing
    /// No path leads to an acceptable trust anchor.
    case attestationUntrusted
    /// A certificate on the path is outside its validity.
    case attestationCertificateExpired
    /// A certificate on the path is revoked.
    case attestationCertificateRevoked
    /// Whether a certificate on the path is revoked cannot be told, and it had to be.
    case attestationRevocationUnknown
    /// The metadata has no entry for the model.
    case modelUnknown
    /// The metadata says about the model what the policy does not accept.
    case modelNotAllowed
    /// The credential ID is taken.
    case credentialAlreadyRegistered

    // MARK: Authentication
    /// The credential is not in the list that was sent.
    case credentialNotAllowed
    /// The response is of another credential than the given one.
    case credentialMismatch
    /// The account is unknown and the response names none.
    case userHandleMissing
    /// The credential belongs to another account.
    case userHandleMismatch
    /// The credential's eligibility for backup is not what it was at registration.
    case backupEligibilityChanged
    /// The signature is not one of this assertion by this credential.
    case signatureInvalid
    /// The counter did not rise.
    case signCountMismatch

    /// The step in words.
    public var step: String {
      switch self {
      case .responseMalformed: "response form"
      case .credentialTypeMismatch: "credential type"
      case .credentialIDMismatch: "credential ID"
      case .clientDataMalformed: "client data form"
      case .ceremonyMismatch: "client data type"
      case .challengeMismatch: "challenge"
      case .originMismatch: "origin"
      case .crossOriginNotAllowed: "cross-origin use"
      case .topOriginMismatch: "top origin"
      case .attestationObjectMalformed: "attestation object form"
      case .authenticatorDataMalformed: "authenticator data form"
      case .relyingPartyIDMismatch: "relying party ID"
      case .userNotPresent: "user presence"
      case .userNotVerified: "user verification"
      case .backupFlagsInvalid, .backupEligibilityChanged: "backup flags"
      case .attestedCredentialDataMissing, .attestedCredentialDataUnexpected: "attested credential data"
      case .algorithmNotAllowed, .algorithmUnsupported: "algorithm"
      case .publicKeyInvalid: "public key"
      case .attestationFormatUnsupported: "attestation format"
      case .attestationStatementMalformed: "attestation statement form"
      case .attestationAlgorithmMismatch: "attestation algorithm"
      case .attestationSignatureInvalid: "attestation signature"
      case .attestationCertificateInvalid: "attestation certificate"
      case .attestationAAGUIDMismatch: "attestation model"
      case .attestationKeyMismatch: "attested key"
      case .attestationChallengeMismatch: "attested challenge"
      case .attestationKeyUseNotAllowed: "attested key use"
      case .attestationMissing, .attestationUntrusted, .attestationCertificateExpired: "attestation trust"
      case .attestationCertificateRevoked, .attestationRevocationUnknown: "attestation revocation"
      case .modelUnknown, .modelNotAllowed: "model policy"
      case .credentialAlreadyRegistered: "credential uniqueness"
      case .credentialNotAllowed: "allowed credentials"
      case .credentialMismatch: "credential look-up"
      case .userHandleMissing, .userHandleMismatch: "user handle"
      case .signatureInvalid: "signature"
      case .signCountMismatch: "signature counter"
      }
    }
  }
}
