import Glibc

/// A program started by a test. Its output goes to files, so that no pipe can fill up and block it.
public final class ChildProcess: Sendable {
  private let child: Child
  private let folder: TemporaryFolder

  /// What became of a process.
  public struct Result: Sendable {
    /// The exit status; 128 + n when signal n ended it.
    public let status: Int32
    public let stdout: String
    public let stderr: String
  }

  /// Starts a program.
  /// - Parameters:
  ///   - input: what it reads on standard input; there is never a terminal.
  ///   - environment: added to this process's environment; nil removes a variable.
  ///   - directory: where it starts.
  public init(
    _ program: String, _ arguments: [String], input: String = "", environment: [String: String?] = [:],
    directory: String? = nil
  ) throws {
    folder = try TemporaryFolder()
    let stdin = try folder.write("stdin", input)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, stdin, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, folder.file("stdout"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, folder.file("stderr"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    let words = directory.map { ["env", "-C", $0] } ?? []
    child = try Self.spawn(words + [program] + arguments, environment, &actions, &attributes)
  }

  /// `POSIX_SPAWN_SETSID` and `POSIX_SPAWN_SETSIGDEF`, which the Glibc module leaves out. A session of its own: the
  /// terminal of whoever runs the tests is not the child's; nor is what their shell lets it ignore.
  private static let ownSession: Int16 = 0x80 | 0x04

  static func spawn(
    _ words: [String], _ environment: [String: String?],
    _ actions: inout posix_spawn_file_actions_t, _ attributes: inout posix_spawnattr_t
  ) throws -> Child {
    var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] = merged(environment).map { strdup($0) } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, ownSession)
    var child: pid_t = 0
    let code = posix_spawnp(&child, words[0], &actions, &attributes, &argv, &envp)
    guard code == 0 else { throw SystemError("spawn \(words[0])", code) }
    return Child(pid: child)
  }

  private static func merged(_ changes: [String: String?]) -> [String] {
    var lines: [String] = []
    var pointer = environ
    while let entry = pointer.pointee {
      let line = String(cString: entry)
      if changes[String(line.prefix { $0 != "=" })] == nil { lines.append(line) }
      pointer += 1
    }
    return lines + changes.compactMap { name, value in value.map { "\(name)=\($0)" } }
  }

  public var stdout: String { text("stdout") }
  public var stderr: String { text("stderr") }
  private func text(_ name: String) -> String {
    String(decoding: TemporaryFolder.read(folder.file(name)) ?? [], as: UTF8.self)
  }

  /// Waits until it ends. A process that outlives the limit is killed, and the test learns it from status 137.
  public func result(within limit: Duration = .seconds(300)) async throws -> Result {
    let deadline = ContinuousClock.now + limit
    while true {
      if let status = try child.status() { return Result(status: status, stdout: stdout, stderr: stderr) }
      if ContinuousClock.now > deadline { child.send(SIGKILL) }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Whether it has ended; `result` tells how.
  public var hasEnded: Bool { (try? child.status()) != nil }

  public func send(_ signal: Int32) { child.send(signal) }

  /// Kills it and waits for that.
  public func end() { _ = try? child.end() }

  /// The first line of standard output, once it is there.
  public func firstLine(within limit: Duration = .seconds(300)) async throws -> String {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
      // In this order: what was written before the end is there afterwards.
      let isOver = hasEnded
      let text = stdout
      if let end = text.firstIndex(of: "\n") { return String(text[..<end]) }
      if isOver { break }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw SystemError("no line on standard output; standard error says: \(stderr)", ETIMEDOUT)
  }
}
