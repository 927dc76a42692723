import Glibc
import Synchronization

/// A process that a test has started, and its end. Nothing of it is left when the last reference goes: a child that
/// nobody waits for stays as a zombie, and exit tests of the same process then never hear of their own.
final class Child: Sendable {
  let pid: pid_t
  /// What `waitpid` said; its number is somebody else's then.
  private let ended = Mutex<Int32?>(nil)

  init(pid: pid_t) { self.pid = pid }

  // A test that failed has not asked for the result.
  deinit { _ = try? end() }

  /// How it ended, as an exit status, 128 + n for signal n; nil: it has not.
  func status() throws -> Int32? { try wait(WNOHANG) }

  /// Kills it, unless it has ended, and waits for that.
  /// - Returns: how it ended.
  @discardableResult
  func end() throws -> Int32? {
    send(SIGKILL)
    return try wait(0)
  }

  /// Sends a signal, unless it has ended.
  func send(_ signal: Int32) {
    ended.withLock { status in
      if status == nil { kill(pid, signal) }
    }
  }

  private func wait(_ options: Int32) throws -> Int32? {
    try ended.withLock { known in
      if let known { return known }
      var status: Int32 = 0
      while true {
        let done = waitpid(pid, &status, options)
        if done == 0 { return nil }
        if done == pid { break }
        guard errno == EINTR else { throw SystemError("waitpid", errno) }
      }
      known = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
      return known
    }
  }
}
