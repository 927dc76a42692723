import AuthenticatorCore
internal import CSQLiteShims
internal import Glibc

/// The file of a store and its surroundings in the file system.
///
/// Nothing here opens the file itself once it exists: closing any descriptor of it would drop the locks that SQLite
/// holds on it in this process.
struct StoreFile {
  /// Absolute, with every symbolic link of the folder resolved, so that SQLite may refuse links altogether.
  let path: String
  let folder: String
  let name: String

  struct Identity {
    let device: dev_t
    let inode: ino_t
    let size: Int64
    /// Whether the mode lets its owner write; asked of the mode, since the system lets the superuser do anything.
    let isOwnerWritable: Bool
  }

  /// Finds the file's place. The folder is made (mode 0700, like every missing one above it) when `makesFolder`.
  /// Nil: the folder is not there.
  init?(_ path: String, makesFolder: Bool) throws {
    guard !path.utf8.contains(0), path.utf8.count < Int(PATH_MAX) else { throw Self.refused("the path is malformed") }
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard let last = parts.last, last != ".", last != "..", !path.hasSuffix("/") else {
      throw Self.refused("the path names no file")
    }
    let parent =
      path.hasPrefix("/") ? "/" + parts.dropLast().joined(separator: "/") : parts.dropLast().joined(separator: "/")
    let folder = parent.isEmpty ? "." : parent
    if makesFolder { try Self.makeFolder(folder) }
    guard let resolved = realpath(folder, nil) else {
      if errno == ENOENT { return nil }
      throw Self.failed("the folder cannot be resolved")
    }
    defer { free(resolved) }
    self.folder = String(cString: resolved)
    name = String(last)
    self.path = self.folder == "/" ? "/" + name : self.folder + "/" + name
    var status = stat()
    guard stat(self.folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw Self.refused("the folder is none")
    }
  }

  private static func makeFolder(_ path: String) throws {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += made.isEmpty || made.hasSuffix("/") ? String(part) : "/" + part
      if mkdir(made, 0o700) == 0 {
        // Whatever the umask took away: the owner needs all three bits.
        guard chmod(made, 0o700) == 0 else { throw failed("the folder's mode cannot be set") }
      } else if errno != EEXIST {
        // A read-only file system says so even for a folder that exists.
        let cause = errno
        var status = stat()
        guard stat(made, &status) == 0 else {
          errno = cause
          throw failed("the folder cannot be made")
        }
      }
    }
  }

  /// What stands at the path, checked: a regular file of this user, under one name. Nil: nothing does.
  func identity() throws -> Identity? {
    for suffix in ["-wal", "-shm", "-journal"] { _ = try Self.check(path + suffix) }
    guard let status = try Self.check(path) else { return nil }
    return Identity(
      device: status.st_dev, inode: status.st_ino, size: Int64(status.st_size),
      isOwnerWritable: status.st_mode & S_IWUSR != 0)
  }

  /// Whether the path still leads to this file: one look, as every transaction asks.
  func isStill(_ identity: Identity) throws -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return false }
      throw Self.failed("the file cannot be looked at")
    }
    return status.st_dev == identity.device && status.st_ino == identity.inode
  }

  /// The size of a file beside the store; 0 when there is none.
  func size(of suffix: String) throws -> Int64 {
    try Self.check(path + suffix).map { Int64($0.st_size) } ?? 0
  }

  private static func check(_ path: String) throws -> stat? {
    var status = stat()
    for attempt in 0... {
      guard lstat(path, &status) == 0 else {
        if errno == ENOENT { return nil }
        throw failed("the file cannot be looked at")
      }
      // A store that is just being put in place has two names for a moment.
      guard status.st_nlink > 1, attempt < 20, status.st_mode & S_IFMT == S_IFREG else { break }
      usleep(5000)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw refused("the path leads to no regular file") }
    guard status.st_nlink <= 1 else { throw refused("the file has a second name") }
    guard status.st_uid == geteuid() else { throw refused("the file belongs to someone else") }
    return status
  }

  /// Whether the file's mode gives anybody more than reading and writing by the owner.
  func isOpenToOthers() throws -> Bool { try mode() & ~0o600 != 0 }

  /// Takes group and others out of the file's mode. Only takes: what its owner took away stays away.
  func tightenMode() throws {
    guard fchmodat(AT_FDCWD, path, try mode() & 0o600, 0) == 0 else {
      throw Self.failed("the file's mode cannot be set")
    }
  }

  private func mode() throws -> mode_t {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw Self.failed("the file cannot be looked at") }
    return status.st_mode & 0o7777
  }

  /// Whether the medium takes no writes at all.
  var isOnReadOnlyMedium: Bool {
    var status = statvfs()
    return statvfs(folder, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
  }

  // MARK: Creation

  /// Puts a complete file in place, durably. False: another process was first, and its file stands.
  func create(_ content: [UInt8], unique: String) throws -> Bool {
    let draft = "\(folder)/.\(name).new-\(unique)"
    defer { unlink(draft) }
    try write(content, to: draft)
    // In one step, and never over something else.
    if authkit_rename_exclusively(draft, path) != 0 {
      if errno == EEXIST { return false }
      guard errno == EINVAL || errno == ENOSYS else { throw Self.failed("the file cannot be put in place") }
      guard link(draft, path) == 0 else {
        if errno == EEXIST { return false }
        throw Self.failed("the file cannot be put in place")
      }
    }
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw Self.failed("the folder cannot be opened") }
    defer { close(directory) }
    guard fsync(directory) == 0 else { throw Self.failed("the folder cannot be synchronized") }
    return true
  }

  private func write(_ content: [UInt8], to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failed("the file cannot be made") }
    defer { close(file) }
    guard fchmod(file, 0o600) == 0 else { throw Self.failed("the file's mode cannot be set") }
    var position = 0
    while position < content.count {
      let written = content.withUnsafeBytes { bytes in
        bytes.baseAddress.map { Glibc.write(file, $0 + position, bytes.count - position) } ?? -1
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw Self.failed("the file cannot be written") }
      position += written
    }
    guard fsync(file) == 0 else { throw Self.failed("the file cannot be synchronized") }
  }

  /// Removes drafts that a crash left behind, long after whoever wrote them has given up.
  func removeStaleDrafts() {
    guard let directory = opendir(folder) else { return }
    defer { closedir(directory) }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasPrefix(".\(self.name).new-") else { continue }
      var status = stat()
      let draft = folder + "/" + name
      guard lstat(draft, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
        now.tv_sec - status.st_mtim.tv_sec > 3600
      else { continue }
      unlink(draft)
    }
  }

  // MARK: Errors

  private static func refused(_ reason: String) -> AuthenticatorError {
    AuthenticatorError(.notAStore, stage: "store.open", reason: reason)
  }

  /// With the system's word for `errno`.
  private static func failed(_ reason: String) -> AuthenticatorError {
    let text = String(cString: strerror(errno))
    return AuthenticatorError(.storageFailed, stage: "store.open", reason: "\(reason): \(text)")
  }
}
