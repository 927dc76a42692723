import Glibc

/// A program started by a test on a terminal of its own, with a person's hands: waits for words, types others.
public final class PseudoTerminal: Sendable {
  public var pid: pid_t { child.pid }
  private let child: Child
  private let descriptor: Int32

  public init(_ program: String, _ arguments: [String], environment: [String: String?] = [:]) throws {
    // What posix_openpt, unlockpt and ptsname do; the Glibc module leaves them out.
    descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var unlock: Int32 = 0
    var number: Int32 = 0
    guard descriptor >= 0, ioctl(descriptor, 0x4004_5431, &unlock) == 0, ioctl(descriptor, 0x8004_5430, &number) == 0
    else { throw SystemError("open a terminal", errno) }
    // Read without waiting, so that a test never hangs in a system call.
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that a session's leader opens becomes the session's.
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    child = try ChildProcess.spawn([program] + arguments, environment, &actions, &attributes)
  }

  deinit { close(descriptor) }

  /// Reads until the screen shows `text`, and returns everything read since the last call.
  @discardableResult
  public func wait(for text: String, within limit: Duration = .seconds(300)) async throws -> String {
    let deadline = ContinuousClock.now + limit
    var seen = ""
    while ContinuousClock.now < deadline {
      seen += readAvailable() ?? ""
      if seen.contains(text) { return seen }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw SystemError("'\(text)' did not appear; the screen shows '\(seen)'", ETIMEDOUT)
  }

  /// Types a line.
  public func type(_ line: String) { type(bytes: Array(line.utf8) + [UInt8(ascii: "\n")]) }

  /// Types bytes, for keys such as Control-C (3).
  public func type(bytes: [UInt8]) { _ = Glibc.write(descriptor, bytes, bytes.count) }

  /// Waits until it ends; returns its exit status and the rest of the screen.
  public func result(within limit: Duration = .seconds(300)) async throws -> (status: Int32, screen: String) {
    let deadline = ContinuousClock.now + limit
    var screen = ""
    while true {
      screen += readAvailable() ?? ""
      if let status = try child.status() { return (status, screen + (readAvailable() ?? "")) }
      if ContinuousClock.now > deadline { child.send(SIGKILL) }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Sends a signal, unless it has ended.
  public func send(_ signal: Int32) { child.send(signal) }

  /// Whether what is typed shows on the screen.
  public var echoes: Bool {
    var settings = termios()
    return tcgetattr(descriptor, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  private func readAvailable() -> String? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
