import AuthenticatorCore

/// Races work against a deadline and against cancellation. The first to finish decides; exactly one answer is given.
///
/// Unstructured on purpose: a task group would wait for work that ignores its cancellation.
package enum DeadlineRace {
  package static func run<Value: Sendable>(
    until deadline: Duration, in environment: AuthenticatorEnvironment, stage: String,
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let finish = FirstAnswer<Value>()
    let timeOut = AuthenticatorError(.timedOut, stage: stage)
    return try await withTaskCancellationHandler {
      if let result = finish.take() { return try result.get() }
      // Begins here and now: work that ends without waiting for anybody needs neither a thread nor a timer.
      let worker = Task.immediate {
        do {
          finish.give(.success(try await work()))
        } catch {
          finish.give(.failure(error))
        }
      }
      // Also where the answer is the caller's cancellation, which came while the work began.
      defer { worker.cancel() }
      if let result = finish.take() { return try result.get() }
      let timer = Task { @concurrent in
        do {
          try await environment.sleep(deadline)
          finish.give(.failure(timeOut))
        } catch is CancellationError {
          // The work was first.
        } catch {
          finish.give(.failure(error))
        }
      }
      defer { timer.cancel() }
      return try await withCheckedThrowingContinuation { finish.wait($0) }
    } onCancel: {
      finish.give(.failure(AuthenticatorError(.appCanceled, stage: stage, underlying: CancellationError())))
    }
  }
}
