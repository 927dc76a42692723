import Glibc

/// A private folder that is removed with everything in it when the last reference goes.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    var template = Array("/tmp/authenticator-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp", errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    // Deepest first: a folder sorts before what is in it.
    for name in contents().reversed() { remove(file(name)) }
    rmdir(path)
  }

  /// The path of something in the folder.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file and returns its path.
  @discardableResult
  public func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws -> String {
    try write(name, bytes: Array(text.utf8), mode: mode)
  }

  /// Writes a file and returns its path.
  @discardableResult
  public func write(_ name: String, bytes: [UInt8], mode: mode_t = 0o600) throws -> String {
    let path = file(name)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw SystemError("open \(name)", errno) }
    defer { close(descriptor) }
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw SystemError("write \(name)", errno) }
    return path
  }

  /// The names of everything in the folder, at any depth, relative to it, sorted.
  public func contents(of sub: String = "") -> [String] {
    guard let directory = opendir(sub.isEmpty ? path : file(sub)) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != ".." else { continue }
      let relative = sub.isEmpty ? name : sub + "/" + name
      names.append(relative)
      if Int32(entry.pointee.d_type) == 4 { names += contents(of: relative) }
    }
    return names.sorted()
  }

  /// The bytes of a file; nil when there is none.
  public static func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
  }
}

/// A system call that failed.
public struct SystemError: Error, CustomStringConvertible {
  public let description: String
  init(_ call: String, _ number: Int32) { description = "\(call): \(String(cString: strerror(number)))" }
}
