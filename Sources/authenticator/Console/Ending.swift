import Glibc
import Synchronization

/// How the process ends.
struct Ending: Sendable {
  var status: ExitStatus
  /// The signal that broke the work off; nil: none did.
  var signal: Int32?

  /// Runs work as a task that an ending signal cancels: what was begun is undone, and its outcome is printed. The same
  /// signal once more ends the process on the spot, should the work not heed it.
  static func of(_ work: @escaping @Sendable () async -> ExitStatus) async -> Ending {
    let signals = EndingSignals()
    let worker = Task { await work() }
    let received = Received()
    signals.onFirst { number in
      Glibc.signal(number, SIG_DFL)
      received.number.withLock { $0 = number }
      worker.cancel()
    }
    let status = await worker.value
    withExtendedLifetime(signals) {}
    return Ending(status: status, signal: status == .success ? nil : received.number.withLock { $0 })
  }

  /// The signal that arrived, if one did.
  private final class Received: Sendable {
    let number = Mutex<Int32?>(nil)
  }

  /// Ends the process. Work that a signal broke off ends by that signal, so that a shell sees what happened.
  func exit() -> Never {
    if let signal {
      Glibc.signal(signal, SIG_DFL)
      var set = sigset_t()
      sigemptyset(&set)
      sigaddset(&set, signal)
      pthread_sigmask(SIG_UNBLOCK, &set, nil)
      raise(signal)
    }
    Glibc.exit(status.rawValue)
  }
}
