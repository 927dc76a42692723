/// A protocol's request to an authenticator: verify the person. It asks for a level, never for a method.
public struct VerificationRequest: Sendable {
  /// The ceremony; the ticket is good for no other.
  public var operation: OperationID
  /// A minimum.
  public var level: VerificationLevel
  /// Whose key it is about; picks the PIN's domain before a key exists.
  public var owner: KeyOwner
  /// What the person reads.
  public var prompt: Prompt
  /// The uptime at which the operation ends (`AuthenticatorEnvironment.uptime`); raced against the verifier.
  public var deadline: Duration
  /// The keys the ticket may open, each once; nil: any one key, once.
  public var keys: Set<KeyTag>?
  /// Whether a key is about to be made: the app's fallback button belongs to signing in and is not offered then.
  public var isRegistration: Bool

  /// Makes a request.
  public init(
    operation: OperationID, level: VerificationLevel, owner: KeyOwner, prompt: Prompt, deadline: Duration,
    keys: Set<KeyTag>? = nil, isRegistration: Bool = false
  ) {
    self.operation = operation
    self.level = level
    self.owner = owner
    self.prompt = prompt
    self.deadline = deadline
    self.keys = keys
    self.isRegistration = isRegistration
  }
}
