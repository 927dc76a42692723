import AuthenticatorKit

/// A list with a button for each passkey. It shows less than it is given, and answers with what it was given.
final class Chooser: PlatformAuthenticatorAuthenticationDelegate {
  var pressed: String?

  func selectCredential(keyNames: [String], selectionCallback: @escaping WebAuthnCredentialsSelectionCallback) {
    let buttons = keyNames.map { $0.prefix { $0 != " " } }
    print("  which passkey?", buttons.joined(separator: ", "))
    let index = buttons.firstIndex { $0 == pressed ?? "" }
    selectionCallback(index.map { keyNames[$0] })
  }
}
