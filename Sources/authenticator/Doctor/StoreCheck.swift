import AuthenticatorCore
import AuthenticatorSQLite
import Glibc

/// Whether the key store can be read and written, and whether everything in it can be read.
struct StoreCheck {
  let path: String
  let environment: AuthenticatorEnvironment

  func run() async -> Finding {
    let finding = await look()
    // What others could do counts once nothing is wrong.
    guard finding.status == .ok, let warning = StoreFolderCheck(path: path).run() else { return finding }
    return warning
  }

  private func look() async -> Finding {
    do {
      guard let store = try await SQLiteKeyStore.openIfPresent(path: path, environment: environment) else {
        return missing
      }
      let damaged = try await store.damagedTags()
      let count = try await store.records(matching: .everything).count
      if store.isDamaged {
        return .fault(
          "store", "\(path) is damaged; keys that can be read still sign", fix: "bind anew into a new store")
      }
      if store.isReadOnly {
        return .fault("store", "\(path) cannot be written", fix: "make the file and its folder writable for you")
      }
      if let fault = fullDisk { return fault }
      guard damaged.isEmpty else {
        return .fault(
          "store", "\(damaged.count) of \(count + damaged.count) records cannot be read",
          fix: "bind anew, then remove them: authenticator keys delete TAG")
      }
      return .ok("store", "\(path) has \(count) \(count == 1 ? "key" : "keys")")
    } catch {
      let failure = Failure(error).of(path)
      let code = AuthenticatorError.Code(rawValue: failure.code)
      if code == .storageFailed, let fault = fullDisk { return fault }
      return .fault("store", "\(failure.message) (\(failure.code))", fix: Self.fixes[code] ?? Self.otherFix)
    }
  }

  private static let otherFix = "make the file and its folder readable and writable for you alone"

  private static let fixes: [AuthenticatorError.Code: String] = [
    .notAStore: "name another file with --store, or move this one away",
    .storeDamaged: "put a copy back, or move the file away and bind anew",
    .storeNewer: "use the version of this tool that wrote it, or a later one",
    .integrityFailed: "put a copy back, or move the file away and bind anew",
    .busy: "end the other program that uses the store, and try again",
    .outOfMemory: "end other programs, and try again",
  ]

  /// No store yet is no fault when one could be made: the nearest folder that exists must take something new.
  private var missing: Finding {
    let folder = nearestFolder
    guard Self.takesSomethingNew(folder) else { return cannotBeMade(folder == "." ? "this folder" : folder) }
    return fullDisk ?? made
  }

  /// The folder of the store, or the nearest above it that exists.
  private var nearestFolder: String {
    var folder = path
    while let slash = folder.lastIndex(of: "/") {
      folder = String(folder[..<slash])
      let candidate = folder.isEmpty ? "/" : folder
      if access(candidate, F_OK) == 0 { return candidate }
    }
    return "."
  }

  /// Tried, since the modes of some file systems (`/proc`) promise what they do not keep. Nothing is left behind.
  private static func takesSomethingNew(_ folder: String) -> Bool {
    var template = Array((folder + "/.authenticator-doctor-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { return false }
    rmdir(template)
    return true
  }

  /// What a store takes beside itself when it is opened and written.
  private static let room = 128 * 1024

  /// The fault of a file system with no room left; nil when there is some, or nobody can tell.
  private var fullDisk: Finding? {
    var status = statvfs()
    let folder = nearestFolder
    guard statvfs(folder, &status) == 0 else { return nil }
    let blocks = geteuid() == 0 ? status.f_bfree : status.f_bavail
    let files = geteuid() == 0 ? status.f_ffree : status.f_favail
    let (bytes, overflow) = blocks.multipliedReportingOverflow(by: status.f_frsize)
    let hasRoom = overflow || bytes >= Self.room
    // File systems that count no files say that they have none.
    guard !hasRoom || (status.f_files > 0 && files == 0) else { return nil }
    return .fault(
      "store", "there is no room for \(path): keys that are there still sign, and nothing can be changed",
      fix: "make room on the file system of \(folder == "." ? "this folder" : folder)")
  }

  private var made: Finding { .ok("store", "\(path) is not there yet; the first key makes it") }

  private func cannotBeMade(_ folder: String) -> Finding {
    .fault(
      "store", "\(path) cannot be made: \(folder) is no folder to write to", fix: "name another place with --store")
  }
}
