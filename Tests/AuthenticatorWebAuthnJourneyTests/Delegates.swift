import AuthenticatorWebAuthnJourney
import Synchronization

/// Answers a choice as a test says, and keeps what was offered.
final class ChoosingDelegate: PlatformAuthenticatorAuthenticationDelegate {
  private let answer: ([String]) -> [String?]
  private(set) var offered: [[String]] = []

  /// - Parameter answer: every answer in order; none is silence.
  init(_ answer: @escaping ([String]) -> [String?]) { self.answer = answer }

  func selectCredential(keyNames: [String], selectionCallback: @escaping WebAuthnCredentialsSelectionCallback) {
    offered.append(keyNames)
    for name in answer(keyNames) { selectionCallback(name) }
  }
}

/// Answers from another thread, after the delegate has returned.
final class LateDelegate: PlatformAuthenticatorAuthenticationDelegate {
  func selectCredential(keyNames: [String], selectionCallback: @escaping WebAuthnCredentialsSelectionCallback) {
    Task.detached { selectionCallback(keyNames.last) }
  }
}

/// Answers questions for consent, and keeps them.
final class ConsentDelegate: PlatformAuthenticatorRegistrationDelegate {
  private let answer: WebAuthnUserConsentResult?
  private let meanwhile: () -> Void
  private(set) var questions: [[String]] = []

  /// - Parameters:
  ///   - answer: nil is silence.
  ///   - meanwhile: what happens while the person thinks.
  init(_ answer: WebAuthnUserConsentResult?, meanwhile: @escaping () -> Void = {}) {
    self.answer = answer
    self.meanwhile = meanwhile
  }

  func excludeCredentialDescriptorConsent(consentCallback: @escaping WebAuthnUserConsentCallback) {
    questions.append(["excluded"])
    if let answer { consentCallback(answer) }
  }

  func createNewCredentialConsent(
    keyName: String, rpName: String, rpId: String, userName: String, userDisplayName: String,
    consentCallback: @escaping WebAuthnUserConsentCallback
  ) {
    questions.append([keyName, rpName, rpId, userName, userDisplayName])
    meanwhile()
    if let answer { consentCallback(answer) }
  }
}
