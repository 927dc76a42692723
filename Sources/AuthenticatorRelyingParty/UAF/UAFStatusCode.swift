/// What a server says became of a response; the app hands the number to its UAF client, which may then delete a key
/// (UAF Application API and Transport Binding 1.1 section 3.1, "UAF Status Codes").
public struct UAFStatusCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Done.
  public static let ok = UAFStatusCode(rawValue: 1200)
  /// Taken, and not decided yet.
  public static let accepted = UAFStatusCode(rawValue: 1202)
  /// The message is malformed.
  public static let badRequest = UAFStatusCode(rawValue: 1400)
  /// The person must sign in first.
  public static let unauthorized = UAFStatusCode(rawValue: 1401)
  /// Refused; do not try again.
  public static let forbidden = UAFStatusCode(rawValue: 1403)
  /// There is nothing here.
  public static let notFound = UAFStatusCode(rawValue: 1404)
  /// No answer in time.
  public static let requestTimeout = UAFStatusCode(rawValue: 1408)
  /// The model is not known.
  public static let unknownAAID = UAFStatusCode(rawValue: 1480)
  /// None of the response's keys is known: the client should delete them.
  public static let unknownKeyID = UAFStatusCode(rawValue: 1481)
  /// The connection was another one.
  public static let channelBindingRefused = UAFStatusCode(rawValue: 1490)
  /// The request is unknown, expired or used.
  public static let requestInvalid = UAFStatusCode(rawValue: 1491)
  /// Not a model the policy admits.
  public static let unacceptableAuthenticator = UAFStatusCode(rawValue: 1492)
  /// The model was revoked.
  public static let revokedAuthenticator = UAFStatusCode(rawValue: 1493)
  /// Not a key to accept.
  public static let unacceptableKey = UAFStatusCode(rawValue: 1494)
  /// Not an algorithm to accept.
  public static let unacceptableAlgorithm = UAFStatusCode(rawValue: 1495)
  /// Not an attestation to accept.
  public static let unacceptableAttestation = UAFStatusCode(rawValue: 1496)
  /// The client cannot do what is needed.
  public static let unacceptableClientCapabilities = UAFStatusCode(rawValue: 1497)
  /// Not a content to accept.
  public static let unacceptableContent = UAFStatusCode(rawValue: 1498)
  /// The server failed.
  public static let internalError = UAFStatusCode(rawValue: 1500)
}

extension UAFVerificationError.Code {
  /// The status code of a response that fails this check.
  public var statusCode: UAFStatusCode {
    switch self {
    case .messageMalformed, .finalChallengeMalformed, .assertionMalformed, .criticalTagUnknown, .extensionUnknown,
      .operationMismatch, .keyIDInvalid, .nonceTooShort, .authenticationModeInvalid, .signatureFormInvalid,
      .finalChallengeHashMismatch, .rawVerificationDataExposed:
      .badRequest
    case .versionUnsupported: .unacceptableClientCapabilities
    case .serverDataInvalid, .requestExpired, .requestUsed, .challengeMismatch: .requestInvalid
    case .appIDMismatch, .facetUntrusted, .signatureInvalid, .counterNotIncreased, .counterImplausible,
      .alreadyRegistered, .keyNotAdmitted:
      .forbidden
    case .channelBindingMismatch: .channelBindingRefused
    case .modelUnknown: .unknownAAID
    case .keyUnknown: .unknownKeyID
    case .schemeMismatch, .modelVersionMismatch, .policyMismatch, .authenticatorVersionTooLow:
      .unacceptableAuthenticator
    case .algorithmMismatch, .algorithmUnsupported: .unacceptableAlgorithm
    case .publicKeyFormMismatch, .publicKeyInvalid, .enrollmentChanged: .unacceptableKey
    case .attestationTypeNotAllowed, .attestationRootsMissing, .surrogateNotAllowed, .attestationCertificateInvalid,
      .attestationModelMismatch, .attestationUntrusted, .attestationCertificateExpired, .attestationSignatureInvalid:
      .unacceptableAttestation
    case .transactionNotConfirmed, .transactionUnexpected, .transactionMismatch: .unacceptableContent
    }
  }
}
