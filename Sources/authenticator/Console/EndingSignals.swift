import Dispatch
import Glibc

/// Waits for the signals that ask a server to end.
final class EndingSignals {
  let received: AsyncStream<Int32>
  private let sources: [any DispatchSourceSignal]

  /// From now on the signals no longer end the process by themselves.
  init(_ signals: [Int32] = [SIGTERM, SIGINT, SIGHUP]) {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    received = stream
    sources = signals.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.yield(number) }
      source.activate()
      return source
    }
  }

  deinit { for source in sources { source.cancel() } }

  /// Returns when the first of them arrives.
  func wait() async {
    for await _ in received { return }
  }
}
