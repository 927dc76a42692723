package import AuthenticatorCore

/// Races work on the caller's actor against a deadline and against cancellation. The first to finish decides.
///
/// The work may touch what only that actor may touch: its task is isolated to it. Work that ignores its cancellation
/// is left behind, and its late answer is dropped.
package enum IsolatedRace {
  package static func run<Value: Sendable>(
    until deadline: Duration, in environment: AuthenticatorEnvironment, stage: String,
    isolation: isolated (any Actor)? = #isolation, _ work: @escaping () async throws -> Value
  ) async throws -> Value {
    let finish = FirstAnswer<Value>()
    return try await withTaskCancellationHandler {
      if let answer = finish.take() { return try answer.get() }
      let worker = Task.immediate {
        _ = isolation
        do { finish.give(.success(try await work())) } catch { finish.give(.failure(error)) }
      }
      // Also where the answer is the caller's cancellation, which came while the work began.
      defer { worker.cancel() }
      if let answer = finish.take() { return try answer.get() }
      let timer = Task { @concurrent in
        do {
          try await environment.sleep(deadline)
          finish.give(.failure(AuthenticatorError(.timedOut, stage: stage)))
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
