import Foundation
import Glibc
import Testing

/// A terminal whose other end a test holds.
final class PseudoTerminal: Sendable {
  struct Failure: Error {}
  /// The device that prompts are shown on.
  let path: String
  private let master: CInt
  /// Kept open, so that the modes survive between prompts.
  private let slave: CInt

  init() throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), whose macros are not imported.
    var unlocked: CInt = 0
    var number: CUnsignedInt = 0
    guard master >= 0, ioctl(master, 0x4004_5431, &unlocked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
      throw Failure()
    }
    path = "/dev/pts/\(number)"
    slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0, fcntl(master, F_SETFL, O_NONBLOCK) == 0 else { throw Failure() }
  }

  deinit {
    close(slave)
    close(master)
  }

  /// Whether what is typed shows.
  var echoes: Bool {
    var mode = termios()
    return tcgetattr(slave, &mode) == 0 && mode.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Whether the mode is the one of a shell: echo, lines, signals.
  var isInOrder: Bool {
    var mode = termios()
    let flags = tcflag_t(ECHO | ICANON | ISIG)
    return tcgetattr(slave, &mode) == 0 && mode.c_lflag & flags == flags
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(write(master, bytes, bytes.count) == bytes.count)
  }

  /// Everything that appears until `text` does.
  @discardableResult
  func wait(for text: String) async throws -> String {
    var seen: [UInt8] = []
    for _ in 0..<2000 {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(master, &buffer, buffer.count)
      if count > 0 { seen += buffer.prefix(count) }
      let shown = String(decoding: seen, as: UTF8.self)
      if shown.contains(text) { return shown }
      if count <= 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
    Issue.record("\(text) did not appear in \(String(decoding: seen, as: UTF8.self))")
    throw Failure()
  }

  /// What has appeared and was not read yet.
  func rest() -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(master, &buffer, buffer.count)
    return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : ""
  }

  /// Returns when the mode hides what is typed.
  func waitUntilHidden() async throws {
    for _ in 0..<2000 where echoes { try await Task.sleep(for: .milliseconds(2)) }
    #expect(!echoes)
  }
}
