import AuthenticatorCore

extension DeviceAuthenticator {
  /// Opens the key of this tag for one use, at the level its own rule demands.
  ///
  /// The short form of `authenticate(_:)`, for apps that keep a tag.
  /// - Parameter timeout: how long the person has.
  /// - Throws: `keyNotFound`; otherwise as `authenticate(_:)`.
  public func authenticate(
    keyTag: KeyTag, prompt: Prompt, timeout: Duration = .seconds(60)
  ) async throws -> SigningKey {
    guard let record = try await context.keyStore.record(keyTag) else {
      throw AuthenticatorError(.keyNotFound, stage: "authenticate")
    }
    let request = SigningRequest(
      record: record, operation: try OperationID(in: context.environment), prompt: prompt,
      deadline: context.environment.uptime() + timeout)
    return try await authenticate(request)
  }
}

/// The name under which device binding knows an authenticator's type.
public typealias DeviceBindingAuthenticationType = AuthenticatorType
