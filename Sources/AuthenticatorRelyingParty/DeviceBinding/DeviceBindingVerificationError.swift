/// Why a device's proof was refused. Names the check that failed and never the content that failed it.
public struct DeviceBindingVerificationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// PingAM's word for a failure; open, because nodes have words of their own.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A claim is missing, malformed or not what was asked for.
    public static let invalidClaim = Reason(rawValue: "INVALID_CLAIM")
    /// The proof cannot be read, or its signature is not one by the key it must be by.
    public static let invalidSignature = Reason(rawValue: "INVALID_SIGNATURE")
    /// The proof speaks for another user.
    public static let invalidSubject = Reason(rawValue: "INVALID_SUBJECT")
    /// There is no such user.
    public static let invalidUser = Reason(rawValue: "INVALID_USER")
    /// The user was switched off.
    public static let inactiveUser = Reason(rawValue: "NOT_ACTIVE_USER")
  }

  /// The check that failed.
  public enum Check: String, Hashable, Sendable, CaseIterable {
    /// More bytes than a proof may have.
    case size
    /// Not three base64url segments, or the header or payload is no JSON object.
    case form
    /// `alg` is not the pinned algorithm, or `typ` is of another use.
    case algorithm
    /// `crit` or `b64` is present: extensions this verifier does not have.
    case extensions
    /// `jku`, `x5u`, `x5c` or their like are present: a verifier takes keys from nobody.
    case foreignKey
    /// `kid` is missing, empty, too long or holds control characters.
    case keyID
    /// `jwk` is missing, malformed, holds a private key or contradicts the header.
    case publicKey
    /// `jwk` of a signing proof is not the bound key.
    case keyMismatch
    /// The signature has another form or is not by the key.
    case signature
    /// `sub`.
    case subject
    /// `iss` is not one of the application ids.
    case issuer
    /// `challenge` is not the one that was sent.
    case challenge
    /// `exp` is missing, malformed or past.
    case expiry
    /// `exp` lies further ahead than a proof may live.
    case lifetime
    /// `iat` is malformed or in the future.
    case issueTime
    /// `nbf` is malformed or in the future.
    case notBefore
  }

  /// The check that failed.
  public let check: Check

  /// Makes an error.
  public init(_ check: Check) { self.check = check }

  /// PingAM's word for it.
  public var reason: Reason {
    switch check {
    case .size, .form, .algorithm, .extensions, .foreignKey, .keyID, .publicKey, .keyMismatch, .signature:
      .invalidSignature
    case .subject: .invalidSubject
    case .issuer, .challenge, .expiry, .lifetime, .issueTime, .notBefore: .invalidClaim
    }
  }

  public var description: String { "\(reason.rawValue) (\(check.rawValue))" }
}
