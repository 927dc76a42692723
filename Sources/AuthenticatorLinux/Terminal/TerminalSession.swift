import AuthenticatorCore
import AuthenticatorCrypto
internal import CTerminalShims
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What one prompt does with the terminal. Blocks; ends at the deadline and when its task is cancelled.
struct TerminalSession {
  /// Told from another thread that the prompt is to end.
  final class Cancellation: Sendable {
    private let flag = Atomic(false)
    func set() { flag.store(true, ordering: .releasing) }
    var isSet: Bool { flag.load(ordering: .acquiring) }
  }

  /// The longest entry, in bytes.
  static let maximumBytes = 1024
  /// How long one wait for a key may last before deadline and cancellation are looked at again, in milliseconds.
  private static let slice: CInt = 100

  let device: TerminalDevice
  let deadline: Duration
  let uptime: @Sendable () -> Duration
  let cancellation: Cancellation
  /// Whether Control-C in a hidden entry is the signal that it is everywhere else.
  let signalsInterrupt: Bool

  /// Writes a line of text, made printable.
  func say(_ text: String, terminator: String = "\n") throws {
    var rest = Array((PrintableText.of(text) + terminator).utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(device.output, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw gone }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes what a prompt says.
  func show(_ prompt: Prompt) throws {
    for text in [prompt.title, prompt.subtitle, prompt.reason] where !text.isEmpty { try say(text) }
    for line in prompt.lines { try say(PrintableText.line("  \(line.label): \(line.text)")) }
  }

  /// Reads a line that does not show.
  /// - Throws: `userCanceled` for Control-C (unless that is a signal), or Control-D in an empty line; `timedOut`;
  ///   `appCanceled`;
  ///   `systemCanceled` when the terminal goes away; `busy` when another part of the process reads a secret.
  func readSecret(_ label: String) throws -> SecretBytes {
    // Hidden before it is asked for: whoever answers at once must not see it on the screen.
    let failure = authkit_terminal_hide(device.input)
    guard failure == 0 else {
      throw AuthenticatorError(failure == EBUSY ? .busy : .notInteractive, stage: "terminal")
    }
    var line = HiddenLine()
    var isDone = false
    defer {
      line.wipe()
      authkit_terminal_show(isDone ? 0 : 1)
    }
    try say(label, terminator: " ")
    while true {
      switch line.take(try readByte()) {
      case .goesOn: continue
      case .interrupted where signalsInterrupt:
        try say("")
        throw interrupted()
      case .canceled, .interrupted:
        try say("")
        throw AuthenticatorError(.userCanceled, stage: "terminal")
      case .done:
        isDone = true
        try say("")
        return line.secret
      }
    }
  }

  /// Reads a line that shows, edited by the terminal.
  /// - Throws: `userCanceled` at the end of input; otherwise as `readSecret`.
  func readLine(_ label: String) throws -> String {
    try say(label, terminator: " ")
    var bytes: [UInt8] = []
    while true {
      let byte = try readByte()
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      guard bytes.count < Self.maximumBytes else { continue }
      bytes.append(byte)
    }
  }

  private func readByte() throws -> UInt8 {
    while true {
      if cancellation.isSet {
        throw AuthenticatorError(uptime() < deadline ? .appCanceled : .timedOut, stage: "terminal")
      }
      guard uptime() < deadline else { throw AuthenticatorError(.timedOut, stage: "terminal") }
      var wait = pollfd(fd: device.input, events: Int16(POLLIN), revents: 0)
      let ready = poll(&wait, 1, Self.slice)
      if ready == 0 || (ready < 0 && errno == EINTR) { continue }
      var byte: UInt8 = 0
      let count = read(device.input, &byte, 1)
      if count == 1 { return byte }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      // Control-D in an edited line reads as the end; a terminal that hung up, too.
      throw count == 0 && wait.revents & Int16(POLLHUP) == 0
        ? AuthenticatorError(.userCanceled, stage: "terminal") : gone
    }
  }

  /// Sends the process the signal, and waits for what its handler does to this prompt's task.
  private func interrupted() -> AuthenticatorError {
    kill(getpid(), SIGINT)
    for _ in 0..<10 where !cancellation.isSet { usleep(useconds_t(Self.slice) * 1000) }
    // Where the signal is ignored, Control-C ends the prompt alone.
    return AuthenticatorError(cancellation.isSet ? .appCanceled : .userCanceled, stage: "terminal")
  }

  private var gone: AuthenticatorError { AuthenticatorError(.systemCanceled, stage: "terminal") }
}

/// An entry while it is typed, without echo. Its memory never moves, so that one place holds the secret.
struct HiddenLine {
  enum Progress { case goesOn, done, canceled, interrupted }

  private var bytes: [UInt8]
  private var count = 0

  init() { bytes = [UInt8](repeating: 0, count: TerminalSession.maximumBytes) }

  /// Takes one key: Return ends, Control-C interrupts, Control-D cancels an empty line, Backspace takes back a
  /// character, Control-U all of them; other control keys and what is too long are ignored.
  mutating func take(_ byte: UInt8) -> Progress {
    switch byte {
    case 0x0A, 0x0D: return .done
    case 0x03: return .interrupted
    case 0x04: return count == 0 ? .canceled : .goesOn
    case 0x08, 0x7F:
      // A character of UTF-8 ends at its first byte, which is no continuation.
      repeat { erase() } while count > 0 && lastErased & 0xC0 == 0x80
    case 0x15: while count > 0 { erase() }
    case 0..<0x20: break
    default:
      if count < bytes.count {
        bytes[count] = byte
        count += 1
      }
    }
    return .goesOn
  }

  private var lastErased: UInt8 = 0

  private mutating func erase() {
    guard count > 0 else {
      lastErased = 0
      return
    }
    count -= 1
    lastErased = bytes[count]
    bytes[count] = 0
  }

  var secret: SecretBytes {
    SecretBytes(count: count) { $0.copyBytes(from: bytes.prefix(count)) }
  }

  mutating func wipe() {
    while count > 0 { erase() }
    lastErased = 0
  }
}
