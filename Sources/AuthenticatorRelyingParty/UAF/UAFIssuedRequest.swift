/// A request, ready to be sent.
public struct UAFIssuedRequest: Hashable, Sendable {
  /// The message as JSON text.
  public let message: String
  /// In base64url.
  public let challenge: String
  /// As the header has it.
  public let serverData: String
  /// In milliseconds since 1970-01-01T00:00:00Z.
  public let expiresAt: Int64
}

/// A request of this party that has been answered.
public struct UAFPendingRequest: Hashable, Sendable {
  /// What it was about.
  public let operation: UAFServerOperation
  /// In base64url of 32 bytes; nobody may use it twice.
  public let challenge: String
  /// The account; nil: none was named.
  public let subject: String?
  /// In milliseconds since 1970-01-01T00:00:00Z.
  public let expiresAt: Int64
  let serverData: String
  let transactionHashes: [[UInt8]]
}
