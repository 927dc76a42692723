import Foundation

/// The write-ahead log of a database that has been in use for a while.
///
/// A log grows until its first checkpoint and is overwritten from then on. The disk makes a file longer several times
/// slower than it overwrites one, so what is measured and its floor must both have their first round behind them.
enum WornLog {
  /// 1,000 pages, after which SQLite writes a log back, with their headers and the log's own.
  private static let fullSize = 1000 * (4096 + 24) + 32

  /// Writes to the database at `path` until its log begins anew.
  static func wear(_ path: String, _ write: () async throws -> Void) async throws {
    while try size(of: path + "-wal") < fullSize { try await write() }
    try await write()
  }

  private static func size(of path: String) throws -> Int {
    guard FileManager.default.fileExists(atPath: path) else { return 0 }
    return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }
}
