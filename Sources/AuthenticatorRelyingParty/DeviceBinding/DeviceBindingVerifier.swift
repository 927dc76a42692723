internal import AuthenticatorCoding

/// The verifying side of device binding and signing: decides whether a proof is what the server asked for.
///
/// It keeps nothing. That a challenge is used once is owed by the caller, who made it: verify in the same step that
/// consumes it.
public struct DeviceBindingVerifier: Sendable {
  /// The values `iss` may have.
  public var applicationIDs: [String]
  /// How far the device's clock may be off, in seconds, either way.
  public var clockSkew: Int64
  /// How far ahead `exp` may lie, in seconds, not counting the skew.
  public var maximumLifetime: Int64

  /// Makes a verifier; a minute of skew and an hour of life unless told otherwise.
  public init(applicationIDs: [String], clockSkew: Int64 = 60, maximumLifetime: Int64 = 3600) {
    self.applicationIDs = applicationIDs
    self.clockSkew = clockSkew
    self.maximumLifetime = maximumLifetime
  }

  /// Checks the proof that binds a key: signed by the key it carries, for this user and challenge.
  ///
  /// - Parameters:
  ///   - userID: the user's universal identifier, as it was sent; `sub` must be the same text.
  ///   - challenge: as it was sent; never decoded.
  ///   - now: seconds since 1970.
  /// - Returns: the key to store.
  public func verifyBinding(
    _ text: String, userID: String, challenge: String, now: Int64
  ) throws(DeviceBindingVerificationError) -> (key: BoundKey, proof: DeviceProof) {
    let proof = try DeviceProof(text)
    let key = try BoundKey(jwk: proof.header["jwk"], keyID: proof.keyID)
    guard proof.isSigned(by: key.publicKey) else { throw DeviceBindingVerificationError(.signature) }
    try checkClaims(of: proof, userID: userID, challenge: challenge, now: now)
    return (key, proof)
  }

  /// Checks the proof of a bound key.
  ///
  /// - Parameters:
  ///   - proof: its `keyID` named the key; the caller has looked it up.
  ///   - key: the bound key. One that the proof carries itself is compared with it and never used.
  ///   - userID: the universal identifier of the key's owner.
  ///   - challenge: as it was sent.
  ///   - now: seconds since 1970.
  public func verifySigning(
    _ proof: DeviceProof, key: BoundKey, userID: String, challenge: String, now: Int64
  ) throws(DeviceBindingVerificationError) {
    guard proof.keyID == key.keyID else { throw DeviceBindingVerificationError(.keyMismatch) }
    if let jwk = proof.header["jwk"] {
      guard try BoundKey(jwk: jwk, keyID: key.keyID).publicKey == key.publicKey else {
        throw DeviceBindingVerificationError(.keyMismatch)
      }
    }
    guard proof.isSigned(by: key.publicKey) else { throw DeviceBindingVerificationError(.signature) }
    try checkClaims(of: proof, userID: userID, challenge: challenge, now: now)
  }

  private func checkClaims(
    of proof: DeviceProof, userID: String, challenge: String, now: Int64
  ) throws(DeviceBindingVerificationError) {
    let claims = proof.claims
    guard Self.isExactly(claims["sub"], userID) else { throw DeviceBindingVerificationError(.subject) }
    guard let issuer = claims["iss"], applicationIDs.contains(where: { Self.isExactly(issuer, $0) }) else {
      throw DeviceBindingVerificationError(.issuer)
    }
    guard !challenge.isEmpty, Self.isExactly(claims["challenge"], challenge) else {
      throw DeviceBindingVerificationError(.challenge)
    }
    guard let expiry = Self.time(claims["exp"]), expiry + clockSkew > now else {
      throw DeviceBindingVerificationError(.expiry)
    }
    guard expiry - clockSkew <= now + maximumLifetime else { throw DeviceBindingVerificationError(.lifetime) }
    if let issueTime = claims["iat"] {
      guard let issueTime = Self.time(issueTime), issueTime - clockSkew <= now else {
        throw DeviceBindingVerificationError(.issueTime)
      }
    }
    if let notBefore = claims["nbf"] {
      guard let notBefore = Self.time(notBefore), notBefore - clockSkew <= now else {
        throw DeviceBindingVerificationError(.notBefore)
      }
    }
  }

  /// A NumericDate without fraction, from 0 to 2^53, so that no sum made of it can overflow.
  private static func time(_ value: JSONValue?) -> Int64? {
    guard let seconds = value?.wholeNumberValue, (0..<(1 << 53)).contains(seconds) else { return nil }
    return Int64(seconds)
  }

  /// Compares code unit by code unit: Swift's own comparison takes different bytes for the same text when they differ
  /// only in Unicode composition.
  private static func isExactly(_ value: JSONValue?, _ text: String) -> Bool {
    guard let value = value?.stringValue else { return false }
    return value.isIdentical(to: text)
  }
}
