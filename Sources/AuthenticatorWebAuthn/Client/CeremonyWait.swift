internal import AuthenticatorCore
internal import Synchronization

/// What the caller of a ceremony waits for: its end, or the moment when it is abandoned.
///
/// A ceremony that is cancelled, or whose time is over, is given `patience` to end by itself and to clean up. One that
/// does not is abandoned: its task is cancelled, the caller is told so, and what it answers later is dropped.
final class CeremonyWait<Value: Sendable>: Sendable {
  private struct State {
    var work: Task<Void, Never>?
    var limit: Task<Void, Never>?
    var farewell: Task<Void, Never>?
    var isCanceled = false
    var isOver = false
  }
  private let state = Mutex(State())
  private let answer = FirstAnswer<Value>()
  private let environment: AuthenticatorEnvironment
  private let abandoned: @Sendable () -> Void

  /// - Parameter abandoned: called when the ceremony is abandoned, before the caller learns of it.
  init(in environment: AuthenticatorEnvironment, abandoned: @escaping @Sendable () -> Void) {
    self.environment = environment
    self.abandoned = abandoned
  }

  /// The answer.
  /// - Throws: what the ceremony throws; `timedOut` and `appCanceled` for one that is abandoned.
  func value() async throws -> Value {
    try await withCheckedThrowingContinuation { answer.wait($0) }
  }

  // Locks are not inlined for the reason that the gate has.

  /// Names the task of the ceremony.
  @inline(never)
  func attach(_ work: Task<Void, Never>) {
    let isCanceled = state.withLock { state in
      state.work = work
      return state.isCanceled || state.isOver
    }
    if isCanceled { work.cancel() }
  }

  /// Sets the uptime at which the ceremony has to be over, in place of the one before.
  @inline(never)
  func limit(to deadline: Duration) {
    let timer = timer(
      until: deadline + CeremonyGate.patience,
      AuthenticatorError(.timedOut, stage: "client", reason: "the authenticator did not end in time"))
    let old = state.withLock { state -> Task<Void, Never>? in
      guard !state.isOver else { return timer }
      defer { state.limit = timer }
      return state.limit
    }
    old?.cancel()
  }

  /// Cancels the ceremony.
  @inline(never)
  func cancel() {
    let isFirst = state.withLock { state in
      defer { state.isCanceled = true }
      return !state.isCanceled && !state.isOver
    }
    guard isFirst else { return }
    let timer = timer(
      until: environment.uptime() + CeremonyGate.patience,
      AuthenticatorError(.appCanceled, stage: "client", underlying: CancellationError()))
    let (work, isOver) = state.withLock { state in
      state.farewell = timer
      return (state.work, state.isOver)
    }
    work?.cancel()
    if isOver { timer.cancel() }
  }

  /// Hands over how the ceremony ended, after `closing`.
  /// - Returns: false, without a call of `closing`, when the caller has left.
  @inline(never)
  func finish(_ result: Result<Value, any Error>, closing: () -> Void) -> Bool {
    let timers = state.withLock { state -> [Task<Void, Never>?]? in
      guard !state.isOver else { return nil }
      state.isOver = true
      return [state.limit, state.farewell]
    }
    guard let timers else { return false }
    for timer in timers { timer?.cancel() }
    closing()
    answer.give(result)
    return true
  }

  private func timer(until instant: Duration, _ failure: AuthenticatorError) -> Task<Void, Never> {
    Task { @concurrent [self] in
      do {
        try await environment.sleep(instant)
        abandon(failure)
      } catch is CancellationError {
        // The ceremony was first.
      } catch {
        abandon(error)
      }
    }
  }

  @inline(never)
  private func abandon(_ error: any Error) {
    guard finish(.failure(error), closing: abandoned) else { return }
    state.withLock { $0.work }?.cancel()
  }
}
