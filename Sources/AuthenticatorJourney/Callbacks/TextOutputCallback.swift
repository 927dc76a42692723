/// Shows a text. A script is never run and is left out of the reply, which the server expects.
public final class TextOutputCallback: Callback {
  public override class var wireType: String { "TextOutputCallback" }

  /// What kind of text it is.
  public enum MessageType: Hashable, Sendable {
    /// 0 on the wire.
    case information
    /// 1 on the wire.
    case warning
    /// 2 on the wire.
    case error
    /// 4 on the wire: JavaScript for a browser.
    case script
    /// A number this client does not know; nil when it is no number.
    case unknown(Int?)
  }

  /// Server text. For a script, its source: do not show it.
  public var message: String { payload.text("message") ?? "" }

  /// Information when the server does not say.
  public var messageType: MessageType {
    guard payload.output("messageType") != nil else { return .information }
    switch payload.wholeNumber("messageType") {
    case 0: return .information
    case 1: return .warning
    case 2: return .error
    case 4: return .script
    case let other: return .unknown(other)
    }
  }

  /// Scripts, and texts whose kind cannot be read, are not sent back.
  public override var isEchoed: Bool {
    switch messageType {
    case .script, .unknown(nil): false
    default: true
    }
  }
}

/// Says that the flow is parked until the person opens a link.
public final class SuspendedTextOutputCallback: Callback {
  public override class var wireType: String { "SuspendedTextOutputCallback" }

  /// Server text.
  public var message: String { payload.text("message") ?? "" }
}
