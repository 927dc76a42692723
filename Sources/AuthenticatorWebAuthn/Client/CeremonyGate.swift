internal import AuthenticatorCore
internal import Synchronization

/// Lets one ceremony run at a time, and holds nobody for one that does not end.
///
/// A new request takes the place of the one that runs, which ends as `appCanceled`; a conditional request waits in the
/// background and gives way, so it takes no place that a modal one holds and ends as `busy` instead.
///
/// A ceremony that neither ends at its time limit nor when it is cancelled is abandoned: its caller leaves. It may
/// still drive the authenticator, so whoever comes later waits in line until it has let go, and no longer than the own
/// time limit: no two ceremonies ever drive the authenticator at the same time. Who has left the line is kept in it all
/// the same, so it has an end: whoever comes then is `busy`.
final class CeremonyGate: Sendable {
  /// How long a ceremony that is cancelled, or whose time is over, may take to end and to clean up.
  static let patience = Duration.seconds(1)

  /// How many ceremonies there may be at a time, of which one drives the authenticator.
  static let maximumLine = 16

  private struct Running {
    let number: Int
    let isConditional: Bool
    /// Nobody waits for it any more.
    var isAbandoned = false
    var cancel: (@Sendable () -> Void)?
    var finish: (@Sendable () async -> Void)?
  }
  private struct State {
    var running: Running?
    var nextNumber = 0
    /// How many have not ended yet, whether or not somebody waits for them.
    var unended = 0
  }
  private let state = Mutex(State())

  /// The number of the latest ceremony, counted from 1, while it or one that it stands behind drives the authenticator.
  var current: Int? { state.withLock { $0.running?.number } }

  /// Runs a ceremony in a task of its own on the caller's actor, once the one before it has ended.
  ///
  /// - Parameters:
  ///   - deadline: the uptime at which the ceremony has to be over, and until which it waits in line.
  ///   - late: what becomes of a result that comes when the caller has left.
  ///   - body: the ceremony; sets another deadline by the function that it is given.
  /// - Throws: what the ceremony throws; `busy`; `timedOut` and `appCanceled` for one that is abandoned or has not come
  ///   first in line.
  func run<Value: Sendable>(
    isConditional: Bool, until deadline: Duration, in environment: AuthenticatorEnvironment,
    isolation: isolated (any Actor)? = #isolation, late: @escaping (Value) async -> Void = { _ in },
    _ body: @escaping (_ limit: (Duration) -> Void) async throws -> Value
  ) async throws -> Value {
    let (number, earlier) = try enter(isConditional: isConditional)
    let wait = CeremonyWait<Value>(in: environment) { [self] in abandon(number) }
    earlier?.cancel?()
    let task = Task {
      _ = isolation
      defer { end() }
      do {
        try await waitInLine(behind: earlier, until: deadline, in: environment)
      } catch {
        // Whoever comes later stands behind the same ceremony.
        _ = wait.finish(.failure(error)) { abandon(number) }
        await earlier?.finish?()
        return leave(number)
      }
      do {
        try Task.checkCancellation()
        let value = try await body(wait.limit(to:))
        if !wait.finish(.success(value), closing: { leave(number) }) { await late(value) }
      } catch {
        _ = wait.finish(.failure(error)) { leave(number) }
      }
      leave(number)
    }
    wait.attach(task)
    wait.limit(to: deadline)
    attach(number, cancel: { wait.cancel() }, finish: { await task.value })
    return try await withTaskCancellationHandler {
      try await wait.value()
    } onCancel: {
      wait.cancel()
    }
  }

  private func waitInLine(
    behind earlier: Running?, until deadline: Duration, in environment: AuthenticatorEnvironment
  ) async throws {
    guard let finish = earlier?.finish else { return }
    do {
      try await IsolatedRace.run(until: deadline, in: environment, stage: "client") { await finish() }
    } catch let error as AuthenticatorError where error.code == .timedOut {
      throw AuthenticatorError(
        .timedOut, stage: "client", reason: "an earlier request has not let go of the authenticator")
    }
  }

  // None is inlined: Swift 6.3 may address thread-local data through the thread from before a suspension, and a lock
  // keeps its owner there.
  @inline(never)
  private func enter(isConditional: Bool) throws -> (number: Int, earlier: Running?) {
    try state.withLock { state in
      if isConditional, let running = state.running, !running.isConditional, !running.isAbandoned {
        throw AuthenticatorError(.busy, stage: "client", reason: "another request is being answered")
      }
      guard state.unended < Self.maximumLine else {
        throw AuthenticatorError(.busy, stage: "client", reason: "too many earlier requests have not ended yet")
      }
      let earlier = state.running
      state.unended += 1
      state.nextNumber += 1
      state.running = Running(number: state.nextNumber, isConditional: isConditional)
      return (state.nextNumber, earlier)
    }
  }

  @inline(never)
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

  @inline(never)
  private func abandon(_ number: Int) {
    state.withLock { state in
      if state.running?.number == number { state.running?.isAbandoned = true }
    }
  }

  @inline(never)
  private func leave(_ number: Int) {
    state.withLock { state in
      if state.running?.number == number { state.running = nil }
    }
  }

  @inline(never)
  private func end() { state.withLock { $0.unended -= 1 } }
}
