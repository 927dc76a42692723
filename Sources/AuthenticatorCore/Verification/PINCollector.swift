import AuthenticatorCrypto

/// Where PIN entry lives: it collects and forgets. The store decides whether a PIN is right.
public protocol PINCollector: Sendable {
  /// Asks for one PIN.
  /// - Throws: `userCanceled`, `systemCanceled`, `timedOut`, `notInteractive`.
  func collectPIN(_ request: PINRequest) async throws -> SecretBytes
}

/// What is asked for.
public struct PINRequest: Sendable {
  /// What the PIN is for.
  public enum Purpose: Hashable, Sendable {
    /// A new PIN within the policy.
    case create(PINPolicy)
    /// The current PIN; `attemptsRemaining` before a lockout, when known.
    case enter(attemptsRemaining: Int?)
    /// The new PIN of a change, after the current one was entered.
    case change(PINPolicy)
  }

  /// What the PIN is for.
  public var purpose: Purpose
  /// What the person reads.
  public var prompt: Prompt
  /// The uptime at which entry ends.
  public var deadline: Duration

  /// Makes a request.
  public init(purpose: Purpose, prompt: Prompt, deadline: Duration) {
    self.purpose = purpose
    self.prompt = prompt
    self.deadline = deadline
  }
}

/// The limits of an application PIN. The text is normalized (NFKC) before both are checked.
public struct PINPolicy: Hashable, Sendable {
  /// At least this many characters (extended grapheme clusters).
  public var minimumCharacters: Int
  /// At most this many bytes of UTF-8.
  public var maximumBytes: Int

  /// Makes a policy.
  public init(minimumCharacters: Int = 4, maximumBytes: Int = 256) {
    self.minimumCharacters = minimumCharacters
    self.maximumBytes = maximumBytes
  }
}
