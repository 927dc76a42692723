#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension TreeImport {
  /// Reads every `.json` file of a directory, in the order of their names.
  ///
  /// Throws `JourneyTreeError`: `malformedExport` also when the directory or a file cannot be read.
  public func read(directory path: String) throws(JourneyTreeError) -> [ImportedTree] {
    guard let directory = opendir(path) else {
      throw JourneyTreeError(tree: path, .malformedExport("the directory cannot be read"))
    }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name.hasSuffix(".json"), !name.hasPrefix(".") { names.append(name) }
    }
    closedir(directory)
    var files: [(name: String, content: [UInt8])] = []
    for name in names.sorted() {
      files.append((String(name.dropLast(5)), try Self.read(file: "\(path)/\(name)", named: name)))
    }
    return try read(files)
  }

  private static func read(file path: String, named name: String) throws(JourneyTreeError) -> [UInt8] {
    func failed() -> JourneyTreeError { JourneyTreeError(tree: name, .malformedExport("the file cannot be read")) }
    // A pipe would otherwise be waited for until somebody writes to it.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failed() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw JourneyTreeError(tree: name, .malformedExport("no regular file"))
    }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while content.count <= maximumBytes {
      let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else { throw failed() }
      if count == 0 { return content }
      content += buffer[..<count]
    }
    throw JourneyTreeError(tree: name, .malformedExport("the file is too large"))
  }
}
