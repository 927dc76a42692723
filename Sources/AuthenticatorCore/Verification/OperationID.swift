/// Names one ceremony; a ticket is good for its own operation only.
public struct OperationID: Hashable, Sendable {
  /// 16 random bytes.
  public let bytes: [UInt8]
  /// Takes bytes made elsewhere; they must be unpredictable.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// A fresh one from the environment's randomness.
  public init(in environment: AuthenticatorEnvironment) throws {
    bytes = try environment.random(16)
  }
}
