import AuthenticatorCore

/// What the terminal prompts say of themselves; replace it to speak another language.
public struct TerminalTexts: Sendable {
  /// Before the entry of the device passcode.
  public var passcode = "Device passcode:"
  /// Before the entry of the present PIN.
  public var pin = "PIN:"
  /// Before the entry of a new PIN.
  public var newPIN = "New PIN:"
  /// The limits of a new PIN, before it is entered.
  public var pinPolicy: @Sendable (PINPolicy) -> String = {
    "The PIN has at least \($0.minimumCharacters) characters and at most \($0.maximumBytes) bytes."
  }
  /// After a new PIN outside its limits; the limits are shown again after it.
  public var pinRejected = "Too short or too long."
  /// Before a new PIN is entered again.
  public var repeatPIN = "The same PIN again:"
  /// After two entries of a new PIN that differ.
  public var different = "The two entries differ."
  /// After a wrong passcode.
  public var wrong = "Wrong."
  /// Where any key is a sign of presence.
  public var presence = "Press Return to go on, Control-C to cancel."
  /// Where a yes or no is asked for; answered by one of `yes` or `no`.
  public var approval = "yes or no?"
  /// Answers that mean yes.
  public var yes: Set<String> = ["yes", "y"]
  /// Answers that mean no.
  public var no: Set<String> = ["no", "n"]
  /// Before the number of a choice.
  public var choice = "Number:"
  /// How many tries are left.
  public var attemptsRemaining: @Sendable (Int) -> String = { "Tries left: \($0)" }

  /// English.
  public init() {}
}
