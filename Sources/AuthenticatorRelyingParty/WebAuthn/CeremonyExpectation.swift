import AuthenticatorCoding
import AuthenticatorCrypto

/// What a relying party expects of any ceremony, registration or authentication.
public struct CeremonyExpectation: Hashable, Sendable {
  /// The challenge that was sent, at least 16 bytes; it must be consumed whatever the result.
  public var challenge: [UInt8]
  /// The origins that may have run the ceremony, compared as whole texts: web origins and the forms of native apps.
  public var origins: Set<String>
  /// The relying party ID that was sent or defaulted to.
  public var relyingPartyID: String
  /// Whether the person must have been verified.
  public var requiresUserVerification: Bool
  /// Whether the ceremony may run in a frame of another origin.
  public var allowsCrossOrigin: Bool
  /// The outermost pages that may frame it; naming any allows cross-origin use.
  public var topOrigins: Set<String>

  /// See the properties.
  public init(
    challenge: [UInt8], origins: Set<String>, relyingPartyID: String, requiresUserVerification: Bool = false,
    allowsCrossOrigin: Bool = false, topOrigins: Set<String> = []
  ) {
    self.challenge = challenge
    self.origins = origins
    self.relyingPartyID = relyingPartyID
    self.requiresUserVerification = requiresUserVerification
    self.allowsCrossOrigin = allowsCrossOrigin
    self.topOrigins = topOrigins
  }

  init(_ members: ExpectationMembers) throws(ExpectationError) {
    challenge = try members.bytes("challenge")
    guard !challenge.isEmpty else { throw members.error("challenge") }
    origins = Set(try members.texts("origins"))
    guard !origins.isEmpty else { throw members.error("origins") }
    relyingPartyID = try members.text("rpId")
    guard !relyingPartyID.isEmpty else { throw members.error("rpId") }
    // The standard reads an unknown word as none; one who writes an expectation has misspelled it.
    let verification: UserVerification? = try members.word("userVerification")
    requiresUserVerification = verification == .required
    allowsCrossOrigin = try members.optionalBool("crossOrigin") ?? false
    topOrigins = Set(try members.texts("topOrigins"))
  }

  private enum UserVerification: String { case required, preferred, discouraged }

  // MARK: - Steps that both ceremonies share

  /// Type, challenge, origin, and the rules for frames (WebAuthn Level 3 sections 7.1 and 7.2).
  func check(clientData bytes: [UInt8], type: String) throws(WebAuthnVerificationError) {
    let data = try ReceivedClientData(bytes)
    guard data.type == type else {
      throw WebAuthnVerificationError(.ceremonyMismatch, "the client data is of another ceremony")
    }
    guard let received = data.challenge, !challenge.isEmpty, ConstantTime.equals(received, challenge) else {
      throw WebAuthnVerificationError(.challengeMismatch, "the challenge is not the one that was sent")
    }
    guard origins.contains(where: { $0.isIdentical(to: data.origin) }) else {
      throw WebAuthnVerificationError(.originMismatch, "the origin is not an expected one")
    }
    let mayBeFramed = allowsCrossOrigin || !topOrigins.isEmpty
    guard !data.crossOrigin || mayBeFramed else {
      throw WebAuthnVerificationError(.crossOriginNotAllowed, "the ceremony ran in a frame of another origin")
    }
    if let topOrigin = data.topOrigin {
      guard mayBeFramed else {
        throw WebAuthnVerificationError(.crossOriginNotAllowed, "the ceremony names an outermost page")
      }
      guard topOrigins.contains(where: { $0.isIdentical(to: topOrigin) }) else {
        throw WebAuthnVerificationError(.topOriginMismatch, "the outermost page is not an expected one")
      }
    }
  }

  /// The relying party ID, or the AppID in its place where that was agreed on.
  func checkRelyingPartyID(
    _ data: ReceivedAuthenticatorData, appID: String? = nil
  ) throws(WebAuthnVerificationError) {
    guard data.relyingPartyIDHash.elementsEqual(SHA256.hash(Array((appID ?? relyingPartyID).utf8))) else {
      throw WebAuthnVerificationError(.relyingPartyIDMismatch, "the credential is another relying party's")
    }
  }

  /// Presence, verification, and flags that contradict each other.
  func checkFlags(_ flags: WebAuthnFlags, requiresUserPresence: Bool = true) throws(WebAuthnVerificationError) {
    guard !requiresUserPresence || flags.contains(.userPresent) else {
      throw WebAuthnVerificationError(.userNotPresent, "nobody was there")
    }
    guard !requiresUserVerification || flags.contains(.userVerified) else {
      throw WebAuthnVerificationError(.userNotVerified, "the person was not verified")
    }
    guard flags.contains(.backupEligible) || !flags.contains(.backedUp) else {
      throw WebAuthnVerificationError(.backupFlagsInvalid, "backed up without being eligible")
    }
  }
}
