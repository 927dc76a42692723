/// A protocol's wish for a new key, with what the person sees if a PIN has to be asked for.
public struct RegistrationRequest: Sendable {
  /// The key that is wanted.
  public var key: KeyRequest
  /// The ceremony; a ticket must be of the same.
  public var operation: OperationID
  /// What the person reads when a PIN must be asked for.
  public var prompt: Prompt
  /// The uptime at which the operation ends.
  public var deadline: Duration
  /// A ticket of the same operation: nothing is asked again.
  public var ticket: VerificationTicket?

  /// Makes a request.
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
  /// The key to open, as its store returned it.
  public var record: KeyRecord
  /// The ceremony; a ticket must be of the same.
  public var operation: OperationID
  /// A minimum; the key's gate may demand more.
  public var level: VerificationLevel
  /// What the person reads.
  public var prompt: Prompt
  /// The uptime at which the operation ends.
  public var deadline: Duration
  /// A ticket of the same operation: nothing is asked again.
  public var ticket: VerificationTicket?

  /// Makes a request.
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
