import AuthenticatorCoding
import AuthenticatorCore

/// What a binding proof is made of.
public struct SigningParameters: Sendable {
  /// The new key, opened.
  public var key: SigningKey
  /// `kid`
  public var keyID: String
  /// `sub`, verbatim.
  public var userID: String
  /// `challenge`, verbatim.
  public var challenge: String
  /// `iss`
  public var issuer: String
  /// `platform`
  public var platform: String
  /// `iat`, on the server's clock.
  public var issueTime: UnixTime
  /// `nbf`, on the server's clock.
  public var notBeforeTime: UnixTime
  /// `exp`, on the server's clock.
  public var expirationTime: UnixTime
  /// DER certificates for `jwk.x5c`; nil: none was asked for.
  public var attestation: [[UInt8]]?

  /// Makes parameters; `DeviceBindingCallback` does.
  public init(
    key: SigningKey, keyID: String, userID: String, challenge: String, issuer: String, platform: String,
    issueTime: UnixTime, notBeforeTime: UnixTime, expirationTime: UnixTime, attestation: [[UInt8]]? = nil
  ) {
    self.key = key
    self.keyID = keyID
    self.userID = userID
    self.challenge = challenge
    self.issuer = issuer
    self.platform = platform
    self.issueTime = issueTime
    self.notBeforeTime = notBeforeTime
    self.expirationTime = expirationTime
    self.attestation = attestation
  }
}

/// What a signing proof is made of.
public struct UserKeySigningParameters: Sendable {
  /// The bound key, opened.
  public var key: SigningKey
  /// Whose key it is; gives `kid` and `sub`.
  public var userKey: UserKey
  /// `challenge`, verbatim.
  public var challenge: String
  /// `iss`
  public var issuer: String
  /// `iat`, on the server's clock.
  public var issueTime: UnixTime
  /// `nbf`, on the server's clock.
  public var notBeforeTime: UnixTime
  /// `exp`, on the server's clock.
  public var expirationTime: UnixTime
  /// The app's claims; those of the proof win over equal names.
  public var customClaims: JSONObject

  /// Makes parameters; `DeviceSigningVerifierCallback` does.
  public init(
    key: SigningKey, userKey: UserKey, challenge: String, issuer: String, issueTime: UnixTime,
    notBeforeTime: UnixTime, expirationTime: UnixTime, customClaims: JSONObject = JSONObject()
  ) {
    self.key = key
    self.userKey = userKey
    self.challenge = challenge
    self.issuer = issuer
    self.issueTime = issueTime
    self.notBeforeTime = notBeforeTime
    self.expirationTime = expirationTime
    self.customClaims = customClaims
  }
}
