import AuthenticatorCore
import AuthenticatorWebAuthn

/// Asks an app's authentication delegate by name and understands its answer by credential.
struct DelegateSelection: CredentialSelectionDelegate {
  let delegate: any PlatformAuthenticatorAuthenticationDelegate

  func selectCredential(
    among candidates: [PublicKeyCredentialSource], deadline: Duration
  ) async throws -> CredentialID? {
    let names = CredentialNames(candidates)
    let answer = try await DelegateAnswer.wait { (callback: @escaping WebAuthnCredentialsSelectionCallback) in
      delegate.selectCredential(keyNames: names.all, selectionCallback: callback)
    }
    return answer.flatMap(names.id(of:))
  }
}

/// Asks an app's registration delegate.
struct DelegateConsent: CredentialConsentDelegate {
  let delegate: any PlatformAuthenticatorRegistrationDelegate
  let environment: AuthenticatorEnvironment

  func consent(to ceremony: CeremonyDescription, deadline: Duration) async throws -> Bool {
    let answer = try await DelegateAnswer.wait { (callback: @escaping WebAuthnUserConsentCallback) in
      guard ceremony.kind != .excluded else {
        delegate.excludeCredentialDescriptorConsent(consentCallback: callback)
        return
      }
      let shown = ceremony.userDisplayName.isEmpty ? ceremony.userName : ceremony.userDisplayName
      let time = CredentialNames.localTime(ceremony.createdAt ?? environment.now())
      delegate.createNewCredentialConsent(
        keyName: shown.isEmpty ? time : "\(shown) \(time)", rpName: ceremony.relyingPartyName,
        rpId: ceremony.relyingPartyID, userName: ceremony.userName, userDisplayName: ceremony.userDisplayName,
        consentCallback: callback)
    }
    return answer == .allow
  }
}
