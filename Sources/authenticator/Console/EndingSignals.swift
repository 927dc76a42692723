import Dispatch
import Glibc
import Synchronization

/// Waits for the signals that ask the tool to end.
final class EndingSignals {
  private struct State {
    var first: Int32?
    var listeners: [@Sendable (Int32) -> Void] = []
  }

  private let sources: [any DispatchSourceSignal]
  private let arrival = Arrival()

  /// The part that the sources' handlers hold.
  private final class Arrival: Sendable {
    let state = Mutex(State())

    func arrive(_ number: Int32) {
      let listeners = state.withLock { state in
        state.first = state.first ?? number
        defer { state.listeners = [] }
        return state.listeners
      }
      for listener in listeners { listener(number) }
    }

    /// Calls `listener` once, with the first signal: when it arrives, or now.
    func listen(_ listener: @escaping @Sendable (Int32) -> Void) {
      let first = state.withLock { state in
        if state.first == nil { state.listeners.append(listener) }
        return state.first
      }
      if let first { listener(first) }
    }
  }

  /// From now on the signals no longer end the process by themselves. One that whoever started it had ignored (nohup)
  /// stays ignored.
  init(_ signals: [Int32] = [SIGTERM, SIGINT, SIGHUP]) {
    let arrival = arrival
    // A queue of its own, so that no work of others delays it.
    let queue = DispatchQueue(label: "authenticator.signals")
    let registrations = DispatchGroup()
    sources = signals.filter { !Self.isIgnored($0) }.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { arrival.arrive(number) }
      registrations.enter()
      source.setRegistrationHandler { registrations.leave() }
      source.activate()
      return source
    }
    // A source is registered by another thread; until then its signal would still end the process.
    registrations.wait()
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var present = sigaction()
    guard sigaction(number, nil, &present) == 0 else { return false }
    return unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  deinit { for source in sources { source.cancel() } }

  /// Returns when the first of them has arrived.
  func wait() async { await withCheckedContinuation { continuation in arrival.listen { _ in continuation.resume() } } }

  /// Calls `body` with the first of them: when it arrives, or now.
  func onFirst(_ body: @escaping @Sendable (Int32) -> Void) { arrival.listen(body) }

  /// What `body` returns; nil when a signal arrives first. Then `body` is canceled and not waited for.
  func unlessArrived<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value? {
    let (ends, continuation) = AsyncStream.makeStream(of: Result<Value, any Error>?.self)
    let task = Task {
      do { continuation.yield(.success(try await body())) } catch { continuation.yield(.failure(error)) }
    }
    arrival.listen { _ in continuation.yield(nil) }
    for await end in ends {
      task.cancel()
      return try end?.get()
    }
    return nil
  }
}
