import Synchronization

/// Hands each event to everyone who listens.
final class EventStream: Sendable {
  private struct Listeners {
    var continuations: [UInt64: AsyncStream<TrustedDeviceEvent>.Continuation] = [:]
    var next: UInt64 = 0
  }
  private let listeners = Mutex(Listeners())

  deinit { for continuation in listeners.withLock({ $0.continuations.values }) { continuation.finish() } }

  func send(_ event: TrustedDeviceEvent) {
    for continuation in listeners.withLock({ Array($0.continuations.values) }) { continuation.yield(event) }
  }

  /// The events from now on; one that nobody fetches pushes the oldest out after 256.
  func listen() -> AsyncStream<TrustedDeviceEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: TrustedDeviceEvent.self, bufferingPolicy: .bufferingNewest(256))
    let number = listeners.withLock { listeners in
      listeners.next += 1
      listeners.continuations[listeners.next] = continuation
      return listeners.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.listeners.withLock { _ = $0.continuations.removeValue(forKey: number) }
    }
    return stream
  }
}
