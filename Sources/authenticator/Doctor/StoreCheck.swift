import AuthenticatorCore
import AuthenticatorSQLite
import Glibc

/// Whether the key store can be read and written, and whether everything in it can be read.
struct StoreCheck {
  let path: String
  let environment: AuthenticatorEnvironment

  func run() async -> Finding {
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
      guard damaged.isEmpty else {
        return .fault(
          "store", "\(damaged.count) of \(count + damaged.count) records cannot be read",
          fix: "bind anew, then remove them: authenticator keys delete TAG")
      }
      return .ok("store", "\(path) has \(count) \(count == 1 ? "key" : "keys")")
    } catch {
      let failure = Failure(error).of(path)
      let code = AuthenticatorError.Code(rawValue: failure.code)
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
  ]

  /// No store yet is no fault when one could be made: the nearest folder that exists must be writable.
  private var missing: Finding {
    var folder = path
    while let slash = folder.lastIndex(of: "/") {
      folder = String(folder[..<slash])
      let candidate = folder.isEmpty ? "/" : folder
      guard access(candidate, F_OK) == 0 else { continue }
      return Self.isWritableFolder(candidate) ? made : cannotBeMade(candidate)
    }
    return Self.isWritableFolder(".") ? made : cannotBeMade("this folder")
  }

  private static func isWritableFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && access(path, W_OK | X_OK) == 0
  }

  private var made: Finding { .ok("store", "\(path) is not there yet; the first key makes it") }

  private func cannotBeMade(_ folder: String) -> Finding {
    .fault(
      "store", "\(path) cannot be made: \(folder) is no folder to write to", fix: "name another place with --store")
  }
}
