/// What the person reads.
public struct Prompt: Hashable, Sendable {
  /// The heading; may be empty.
  public var title: String
  /// The line under it; may be empty.
  public var subtitle: String
  /// Why verification is asked for, one sentence.
  public var reason: String
  /// The cancel button; nil leaves it to the platform.
  public var cancelTitle: String?
  /// The app's own fallback button. Nil: there is none and `fallbackRequested` cannot occur. Empty text is refused
  /// as `invalidRequest`.
  public var fallbackTitle: String?
  /// Labelled lines to show (relying party, account, transaction), in order.
  public var lines: [Line]
  /// What the app passes along to a verifier, responder, view or authenticator of its own, by name. The package reads
  /// none of it.
  public var extensions: [String: String]

  /// A labelled line.
  public struct Line: Hashable, Sendable {
    /// What the line is about.
    public var label: String
    /// Its content.
    public var text: String
    /// Makes a line.
    public init(label: String, text: String) {
      self.label = label
      self.text = text
    }
  }

  /// Makes a prompt.
  public init(
    title: String = "", subtitle: String = "", reason: String, cancelTitle: String? = nil,
    fallbackTitle: String? = nil, lines: [Line] = [], extensions: [String: String] = [:]
  ) {
    self.title = title
    self.subtitle = subtitle
    self.reason = reason
    self.cancelTitle = cancelTitle
    self.fallbackTitle = fallbackTitle
    self.lines = lines
    self.extensions = extensions
  }
}
