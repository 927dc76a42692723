import AuthenticatorCBOR
import AuthenticatorCoding
import AuthenticatorCrypto

/// What a relying party expects of a sign-in with one of its credentials.
public struct AuthenticationExpectation: Sendable {
  /// Who is signing in.
  public enum Account: Hashable, Sendable {
    /// Not stated: whoever asks knows whose the record is. A handle in the response must be the record's, when both are
    /// there.
    case unspecified
    /// The account was named before; its handle, which must be the record's.
    case known([UInt8])
    /// The response must name the account, and the record must be that account's. The handle in a response is not
    /// signed: without a record that names it, it is the word of whoever sends it.
    case unknown
  }

  /// What to do when the counter did not rise, which hints at a copied authenticator.
  public enum SignCountPolicy: String, Sendable {
    /// Refuse.
    case reject
    /// Accept and say so in the verdict.
    case flag
    /// Accept.
    case accept
  }

  /// What to do when the credential's eligibility for backup has changed, which the standard forbids.
  public enum BackupEligibilityPolicy: String, Sendable {
    /// Refuse.
    case strict
    /// Accept that a credential has become eligible: some providers' credentials have.
    case allowUpgrade
  }

  /// What is expected of any ceremony.
  public var ceremony: CeremonyExpectation
  /// The list that was sent; empty: any credential.
  public var allowedCredentialIDs: Set<[UInt8]>
  /// Who is signing in.
  public var account: Account
  /// What a counter that did not rise means.
  public var signCountPolicy: SignCountPolicy
  /// What a change of eligibility means.
  public var backupEligibilityPolicy: BackupEligibilityPolicy
  /// The AppID of the extension `appid`, when it was sent.
  public var appID: String?

  /// See the properties.
  public init(
    ceremony: CeremonyExpectation, allowedCredentialIDs: Set<[UInt8]> = [], account: Account = .unspecified,
    signCountPolicy: SignCountPolicy = .reject, backupEligibilityPolicy: BackupEligibilityPolicy = .strict,
    appID: String? = nil
  ) {
    self.ceremony = ceremony
    self.allowedCredentialIDs = allowedCredentialIDs
    self.account = account
    self.signCountPolicy = signCountPolicy
    self.backupEligibilityPolicy = backupEligibilityPolicy
    self.appID = appID
  }

  /// Reads an expectation: the members of `CeremonyExpectation`, and optionally `allowCredentials` (names or
  /// descriptors), `userHandle` (null: the account is unknown), `signCountPolicy`, `backupEligibilityPolicy`, `appid`.
  ///
  /// The credential's record stands beside them in `credential`. Throws `ExpectationError`, which names the member.
  public init(json: JSONValue) throws(ExpectationError) {
    let members = try ExpectationMembers(json)
    self.init(ceremony: try CeremonyExpectation(members))
    allowedCredentialIDs = try members.credentialIDs("allowCredentials")
    // Nothing depends on it, but a word that is none was meant to be another.
    _ = try members.mediation()
    if let handle = try members.optionalUserHandle() {
      account = .known(handle)
    } else if members.object["userHandle"] != nil {
      account = .unknown
    }
    if let text = try members.optionalText("signCountPolicy") {
      guard let policy = SignCountPolicy(rawValue: text) else { throw members.error("signCountPolicy") }
      signCountPolicy = policy
    }
    if let text = try members.optionalText("backupEligibilityPolicy") {
      guard let policy = BackupEligibilityPolicy(rawValue: text) else {
        throw members.error("backupEligibilityPolicy")
      }
      backupEligibilityPolicy = policy
    }
    appID = try members.optionalText("appid")
  }
}

/// What a verified sign-in amounts to.
public struct AuthenticationVerdict: Sendable {
  /// The record to store in place of the old one, in the step that accepts the sign-in.
  public let credential: WebAuthnCredentialRecord
  /// What the authenticator signed about the ceremony.
  public let flags: WebAuthnFlags
  /// The account that the record names; nil when it names none, whatever the response says.
  public let userHandle: [UInt8]?
  /// Whether the counter did not rise; the stored value is kept then.
  public let isSignCountMismatched: Bool
  /// The authenticator's extension outputs, whether or not they were asked for; nil when there are none.
  public let authenticatorExtensions: CBORMap?
  /// The client's extension outputs as received.
  public let clientExtensionResults: JSONObject

  /// `{"verified": true, "credential": …, "flags": …}`.
  public var json: JSONValue {
    ["verified": true, "credential": credential.json, "flags": .object(flags.json)]
  }
}

extension WebAuthnVerificationError {
  /// `{"verified": false, "error": …, "step": …}`.
  public var json: JSONValue { ["verified": false, "error": .string(code.rawValue), "step": .string(step)] }
}

// MARK: - Verification

extension AuthenticationExpectation {
  /// Verifies a sign-in with a stored credential, step by step (WebAuthn Level 3 section 7.2).
  ///
  /// The caller has looked the credential up by the response's ID. Throws the error of the first step that fails; the
  /// counter comes last, so a mismatch says that all else was in order.
  public func verify(
    _ response: ReceivedAuthentication, with credential: WebAuthnCredentialRecord
  ) throws(WebAuthnVerificationError) -> AuthenticationVerdict {
    guard allowedCredentialIDs.isEmpty || allowedCredentialIDs.contains(response.id) else {
      throw WebAuthnVerificationError(.credentialNotAllowed, "the credential is not in the list that was sent")
    }
    guard response.id == credential.id else {
      throw WebAuthnVerificationError(.credentialMismatch, "the response is of another credential")
    }
    try checkAccount(response.userHandle, credential.userHandle)
    try ceremony.check(clientData: response.clientDataJSON, type: "webauthn.get")

    let data = try ReceivedAuthenticatorData(response.authenticatorData)
    let usedAppID = response.clientExtensionResults["appid"] == true ? appID : nil
    try ceremony.checkRelyingPartyID(data, appID: usedAppID)
    try ceremony.checkFlags(data.flags)
    try checkBackupEligibility(data.flags.contains(.backupEligible), stored: credential.backupEligible)
    guard data.attested == nil else {
      throw WebAuthnVerificationError(.attestedCredentialDataUnexpected, "an assertion has no credential data")
    }

    var message = response.authenticatorData
    message += SHA256.hash(response.clientDataJSON)
    guard credential.publicKey.isValidSignature(response.signature, for: message) else {
      throw WebAuthnVerificationError(.signatureInvalid, "the signature is not one of this assertion")
    }

    let hasRisen = data.signCount > credential.signCount || data.signCount == 0 && credential.signCount == 0
    guard hasRisen || signCountPolicy != .reject else {
      throw WebAuthnVerificationError(.signCountMismatch, "the counter did not rise")
    }
    var updated = credential
    if hasRisen { updated.signCount = data.signCount }
    updated.backedUp = data.flags.contains(.backedUp)
    updated.backupEligible = data.flags.contains(.backupEligible)
    return AuthenticationVerdict(
      credential: updated, flags: data.flags, userHandle: credential.userHandle,
      isSignCountMismatched: !hasRisen && signCountPolicy == .flag, authenticatorExtensions: data.extensions,
      clientExtensionResults: response.clientExtensionResults)
  }

  private func checkAccount(_ received: [UInt8]?, _ stored: [UInt8]?) throws(WebAuthnVerificationError) {
    switch account {
    case .unspecified: break
    case .known(let handle):
      guard stored != nil else { throw Self.unowned }
      guard received ?? handle == handle, stored == handle else {
        throw WebAuthnVerificationError(.userHandleMismatch, "the credential is another account's")
      }
    case .unknown:
      guard received != nil else {
        throw WebAuthnVerificationError(.userHandleMissing, "the response names no account")
      }
      guard stored != nil else { throw Self.unowned }
    }
    guard received == nil || stored == nil || received == stored else {
      throw WebAuthnVerificationError(.userHandleMismatch, "the credential is another account's")
    }
  }

  private static let unowned = WebAuthnVerificationError(
    .userHandleMismatch, "the record of the credential names no account")

  private func checkBackupEligibility(_ isEligible: Bool, stored: Bool) throws(WebAuthnVerificationError) {
    let isUpgrade = isEligible && !stored
    guard isEligible == stored || isUpgrade && backupEligibilityPolicy == .allowUpgrade else {
      throw WebAuthnVerificationError(.backupEligibilityChanged, "eligibility for backup is fixed at registration")
    }
  }
}
