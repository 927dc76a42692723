import AuthenticatorCoding
import AuthenticatorCore
import Glibc

/// Where the tool writes: data to standard output, everything else to standard error.
struct Console: Sendable {
  /// Whether data and failures are printed as JSON.
  var isJSON: Bool
  /// Whether to say what happens.
  var isVerbose: Bool

  /// Prints a datum: compact JSON on one line, or the lines for people.
  func print(_ json: JSONValue, lines: @autoclosure () -> [String]) throws {
    let text = isJSON ? json.serializedString() : lines().map(Self.printable).joined(separator: "\n")
    guard !text.isEmpty else { return }
    try Self.write(text + "\n")
  }

  /// One line for people, on standard error.
  func say(_ line: String) {
    try? Self.write(Self.printable(line) + "\n", to: STDERR_FILENO)
  }

  /// A line of the trace. Callers pass types, counts, codes and names of steps, never what a field holds.
  func trace(_ line: @autoclosure () -> String) {
    if isVerbose { say("trace: " + line()) }
  }

  /// Prints a failure in its one form.
  func report(_ failure: Failure) {
    do {
      if isJSON {
        try Self.write(failure.json.serializedString() + "\n")
      } else {
        say("authenticator: \(failure.message) (\(failure.code))")
      }
    } catch {
      say("authenticator: \(failure.message) (\(failure.code))")
    }
  }

  /// One line. Text from a server or a file must neither drive the terminal nor add lines of its own: controls, ends of
  /// lines and marks that reorder text are replaced.
  static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var result = String.UnicodeScalarView()
    result.append(contentsOf: text.unicodeScalars.map { isUnsafe($0) ? "\u{FFFD}" : $0 })
    return String(result)
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Writes all of it.
  /// - Throws: an unusable-output failure (full disk, closed pipe).
  static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) throws {
    let bytes = Array(text.utf8)
    var offset = 0
    while offset < bytes.count {
      let count = bytes[offset...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        offset += count
      } else if count < 0 && errno == EINTR {
        continue
      } else {
        throw Failure.unusable("outputFailed", "standard output cannot be written", stage: "output")
      }
    }
  }
}
