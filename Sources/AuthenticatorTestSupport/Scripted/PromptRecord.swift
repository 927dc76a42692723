import AuthenticatorCoding
import AuthenticatorCore

/// One prompt that was shown.
public struct PromptRecord: Hashable, Sendable {
  /// What was asked for.
  public enum Kind: String, Hashable, Sendable {
    /// A touch, or the passcode where that is admitted too.
    case biometric
    /// The device passcode.
    case passcode
    /// An application PIN.
    case pin
    /// A sign that somebody is there.
    case presence
    /// Consent to a ceremony.
    case consent
    /// Agreement to a transaction's content.
    case transaction
    /// A choice among users, keys or credentials.
    case choose
    /// Another authenticator, after one failed.
    case alternative
  }

  /// What was asked for; a prompt in which the person turned to the passcode remains `.biometric`.
  public var kind: Kind
  /// The title and the subtitle.
  public var title: String
  /// The text under the title.
  public var subtitle: String
  /// Why.
  public var reason: String
  /// The cancel button; nil: the platform's own.
  public var cancelTitle: String?
  /// The app's fallback button; nil: there was none.
  public var fallbackTitle: String?
  /// What was to be agreed to, or the labelled lines.
  public var content: String?
  /// What there was to choose from.
  public var options: [String]?
  /// How it ended: `success` for a verification, `entered` for a PIN, `approved` or `refused`, the text chosen, or the
  /// code of the error. Nil while it is shown, and forever when it hangs.
  public var result: String?

  init(_ kind: Kind, _ prompt: Prompt, content: String? = nil, options: [String]? = nil) {
    let lines = prompt.lines.map { "\($0.label): \($0.text)" }.joined(separator: "\n")
    self.kind = kind
    title = prompt.title
    subtitle = prompt.subtitle
    reason = prompt.reason
    cancelTitle = prompt.cancelTitle
    fallbackTitle = prompt.fallbackTitle
    self.content = content ?? (lines.isEmpty ? nil : lines)
    self.options = options
  }

  /// The line of a transcript: JSON and a line feed.
  public var transcriptLine: [UInt8] {
    let text = { (text: String?) -> JSONValue in text.map { .string($0) } ?? .null }
    let object: JSONValue = [
      "kind": .string(kind.rawValue), "reason": .string(reason), "cancelTitle": text(cancelTitle),
      "fallbackTitle": text(fallbackTitle), "content": text(content),
      "options": options.map { .array($0.map { .string($0) }) } ?? .null, "result": text(result),
    ]
    return object.serialized() + [0x0A]
  }
}
