#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A small file of a scripted device, private to its owner.
struct ScriptedFile {
  let path: String
  private static let limit = 1 << 20

  /// The content; nil: there is no such file.
  func content() throws -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("cannot be read")
    }
    defer { close(file) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file, &buffer, buffer.count)
      guard count >= 0 else { throw failure("cannot be read") }
      guard count > 0 else { return content }
      content.append(contentsOf: buffer.prefix(count))
      guard content.count <= Self.limit else { throw ScriptedDeviceError("\(path): larger than 1 MiB") }
    }
  }

  /// Replaces the content in one step: a reader, also after a crash, sees the old or the new.
  func replace(with content: [UInt8]) throws {
    let draft = path + ".new"
    let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure("cannot be written") }
    do {
      defer { close(file) }
      try put(content, into: file)
      guard fsync(file) == 0 else { throw failure("cannot be written") }
    }
    guard rename(draft, path) == 0 else { throw failure("cannot be written") }
  }

  /// Makes sure that the content could be replaced, without touching it.
  func checkReplaceable() throws {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard access(folder, W_OK | X_OK) == 0 else { throw failure("cannot be written") }
  }

  /// Makes sure that the end can be added to; makes the file when there is none.
  func checkAppendable() throws { try append([]) }

  /// Adds to the end in one write.
  func append(_ content: [UInt8]) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard file >= 0 else { throw failure("cannot be written") }
    defer { close(file) }
    try put(content, into: file)
  }

  private func put(_ content: [UInt8], into file: CInt) throws {
    var rest = content[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard count > 0 else { throw failure("cannot be written") }
      rest = rest.dropFirst(count)
    }
  }

  private func failure(_ what: String) -> ScriptedDeviceError {
    ScriptedDeviceError("\(path): \(what) (\(String(cString: strerror(errno))))")
  }
}
