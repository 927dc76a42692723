import AuthenticatorCore
import Synchronization

/// Where the operation's questions meet the answers of a view that the app draws.
final class PromptDesk: Sendable {
  /// What the person did.
  enum Answer: Sendable {
    case scan, fallback, cancel
    case approve(Bool)
    case choose(String)
  }

  private struct Table {
    var admits: (@Sendable (Answer) -> Bool)?
    var waiting: CheckedContinuation<Answer, any Error>?
    var scanFailed = false
  }

  private let table = Mutex(Table())
  private let states: AsyncStream<UAFAuthenticationView.State>.Continuation

  init(_ states: AsyncStream<UAFAuthenticationView.State>.Continuation) { self.states = states }

  /// Whether the last scan was canceled or did not match.
  var scanFailed: Bool { table.withLock { $0.scanFailed } }

  /// Notes how a scan ended.
  func noteScan(failed: Bool) { table.withLock { $0.scanFailed = failed } }

  /// Shows a state that waits for nobody.
  func show(_ state: UAFAuthenticationView.State) { states.yield(state) }

  /// Shows a state and waits for an answer that it admits.
  /// - Throws: `appCanceled` when the task is cancelled.
  func ask(
    _ state: UAFAuthenticationView.State, admitting admits: @escaping @Sendable (Answer) -> Bool
  ) async throws -> Answer {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = table.withLock { table in
          if Task.isCancelled { return true }
          table.waiting = continuation
          table.admits = admits
          return false
        }
        if isCancelled { continuation.resume(throwing: Self.canceled) } else { states.yield(state) }
      }
    } onCancel: {
      take { _ in true }?.resume(throwing: Self.canceled)
    }
  }

  /// Hands an answer to who waits; one that nobody waits for, or that has no control, changes nothing.
  func answer(_ answer: Answer) { take { $0(answer) }?.resume(returning: answer) }

  func finish(_ result: UAFResult) {
    states.yield(.finished(result))
    states.finish()
  }

  private func take(_ isRight: ((Answer) -> Bool) -> Bool) -> CheckedContinuation<Answer, any Error>? {
    table.withLock { table in
      guard let admits = table.admits, isRight(admits) else { return nil }
      defer {
        table.waiting = nil
        table.admits = nil
      }
      return table.waiting
    }
  }

  private static var canceled: AuthenticatorError {
    AuthenticatorError(.appCanceled, stage: "uaf.view", underlying: CancellationError())
  }
}
