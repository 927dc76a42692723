import AuthenticatorCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A small file that only its owner may read, replaced as a whole.
struct PrivateFile: Sendable {
  let path: String
  let maximumBytes: Int

  /// Nil: there is no file.
  func read() throws -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("cannot be opened")
    }
    defer { close(descriptor) }
    try check(descriptor)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Self.retried { chunk.withUnsafeMutableBytes { read(descriptor, $0) } }
      if count == 0 { return bytes }
      guard count > 0 else { throw failure("cannot be read") }
      guard bytes.count + count <= maximumBytes else { throw failure("is too large", number: 0) }
      bytes += chunk[..<count]
    }
  }

  private func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    #elseif canImport(Musl)
      Musl.read(descriptor, buffer.baseAddress, buffer.count)
    #else
      Darwin.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }

  private func check(_ descriptor: Int32) throws {
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw failure("cannot be examined") }
    guard information.st_mode & S_IFMT == S_IFREG else { throw failure("is no regular file", number: 0) }
    guard information.st_uid == geteuid() else { throw failure("belongs to somebody else", number: 0) }
    guard information.st_mode & 0o077 == 0 else { throw failure("may be read by others", number: 0) }
  }

  /// Writes a new file and puts it in the place of the old one.
  func replace(with bytes: [UInt8]) throws {
    guard bytes.count <= maximumBytes else { throw failure("would be too large", number: 0) }
    let (descriptor, temporary) = try makeTemporary()
    do {
      defer { close(descriptor) }
      guard fchmod(descriptor, 0o600) == 0, Self.writeAll(bytes, to: descriptor), fsync(descriptor) == 0 else {
        throw failure("cannot be written")
      }
      guard rename(temporary, path) == 0 else { throw failure("cannot be replaced") }
    } catch {
      unlink(temporary)
      throw error
    }
    try syncFolder(folder)
  }

  /// Tells whether the file could be replaced, and makes its folders.
  func prepare() throws {
    let (descriptor, temporary) = try makeTemporary()
    close(descriptor)
    guard unlink(temporary) == 0 else { throw failure("cannot be replaced") }
  }

  /// A new file beside the old one.
  private func makeTemporary() throws -> (descriptor: Int32, path: String) {
    // Refuses to replace what it would refuse to read.
    _ = try read()
    try makeFolder()
    var template = Array((path + ".XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw failure("cannot be written") }
    return (descriptor, String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
  }

  /// Makes the folder and every missing one above it.
  private func makeFolder() throws {
    guard access(folder, F_OK) != 0, errno == ENOENT else { return }
    var made = ""
    for part in folder.split(separator: "/") {
      made += made.isEmpty && !folder.hasPrefix("/") ? String(part) : "/" + part
      guard mkdir(made, 0o700) == 0 || access(made, F_OK) == 0 else { throw failure("has no folder") }
    }
  }

  /// A file that is not there is no error.
  func remove() throws {
    guard try read() != nil else { return }
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("cannot be removed") }
    try syncFolder(folder)
  }

  private var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func syncFolder(_ folder: String) throws {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("has no folder") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("was not made durable") }
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = retried {
        bytes.withUnsafeBytes { buffer in
          write(descriptor, buffer.baseAddress.map { $0 + sent }, bytes.count - sent)
        }
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  private static func retried(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  private func failure(_ what: String, number: Int32 = errno) -> AuthenticatorError {
    AuthenticatorError(
      .storageFailed, stage: "journey.session",
      reason: "the session file \(path) \(what)" + (number == 0 ? "" : ": \(String(cString: strerror(number)))"))
  }
}
