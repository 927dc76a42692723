internal import AuthenticatorCoding
internal import AuthenticatorCore

/// What a relying party tells about its credentials (WebAuthn Level 3 section 5.1.10), and what it may ask about this
/// client (section 5.1.7).
///
/// Signals tell nothing back: whether anything matched, or could be written, only the app itself may find out, at the
/// authenticator.
extension WebAuthnClient {
  /// The credential is not known: it is not offered any more.
  /// - Throws: `WebAuthnError` TypeError for a name that is not base64url, SecurityError.
  public func signalUnknownCredential(
    relyingPartyID: String, credentialID: String, caller: WebAuthnCaller
  ) async throws {
    let id = try Self.credentialID(credentialID)
    try await signal(relyingPartyID, caller) { try await $0.hideCredential(id, of: $1) }
  }

  /// These are all credentials that are accepted for an account: of what is here, only they are offered.
  /// - Throws: `WebAuthnError` TypeError for text that is not base64url, SecurityError.
  public func signalAllAcceptedCredentials(
    relyingPartyID: String, userID: String, allAcceptedCredentialIDs: [String], caller: WebAuthnCaller
  ) async throws {
    let user = try Self.bytes(userID)
    let ids = Set(try allAcceptedCredentialIDs.map(Self.credentialID))
    try await signal(relyingPartyID, caller) { try await $0.acceptCredentials(ids, userHandle: user, of: $1) }
  }

  /// The account's names are now these.
  /// - Throws: `WebAuthnError` TypeError for text that is not base64url, SecurityError.
  public func signalCurrentUserDetails(
    relyingPartyID: String, userID: String, name: String, displayName: String, caller: WebAuthnCaller
  ) async throws {
    let user = try Self.bytes(userID)
    try await signal(relyingPartyID, caller) {
      try await $0.renameUser(user, of: $1, name: name, displayName: displayName)
    }
  }

  private func signal(
    _ relyingPartyID: String, _ caller: WebAuthnCaller,
    _ body: (WebAuthnPlatformAuthenticator, String) async throws -> Void
  ) async throws {
    let id = try await self.relyingPartyID(relyingPartyID, caller, until: deadline(nil))
    do { try await body(authenticator, id) } catch {
      // Told to nobody: from an error the relying party would learn that the credential is here.
    }
  }

  private static func bytes(_ text: String) throws -> [UInt8] {
    do { return try Base64URL.decode(text) } catch { throw WebAuthnError(.type, "not base64url") }
  }

  private static func credentialID(_ text: String) throws -> CredentialID {
    guard let id = CredentialID(try bytes(text)) else { throw WebAuthnError(.type, "not a credential ID") }
    return id
  }

  /// What this client can do, by the standard's names in alphabetical order.
  public func clientCapabilities() async -> [(name: String, isSupported: Bool)] {
    let suggests = authenticator.selectionDelegate != nil
    let canVerify = await canVerify()
    var capabilities: [String: Bool] = [
      "conditionalCreate": true, "conditionalGet": suggests, "hybridTransport": false,
      "immediateGet": true, "passkeyPlatformAuthenticator": canVerify,
      "relatedOrigins": configuration.transport != nil && configuration.publicSuffixes != nil,
      "signalAllAcceptedCredentials": true, "signalCurrentUserDetails": true, "signalUnknownCredential": true,
      "userVerifyingPlatformAuthenticator": canVerify,
    ]
    for name in Self.extensionNames { capabilities["extension:\(name)"] = true }
    return capabilities.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static let extensionNames = [
    "appid", "appidExclude", "credBlob", "credProps", "credentialProtectionPolicy", "getCredBlob", "hmacCreateSecret",
    "largeBlob", "minPinLength", "prf", "uvm",
  ]
}
