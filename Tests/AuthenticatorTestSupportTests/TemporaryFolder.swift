import Foundation

/// A folder that goes away with its last reference.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "authenticator-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    path = url.path
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch {}
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: file(name)))
    return file(name)
  }

  func lines(of name: String) throws -> [String] {
    let text = String(decoding: try Data(contentsOf: URL(filePath: file(name))), as: UTF8.self)
    return text.split(separator: "\n").map(String.init)
  }
}
