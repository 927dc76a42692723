/// A protocol's wish for a new key, with what the person sees if a PIN has to be asked for.
public struct RegistrationRequest: Sendable {
  public var key: KeyRequest
  public var operation: OperationID
  public var prompt: Prompt
  /// The uptime at which the operation ends.
  public var deadline: Duration
  /// A ticket of the same operation: nothing is asked again.
  public var ticket: VerificationTicket?

  public init(
    key: KeyRequest, operation: OperationID, prompt: Prompt, deadline: Duration, ticket: VerificationTicket? = nil
  ) {
    self.key = key
    self.operation = operation
    self.prompt = prompt
    self.deadline = deadline
    self.ticket = ticket
  }
}

/// A protocol's wish to use a key once.
public struct SigningRequest: Sendable {
  public var record: KeyRecord
  public var operation: OperationID
  /// A minimum; the key's gate may demand more.
  public var level: VerificationLevel
  public var prompt: Prompt
  /// The uptime at which the operation ends.
  public var deadline: Duration
  /// A ticket of the same operation: nothing is asked again.
  public var ticket: VerificationTicket?

  public init(
    record: KeyRecord, operation: OperationID, level: VerificationLevel = .none, prompt: Prompt,
    deadline: Duration, ticket: VerificationTicket? = nil
  ) {
    self.record = record
    self.operation = operation
    self.level = level
    self.prompt = prompt
    self.deadline = deadline
    self.ticket = ticket
  }
}
