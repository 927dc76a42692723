import Foundation

/// A file system in memory with next to no room. For tests that run as root.
public struct SmallDisk: Sendable {
  public let path: String

  public init(bytes: Int) throws {
    var template = Array((NSTemporaryDirectory() + "authdisk.XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(bytes),mode=0700") == 0 else {
      let code = errno
      rmdir(path)
      throw POSIXError(.init(rawValue: code) ?? .EPERM)
    }
  }

  /// Whether this process may mount anything; containers often may not.
  public static var isPossible: Bool {
    guard geteuid() == 0, let disk = try? SmallDisk(bytes: 65536) else { return false }
    disk.unmount()
    return true
  }

  private var ballast: String { path + "/ballast" }

  /// The path of something on the disk.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Leaves a little room, so that the first writes still succeed, or as much as is said.
  public func fill(leaving rest: Int = 40_960) throws {
    try Data().write(to: URL(fileURLWithPath: ballast))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: ballast))
    defer { try? file.close() }
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { throw POSIXError(.EIO) }
    let room = Int(status.f_bavail) * Int(status.f_bsize)
    try file.write(contentsOf: Data(count: max(0, room - rest)))
  }

  /// Undoes `fill`.
  public func free() throws { try FileManager.default.removeItem(atPath: ballast) }

  /// Nothing can be written from now on, not even by root.
  public func makeReadOnly() throws {
    guard mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 else {
      throw POSIXError(.init(rawValue: errno) ?? .EPERM)
    }
  }

  public func unmount() {
    umount2(path, Int32(MNT_DETACH))
    rmdir(path)
  }
}
