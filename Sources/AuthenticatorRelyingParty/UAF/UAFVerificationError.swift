/// Why a UAF response was refused: the first check that failed (UAF Protocol 1.1 sections 3.4.6.5 and 3.5.7.5).
///
/// For the server's own log. An unauthenticated caller should learn the status code only.
public struct UAFVerificationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The check that failed.
  public let code: Code
  /// A fixed sentence; holds no input.
  public let reason: String

  /// An error of a check.
  public init(_ code: Code, _ reason: StaticString = "") {
    self.code = code
    self.reason = "\(reason)"
  }

  /// The check that failed, for people.
  public var step: String { code.step }

  /// What the server answers.
  public var statusCode: UAFStatusCode { code.statusCode }

  public var description: String { reason.isEmpty ? code.rawValue : "\(code.rawValue): \(reason)" }

  /// Two errors are equal when their codes are.
  public static func == (left: UAFVerificationError, right: UAFVerificationError) -> Bool { left.code == right.code }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension UAFVerificationError {
  /// The checks that can fail, each once.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    // MARK: The message
    /// No JSON of the message's form: a member is missing, null, empty, too long or of another type.
    case messageMalformed
    /// The version is none of those that were offered.
    case versionUnsupported
    /// The response is one to another operation.
    case operationMismatch
    /// The header names another app.
    case appIDMismatch
    /// The server data was not made here, or not for this request.
    case serverDataInvalid
    /// The request's time is over.
    case requestExpired
    /// The request was answered before.
    case requestUsed
    /// An extension that must be understood is not known.
    case extensionUnknown
    /// The final challenge parameters are no base64url of JSON with their members.
    case finalChallengeMalformed
    /// The final challenge names another challenge.
    case challengeMismatch
    /// The facet is not one of the app's.
    case facetUntrusted
    /// The connection was another one, or none is named although one must be.
    case channelBindingMismatch

    // MARK: The assertion
    /// Not TLV of the assertion's form.
    case assertionMalformed
    /// A tag that must be understood is not known.
    case criticalTagUnknown
    /// A value that must never leave the authenticator.
    case rawVerificationDataExposed
    /// The scheme is not the model's.
    case schemeMismatch
    /// There is no metadata of the model.
    case modelUnknown
    /// The model does not speak the version of the message, as its metadata say.
    case modelVersionMismatch
    /// The policy of the request does not admit the model, or no set of it is complete.
    case policyMismatch
    /// The hash is not one of the final challenge parameters as they were sent.
    case finalChallengeHashMismatch
    /// The authenticator is older than its metadata.
    case authenticatorVersionTooLow
    /// The authentication mode is not one of the operation.
    case authenticationModeInvalid
    /// The KeyID has not 32 to 2,048 bytes.
    case keyIDInvalid
    /// A counter says what it cannot.
    case counterImplausible
    /// The signature's algorithm is not the model's.
    case algorithmMismatch
    /// The algorithm is not computed here.
    case algorithmUnsupported
    /// The key's form is not the model's.
    case publicKeyFormMismatch
    /// The key is malformed, off its curve, or of another size.
    case publicKeyInvalid
    /// The signature has not the form its algorithm says.
    case signatureFormInvalid

    // MARK: Registration
    /// The attestation's type is not one of the model's, or not known here.
    case attestationTypeNotAllowed
    /// A basic attestation of a model without roots.
    case attestationRootsMissing
    /// A surrogate attestation of a model that has roots.
    case surrogateNotAllowed
    /// A certificate cannot be read or breaks a rule.
    case attestationCertificateInvalid
    /// The certificate is for another model.
    case attestationModelMismatch
    /// No path leads to a root of the model.
    case attestationUntrusted
    /// A certificate on the path is outside its validity.
    case attestationCertificateExpired
    /// The attestation's signature is not one of this registration.
    case attestationSignatureInvalid
    /// The key is registered already.
    case alreadyRegistered

    // MARK: Authentication
    /// There is no such key: nobody whom the verifier knows has it.
    case keyUnknown
    /// The key is known, and cannot answer: it is another user's, its user is switched off, or another key that has to
    /// answer beside it is not there.
    case keyNotAdmitted
    /// The authenticator's nonce has fewer than 8 bytes.
    case nonceTooShort
    /// The signature is not one of this assertion by the registered key.
    case signatureInvalid
    /// The counter did not rise.
    case counterNotIncreased
    /// A transaction was to be confirmed and was not.
    case transactionNotConfirmed
    /// A transaction was confirmed that nobody asked for.
    case transactionUnexpected
    /// Another content was confirmed.
    case transactionMismatch
    /// The set of enrolled fingers or faces is another one than at registration.
    case enrollmentChanged

    /// The check in words.
    public var step: String {
      switch self {
      case .messageMalformed: "message form"
      case .versionUnsupported: "protocol version"
      case .operationMismatch: "operation"
      case .appIDMismatch: "app ID"
      case .serverDataInvalid: "server data"
      case .requestExpired: "request time"
      case .requestUsed: "request use"
      case .extensionUnknown: "extensions"
      case .finalChallengeMalformed: "final challenge form"
      case .challengeMismatch: "challenge"
      case .facetUntrusted: "facet"
      case .channelBindingMismatch: "channel binding"
      case .assertionMalformed: "assertion form"
      case .criticalTagUnknown: "critical tags"
      case .rawVerificationDataExposed: "verification data"
      case .schemeMismatch: "assertion scheme"
      case .modelUnknown: "model metadata"
      case .modelVersionMismatch: "model version"
      case .policyMismatch: "policy"
      case .finalChallengeHashMismatch: "final challenge hash"
      case .authenticatorVersionTooLow: "authenticator version"
      case .authenticationModeInvalid: "authentication mode"
      case .keyIDInvalid: "key ID"
      case .counterImplausible: "counters"
      case .algorithmMismatch, .algorithmUnsupported: "algorithm"
      case .publicKeyFormMismatch, .publicKeyInvalid: "public key"
      case .signatureFormInvalid: "signature form"
      case .attestationTypeNotAllowed: "attestation type"
      case .attestationRootsMissing, .attestationUntrusted, .attestationCertificateExpired: "attestation trust"
      case .surrogateNotAllowed: "surrogate attestation"
      case .attestationCertificateInvalid: "attestation certificate"
      case .attestationModelMismatch: "attested model"
      case .attestationSignatureInvalid: "attestation signature"
      case .alreadyRegistered: "registration uniqueness"
      case .keyUnknown, .keyNotAdmitted: "registered key"
      case .nonceTooShort: "authenticator nonce"
      case .signatureInvalid: "signature"
      case .counterNotIncreased: "signature counter"
      case .transactionNotConfirmed, .transactionUnexpected: "transaction confirmation"
      case .transactionMismatch: "transaction content"
      case .enrollmentChanged: "user verification state"
      }
    }
  }
}
