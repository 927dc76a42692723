import Dispatch
import Glibc
import Synchronization

/// Waits for the signals that ask a server to end.
final class EndingSignals {
  private struct State {
    var haveArrived = false
    var listeners: [@Sendable () -> Void] = []
  }

  private let sources: [any DispatchSourceSignal]
  private let arrival = Arrival()

  /// The part that the sources' handlers hold.
  private final class Arrival: Sendable {
    let state = Mutex(State())

    func arrive() {
      let listeners = state.withLock { state in
        state.haveArrived = true
        defer { state.listeners = [] }
        return state.listeners
      }
      for listener in listeners { listener() }
    }

    /// Calls `listener` once: when the first signal arrives, or now.
    func listen(_ listener: @escaping @Sendable () -> Void) {
      let isLate = state.withLock { state in
        if !state.haveArrived { state.listeners.append(listener) }
        return state.haveArrived
      }
      if isLate { listener() }
    }
  }

  /// From now on the signals no longer end the process by themselves.
  init(_ signals: [Int32] = [SIGTERM, SIGINT, SIGHUP]) {
    let arrival = arrival
    // A queue of its own, so that no work of others delays it.
    let queue = DispatchQueue(label: "authenticator.signals")
    sources = signals.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { arrival.arrive() }
      source.activate()
      return source
    }
  }

  deinit { for source in sources { source.cancel() } }

  /// Returns when the first of them has arrived.
  func wait() async { await withCheckedContinuation { continuation in arrival.listen { continuation.resume() } } }

  /// What `body` returns; nil when a signal arrives first. Then `body` is canceled and not waited for.
  func unlessArrived<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value? {
    let (ends, continuation) = AsyncStream.makeStream(of: Result<Value, any Error>?.self)
    let task = Task {
      do { continuation.yield(.success(try await body())) } catch { continuation.yield(.failure(error)) }
    }
    arrival.listen { continuation.yield(nil) }
    for await end in ends {
      task.cancel()
      return try end?.get()
    }
    return nil
  }
}
