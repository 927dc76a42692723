import Glibc

/// Whether anybody else could put another file in the store's place, or one beside it.
///
/// What is in a store is sealed, and a foreign one is recognized; but who can replace the file can bring back an
/// earlier state of it, and who can remove it takes the keys away.
struct StoreFolderCheck {
  let path: String

  /// Nil: nobody else could.
  func run() -> Finding? {
    let nearest = nearestFolder
    var folder = nearest
    while true {
      // In a folder above, the sticky bit keeps others from what is not theirs.
      if let who = Self.writers(folder, allowsSticky: folder != nearest || isMissing) {
        return .warning(
          "store", "\(who) may write to \(folder), and so replace or remove \(path)",
          fix: "take the right away from others (chmod go-w), or name another place with --store")
      }
      guard folder != "/" else { return nil }
      let slash = folder.lastIndex(of: "/") ?? folder.startIndex
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
    }
  }

  private var isMissing: Bool { access(folderOfStore, F_OK) != 0 }

  private var folderOfStore: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The store's folder, or the nearest above it that is there, without symbolic links.
  private var nearestFolder: String {
    var folder = folderOfStore
    while true {
      if let resolved = realpath(folder, nil) {
        defer { free(resolved) }
        return String(cString: resolved)
      }
      guard let slash = folder.lastIndex(of: "/") else { return Self.workingFolder }
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
    }
  }

  private static var workingFolder: String {
    guard let resolved = realpath(".", nil) else { return "/" }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Who besides this user and the superuser may write to a folder; nil: nobody.
  private static func writers(_ folder: String, allowsSticky: Bool) -> String? {
    var status = stat()
    guard stat(folder, &status) == 0 else { return nil }
    if status.st_uid != 0, status.st_uid != geteuid() { return "another user" }
    guard !allowsSticky || status.st_mode & S_ISVTX == 0 else { return nil }
    if status.st_mode & S_IWOTH != 0 { return "everybody" }
    return status.st_mode & S_IWGRP != 0 && !isOwn(group: status.st_gid) ? "a group" : nil
  }

  /// Whether a group is this user's alone, as distributions make one for each user.
  private static func isOwn(group: gid_t) -> Bool {
    guard let group = getgrgid(group)?.pointee, let user = getpwuid(geteuid())?.pointee else { return false }
    let isAlone = group.gr_mem.map { $0.pointee == nil } ?? true
    return isAlone && group.gr_gid == user.pw_gid && strcmp(group.gr_name, user.pw_name) == 0
  }
}
