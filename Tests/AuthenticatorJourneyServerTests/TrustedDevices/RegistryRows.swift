import Foundation
import Testing

extension TemporaryDirectory {
  /// How many rows each table of the registry's file has, as Debian's Python counts them.
  func rows(of tables: [String]) throws -> [Int] {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.standardOutput = output
    process.arguments =
      [
        "python3", "-c",
        """
        import sqlite3, sys
        c = sqlite3.connect(sys.argv[1])
        for t in sys.argv[2:]: print(c.execute(f"SELECT count(*) FROM {t}").fetchone()[0])
        """, file(),
      ] + tables
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
  }
}
