internal import Dispatch
internal import Synchronization

/// Runs blocking work on threads of its own: at most `width` pieces at once, at most `queueLimit` waiting, the rest
/// refused at once.
///
/// Each place has a serial queue. The system gives every serial queue a thread of its own when it needs one, while
/// concurrent queues share theirs with Swift's tasks, which would all stand still during a derivation on each core.
final class BoundedWorkers: Sendable {
  private struct State {
    var free: [DispatchQueue]
    var waiting: [CheckedContinuation<DispatchQueue?, Never>] = []
  }

  private let queueLimit: Int
  private let state: Mutex<State>

  init(label: String, width: Int, queueLimit: Int) {
    self.queueLimit = max(queueLimit, 0)
    state = Mutex(State(free: (0..<max(width, 1)).map { DispatchQueue(label: "\(label).\($0)") }))
  }

  /// Holds one of the places for the time of `body`; inside, `Slot.run` does blocking work.
  ///
  /// Throws `RESTFailure.overloaded` when the queue is full.
  func withSlot<Result: Sendable>(_ body: (Slot) async throws -> Result) async throws -> Result {
    guard let queue = await enter() else { throw RESTFailure.overloaded }
    defer { leave(queue) }
    return try await body(Slot(queue: queue))
  }

  /// The right to run one piece of work at a time.
  struct Slot: Sendable {
    fileprivate let queue: DispatchQueue

    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { continuation.resume(with: Swift.Result { try work() }) }
      }
    }
  }

  /// Nil: too many wait already.
  private func enter() async -> DispatchQueue? {
    await withCheckedContinuation { continuation in
      let (isDecided, queue) = state.withLock { state -> (Bool, DispatchQueue?) in
        if let queue = state.free.popLast() { return (true, queue) }
        guard state.waiting.count < queueLimit else { return (true, nil) }
        state.waiting.append(continuation)
        return (false, nil)
      }
      if isDecided { continuation.resume(returning: queue) }
    }
  }

  /// Hands the place to whoever has waited longest.
  private func leave(_ queue: DispatchQueue) {
    let next = state.withLock { state -> CheckedContinuation<DispatchQueue?, Never>? in
      guard !state.waiting.isEmpty else {
        state.free.append(queue)
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume(returning: queue)
  }
}
