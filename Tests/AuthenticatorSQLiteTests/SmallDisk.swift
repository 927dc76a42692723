import Foundation

/// A file system in memory with next to no room. For tests that run as root.
struct SmallDisk {
  let path: String

  init(bytes: Int) throws {
    var template = Array((NSTemporaryDirectory() + "authdisk.XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(bytes)") == 0 else {
      let code = errno
      rmdir(path)
      throw POSIXError(.init(rawValue: code) ?? .EPERM)
    }
  }

  /// Whether this process may mount anything; containers often may not.
  static var isPossible: Bool {
    guard let disk = try? SmallDisk(bytes: 65536) else { return false }
    disk.unmount()
    return true
  }

  private var ballast: String { path + "/ballast" }

  /// Leaves a little room, so that the first writes still succeed, or as much as is said.
  func fill(leaving rest: Int = 40_960) throws {
    try Data().write(to: URL(fileURLWithPath: ballast))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: ballast))
    defer { try? file.close() }
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { throw POSIXError(.EIO) }
    let room = Int(status.f_bavail) * Int(status.f_bsize)
    try file.write(contentsOf: Data(count: max(0, room - rest)))
  }

  func free() throws { try FileManager.default.removeItem(atPath: ballast) }

  func unmount() {
    umount2(path, Int32(MNT_DETACH))
    rmdir(path)
  }
}
