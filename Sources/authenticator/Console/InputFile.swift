import AuthenticatorCoding
import AuthenticatorCore
import Glibc

/// Reads a file named on the command line; `-` is standard input.
enum InputFile {
  static let limit = 1 << 20

  /// - Throws: an unusable-input failure that names the file.
  static func bytes(_ path: String, limit: Int = limit) throws -> [UInt8] {
    let isStandardInput = path == "-"
    let descriptor = isStandardInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path, errno == ENOENT ? "does not exist" : "cannot be opened") }
    defer { if !isStandardInput { close(descriptor) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw unreadable(path, "cannot be read")
      }
      bytes += buffer[..<count]
      guard bytes.count <= limit else { throw unreadable(path, "is longer than \(limit) bytes") }
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
