internal import AuthenticatorCore
internal import Synchronization

/// Races work on the caller's actor against a deadline and against cancellation. The first to finish decides.
///
/// The work may touch what only that actor may touch: its task is isolated to it. Work that ignores its cancellation
/// is left behind, and its late answer is dropped.
enum IsolatedRace {
  static func run<Value: Sendable>(
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
      defer {
        worker.cancel()
        timer.cancel()
      }
      return try await withCheckedThrowingContinuation { finish.wait($0) }
    } onCancel: {
      finish.give(.failure(AuthenticatorError(.appCanceled, stage: stage, underlying: CancellationError())))
    }
  }
}

/// Hands the first answer to the one who waits, in whichever order they come.
private final class FirstAnswer<Value: Sendable>: Sendable {
  private enum State {
    case running
    case waitedFor(CheckedContinuation<Value, any Error>)
    case given(Result<Value, any Error>)
    case over
  }
  private let state = Mutex(State.running)

  /// The answer, if it is there and nobody waits for it.
  func take() -> Result<Value, any Error>? {
    state.withLock { state in
      guard case .given(let answer) = state else { return nil }
      state = .over
      return answer
    }
  }

  func wait(_ continuation: CheckedContinuation<Value, any Error>) {
    let answer: Result<Value, any Error>? = state.withLock { state in
      guard case .given(let answer) = state else {
        state = .waitedFor(continuation)
        return nil
      }
      state = .over
      return answer
    }
    if let answer { continuation.resume(with: answer) }
  }

  func give(_ answer: Result<Value, any Error>) {
    let waiting: CheckedContinuation<Value, any Error>? = state.withLock { state in
      switch state {
      case .running:
        state = .given(answer)
        return nil
      case .waitedFor(let continuation):
        state = .over
        return continuation
      case .given, .over: return nil
      }
    }
    waiting?.resume(with: answer)
  }
}
