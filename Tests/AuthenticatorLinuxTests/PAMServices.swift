import Foundation

/// A folder of PAM services whose passwords stand in a file (`pam_matrix` of libpam-wrapper).
final class PAMServices: Sendable {
  static let module = [
    "/usr/lib/x86_64-linux-gnu/pam_wrapper/pam_matrix.so", "/usr/lib/aarch64-linux-gnu/pam_wrapper/pam_matrix.so",
  ].first(where: FileManager.default.fileExists(atPath:))

  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "authenticator-pam-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    path = url.path
    try write("alice:correct horse:device\nbob:bob:other\n", to: "passdb")
    let module = Self.module ?? "pam_deny.so"
    try write(
      """
      auth required \(module) passdb=\(path)/passdb
      account required \(module) passdb=\(path)/passdb

      """, to: "device")
    // The password is right, the account may not be used.
    try write("auth required \(module) passdb=\(path)/passdb\naccount required pam_deny.so\n", to: "closed")
    // PAM's own stand-in for services that are not there.
    try write("auth required pam_permit.so\naccount required pam_permit.so\n", to: "other")
    try write("auth required no_such_module.so\naccount required pam_permit.so\n", to: "broken")
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch {}
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
  }
}
