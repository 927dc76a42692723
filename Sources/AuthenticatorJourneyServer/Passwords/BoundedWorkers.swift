internal import Dispatch
internal import Synchronization

/// Runs blocking work on threads of its own: at most `width` pieces at once, at most `queueLimit` waiting, the rest
/// refused at once.
final class BoundedWorkers: Sendable {
  private struct State {
    var running = 0
    var waiting: [CheckedContinuation<Bool, Never>] = []
  }

  private let width: Int
  private let queueLimit: Int
  private let queue: DispatchQueue
  private let state = Mutex(State())

  init(label: String, width: Int, queueLimit: Int) {
    self.width = max(width, 1)
    self.queueLimit = max(queueLimit, 0)
    queue = DispatchQueue(label: label, attributes: .concurrent)
  }

  /// Holds one of the places for the time of `body`; inside, `Slot.run` does blocking work.
  ///
  /// Throws `RESTFailure.overloaded` when the queue is full.
  func withSlot<Result: Sendable>(_ body: (Slot) async throws -> Result) async throws -> Result {
    guard await enter() else { throw RESTFailure.overloaded }
    defer { leave() }
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

  private func enter() async -> Bool {
    await withCheckedContinuation { continuation in
      let isAdmitted = state.withLock { state -> Bool? in
        if state.running < width {
          state.running += 1
          return true
        }
        guard state.waiting.count < queueLimit else { return false }
        state.waiting.append(continuation)
        return nil
      }
      if let isAdmitted { continuation.resume(returning: isAdmitted) }
    }
  }

  /// Hands the place to whoever has waited longest.
  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard !state.waiting.isEmpty else {
        state.running -= 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume(returning: true)
  }
}
