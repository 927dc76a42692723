import AuthenticatorCore

/// Waits for the first call of a callback that was handed to an app, which may call it never, twice or from anywhere.
enum DelegateAnswer {
  /// - Parameter ask: hands the callback to the app; runs at once, on the caller's actor.
  /// - Throws: `CancellationError`, when the task is cancelled before an answer.
  static func wait<Value: Sendable>(asking ask: (@escaping @Sendable (Value) -> Void) -> Void) async throws -> Value {
    let answer = FirstAnswer<Value>()
    ask { answer.give(.success($0)) }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { answer.wait($0) }
    } onCancel: {
      answer.give(.failure(CancellationError()))
    }
  }
}
