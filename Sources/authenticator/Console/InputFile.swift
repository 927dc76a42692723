import AuthenticatorCoding
import AuthenticatorCore
import Glibc

/// Reads a file named on the command line; `-` is standard input.
enum InputFile {
  static let limit = 1 << 20

  /// Waits for input that is not there yet (a terminal, a pipe, a FIFO), until the task is canceled.
  /// - Throws: an unusable-input failure that names the file; `appCanceled`.
  static func bytes(_ path: String, limit: Int = limit) throws -> [UInt8] {
    let isStandardInput = path == "-"
    // Without O_NONBLOCK, opening a FIFO would wait for its writer, deaf to everything else.
    let descriptor = isStandardInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(path, errno == ENOENT ? "does not exist" : "cannot be opened") }
    defer { if !isStandardInput { close(descriptor) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    // A FIFO that nobody has opened for writing yet looks as if it were at its end.
    var isAwaited = isStandardInput || isNamedFIFO(descriptor)
    while true {
      if isAwaited { try awaitInput(descriptor) }
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN {
          isAwaited = true
          continue
        }
        throw unreadable(path, "cannot be read")
      }
      isAwaited = isStandardInput
      bytes += buffer[..<count]
      guard bytes.count <= limit else { throw unreadable(path, "is longer than \(limit) bytes") }
    }
  }

  /// Whether it is a FIFO of the file system. A pipe that a shell made for `<(…)` has had its writer from the
  /// beginning.
  private static func isNamedFIFO(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return false }
    var name = [UInt8](repeating: 0, count: 5)
    let count = name.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        $0.baseAddress.map { readlink("/proc/self/fd/\(descriptor)", $0, 5) } ?? 0
      }
    }
    return count != 5 || name != Array("pipe:".utf8)
  }

  /// Returns when something can be read, or never will be.
  private static func awaitInput(_ descriptor: Int32) throws {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      if Task.isCancelled { throw AuthenticatorError(.appCanceled, stage: "input") }
      let count = poll(&entry, 1, 50)
      if count > 0 || (count < 0 && errno != EINTR) { return }
    }
  }

  /// - Throws: as `bytes`, and when it is no JSON.
  static func json(_ path: String) throws -> JSONValue { try json(try bytes(path), of: path) }

  /// Bytes of a file that was read already.
  static func json(_ bytes: [UInt8], of path: String) throws -> JSONValue {
    do {
      return try JSONValue.parse(bytes)
    } catch {
      throw unreadable(path, "is not JSON: \(text(error.kind)) (at byte \(error.offset))")
    }
  }

  /// What breaks the rules of JSON, without what stands there.
  private static func text(_ kind: JSONError.Kind) -> String {
    switch kind {
    case .unexpectedEnd: "it ends too early"
    case .unexpectedByte: "a character cannot stand where it does"
    case .trailingContent: "something follows the value"
    case .byteOrderMark: "it begins with a byte order mark"
    case .invalidUTF8: "a text is not UTF-8"
    case .loneSurrogate: "an escape names half of a character"
    case .controlCharacter: "a text holds a control character"
    case .invalidEscape: "an escape is unknown"
    case .invalidNumber: "a number is malformed"
    case .duplicateMember: "an object has a name twice"
    case .tooDeep: "it is nested too deeply"
    case .tooLong, .textTooLong, .tooManyValues: "it is too large"
    }
  }

  /// What to call the file in a message.
  static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

  private static func unreadable(_ path: String, _ what: String) -> Failure {
    .unusable("inputUnusable", "\(name(path)) \(what)", stage: "input")
  }
}
