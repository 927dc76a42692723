import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import Dispatch

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Keeps marks as empty files in a folder, which should be one that the app's removal takes away.
public struct FolderInstallationMarkers: InstallationMarkers {
  private let path: String
  /// File calls block; they run here and not on Swift's own threads.
  private let queue = DispatchQueue(label: "authenticator.installation-markers")

  /// Names the folder; it and what is missing above it are made (0700) when the first mark is.
  public init(folder path: String) { self.path = path }

  private func file(_ name: String) -> String {
    path + "/" + Base64URL.encode(SHA256.hash(Array(name.utf8))) + ".installed"
  }

  /// - Throws: `storageFailed` when it cannot be told.
  public func contains(_ name: String) async throws -> Bool {
    let file = file(name)
    return try await blocking {
      var information = stat()
      if lstat(file, &information) == 0 {
        guard information.st_mode & S_IFMT == S_IFREG else { throw Self.failure("is no file") }
        return true
      }
      guard errno == ENOENT else { throw Self.failure("cannot be looked for") }
      return false
    }
  }

  /// - Throws: `storageFailed`.
  public func insert(_ name: String) async throws {
    let (file, path) = (file(name), path)
    try await blocking {
      try Self.makeFolder(path)
      let descriptor = open(file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw Self.failure("cannot be made") }
      let isSynced = fsync(descriptor) == 0
      close(descriptor)
      let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard folder >= 0 else { throw Self.failure("has no folder") }
      defer { close(folder) }
      guard isSynced, fsync(folder) == 0 else { throw Self.failure("was not made durable") }
    }
  }

  private static func makeFolder(_ path: String) throws {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += made.isEmpty || made.hasSuffix("/") ? String(part) : "/" + part
      var status = stat()
      // Looked for first: a folder that is there may be on a file system that takes no new one.
      guard stat(made, &status) != 0 else { continue }
      guard mkdir(made, 0o700) == 0 || errno == EEXIST else { throw failure("has no folder") }
    }
  }

  private static func failure(_ what: String) -> AuthenticatorError {
    AuthenticatorError(.storageFailed, stage: "trustedDevice.marker", reason: "the installation's mark \(what)")
  }

  private func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }
}
