import AuthenticatorCore
import Synchronization

/// Races work against a deadline and against cancellation. The first to finish decides; exactly one answer is given.
///
/// Unstructured on purpose: a task group would wait for work that ignores its cancellation.
package enum DeadlineRace {
  package static func run<Value: Sendable>(
    until deadline: Duration, in environment: AuthenticatorEnvironment, stage: String,
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let finish = Finish<Value>()
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
      defer {
        worker.cancel()
        timer.cancel()
      }
      return try await withCheckedThrowingContinuation { finish.wait($0) }
    } onCancel: {
      finish.give(.failure(AuthenticatorError(.appCanceled, stage: stage, underlying: CancellationError())))
    }
  }

  /// Hands the first result to the one who waits, in whichever order they come.
  private final class Finish<Value: Sendable>: Sendable {
    private enum State {
      case running
      case waitedFor(CheckedContinuation<Value, any Error>)
      case given(Result<Value, any Error>)
      case over
    }
    private let state = Mutex(State.running)

    /// The result, if it is there and nobody waits for it.
    func take() -> Result<Value, any Error>? {
      state.withLock { state in
        guard case .given(let result) = state else { return nil }
        state = .over
        return result
      }
    }

    func wait(_ continuation: CheckedContinuation<Value, any Error>) {
      let result: Result<Value, any Error>? = state.withLock { state in
        guard case .given(let result) = state else {
          state = .waitedFor(continuation)
          return nil
        }
        state = .over
        return result
      }
      if let result { continuation.resume(with: result) }
    }

    func give(_ result: Result<Value, any Error>) {
      let waiting: CheckedContinuation<Value, any Error>? = state.withLock { state in
        switch state {
        case .running:
          state = .given(result)
          return nil
        case .waitedFor(let continuation):
          state = .over
          return continuation
        case .given, .over: return nil
        }
      }
      waiting?.resume(with: result)
    }
  }
}
