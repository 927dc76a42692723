internal import AuthenticatorCore
internal import Synchronization

/// Lets one ceremony run at a time.
///
/// A new request takes the place of the one that runs, which ends as `appCanceled`; a conditional request waits in the
/// background and gives way, so it takes no place that a modal one holds and ends as `busy` instead.
final class CeremonyGate: Sendable {
  private struct Running {
    let number: Int
    let isConditional: Bool
    var cancel: (@Sendable () -> Void)?
    var finish: (@Sendable () async -> Void)?
  }
  private struct State {
    var running: Running?
    var nextNumber = 0
  }
  private let state = Mutex(State())

  /// Runs a ceremony in a task of its own on the caller's actor, once the one before it has ended.
  func run<Value: Sendable>(
    isConditional: Bool, isolation: isolated (any Actor)? = #isolation, _ body: @escaping () async throws -> Value
  ) async throws -> Value {
    let (number, earlier) = try enter(isConditional: isConditional)
    defer { leave(number) }
    earlier?.cancel?()
    let task = Task {
      _ = isolation
      await earlier?.finish?()
      try Task.checkCancellation()
      return try await body()
    }
    attach(number, cancel: { task.cancel() }, finish: { _ = await task.result })
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func enter(isConditional: Bool) throws -> (number: Int, earlier: Running?) {
    try state.withLock { state in
      if isConditional, let running = state.running, !running.isConditional {
        throw AuthenticatorError(.busy, stage: "client", reason: "another request is being answered")
      }
      let earlier = state.running
      state.nextNumber += 1
      state.running = Running(number: state.nextNumber, isConditional: isConditional)
      return (state.nextNumber, earlier)
    }
  }

  private func attach(
    _ number: Int, cancel: @escaping @Sendable () -> Void, finish: @escaping @Sendable () async -> Void
  ) {
    let isDisplaced = state.withLock { state in
      guard state.running?.number == number else { return true }
      state.running?.cancel = cancel
      state.running?.finish = finish
      return false
    }
    if isDisplaced { cancel() }
  }

  private func leave(_ number: Int) {
    state.withLock { state in
      if state.running?.number == number { state.running = nil }
    }
  }
}
