internal import AuthenticatorCoding

/// The scripts of the form for browsers. They run in a page that has the hidden field and a button `loginButton_0`.
///
/// Readers of this form search the text with patterns that run to the last bracket, so the options stand at the end,
/// and a list that is empty is left out.
enum WebAuthnScript {
  /// Shows that the browser is waiting for the authenticator.
  static let waiting = """
    (function () {
      "use strict";
      var note = document.createElement("p");
      note.setAttribute("role", "status");
      note.textContent = "Waiting for your device";
      document.body.appendChild(note);
    })();
    """

  /// A text as a literal of JavaScript that can also stand inside an HTML document.
  static func literal(_ text: String) -> String {
    JSONValue.string(text).serializedString().replacing("<", with: "\\u003C").replacing("\u{2028}", with: "\\u2028")
      .replacing("\u{2029}", with: "\\u2029")
  }

  /// JSON as an expression of JavaScript that can also stand inside an HTML document.
  static func expression(_ value: JSONValue) -> String {
    value.serializedString().replacing("<", with: "\\u003C").replacing("\u{2028}", with: "\\u2028")
      .replacing("\u{2029}", with: "\\u2029")
  }

  /// Registers: `members` are the options' members, one a line.
  static func create(members: [String]) -> String { ceremony("create", answer: creation, members: members) }

  /// Signs in.
  static func get(members: [String]) -> String { ceremony("get", answer: request, members: members) }

  private static let creation = """
    text(response.clientDataJSON) + "::" + numbers(response.attestationObject) + "::" + credential.id
    """

  private static let request = """
    text(response.clientDataJSON) + "::" + numbers(response.authenticatorData) + "::" +
        numbers(response.signature) + "::" + credential.id +
        (response.userHandle ? "::" + text(response.userHandle) : "")
    """

  private static func ceremony(_ function: String, answer: String, members: [String]) -> String {
    """
    (function () {
      "use strict";
      function finish(outcome) {
        document.getElementById("\(WebAuthnOutcome.fieldID)").value = outcome;
        document.getElementById("loginButton_0").click();
      }
      function text(buffer) { return new TextDecoder().decode(buffer); }
      function numbers(buffer) { return new Int8Array(buffer).toString(); }
      function fail(error) { finish("ERROR::" + error); }
      function succeed(credential) {
        var response = credential.response;
        finish(\(answer));
      }
      if (!window.PublicKeyCredential) {
        finish("unsupported");
        return;
      }
      var options = {
        \(members.joined(separator: ",\n    "))
      };
      navigator.credentials.\(function)({ publicKey: options }).then(succeed, fail);
    })();
    """
  }
}
