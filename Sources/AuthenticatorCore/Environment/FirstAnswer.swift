import Synchronization

/// Hands the first answer to the one who waits, in whichever order they come. Later answers are dropped.
package final class FirstAnswer<Value: Sendable>: Sendable {
  private enum State {
    case running
    case waitedFor(CheckedContinuation<Value, any Error>)
    case given(Result<Value, any Error>)
    case over
  }
  private let state = Mutex(State.running)

  package init() {}

  /// The answer, if it is there and nobody waits for it.
  package func take() -> Result<Value, any Error>? {
    state.withLock { state in
      guard case .given(let answer) = state else { return nil }
      state = .over
      return answer
    }
  }

  package func wait(_ continuation: CheckedContinuation<Value, any Error>) {
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

  package func give(_ answer: Result<Value, any Error>) {
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
