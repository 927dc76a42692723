import AuthenticatorCore
import AuthenticatorSQLite
import BenchmarkFloors
import Foundation

/// Look-ups in small and large stores, and what a key costs on the disk (P8, P9, P10).
struct StoreSuite: Suite {
  let name = "store"
  let workspace: Workspace
  /// Twice what a store keeps warm, so that each look-up in turn meets a key that was dropped.
  private static let keys = 2048

  func benchmarks(_ effort: Effort) async throws -> [Benchmark] {
    let small = workspace.disk.appendingPathComponent("small.keys").path
    let large = workspace.disk.appendingPathComponent("large.keys").path
    let tags = try await makeStore(at: small)
    try FileManager.default.copyItem(atPath: small, toPath: large)
    guard floor_clone_keys(large, effort.largeStore - Self.keys) == 1 else { throw Floor.Failed(what: "cloning keys") }
    let smallStore = try await SQLiteKeyStore.open(path: small, environment: BenchKeys.environment)
    let largeStore = try await SQLiteKeyStore.open(path: large, environment: BenchKeys.environment)
    guard let record = try await smallStore.record(tags[0]) else { throw Floor.Failed(what: "no key") }
    let size = BenchKeys.contentSize(record)
    let table = try Floor.table(
      at: workspace.disk.appendingPathComponent("raw.sqlite").path, rows: effort.largeStore, size: size)
    let rows = effort.largeStore
    let smallLookup = Benchmark.Quantity.time(lookUp(tags, in: smallStore))
    let largeLookup = Benchmark.Quantity.time(lookUp(tags, in: largeStore))
    return [
      Benchmark(
        id: "P8", what: "look-up by tag, cold record, \(rows) keys; floor: \(Self.keys) keys", unit: "µs",
        ours: largeLookup, floor: smallLookup, goal: 4, aim: .atMost),
      Benchmark(
        id: "P8-raw", what: "look-up by tag, cold record, \(rows) keys; floor: bare SQLite read of as many", unit: "µs",
        ours: largeLookup, floor: .time { try Floor.read(table, rows: rows, count: $0) }, goal: 2.5, aim: .atMost),
      Benchmark(
        id: "P9-list", what: "list of one realm (4 keys), cold, \(rows) keys; floor: \(Self.keys) keys", unit: "µs",
        ours: .time(list(in: largeStore)), floor: .time(list(in: smallStore)), goal: 2, aim: .atMost),
      Benchmark(
        id: "P9-open", what: "open a store of \(rows) keys and read one", unit: "ms",
        ours: .reading {
          1000
            * (try await ContinuousClock().measure {
              let store = try await SQLiteKeyStore.open(path: large, environment: BenchKeys.environment)
              guard try await store.record(tags[0]) != nil else { throw Floor.Failed(what: "no key") }
            }).inSeconds
        }, goal: 5, aim: .atMost),
      Benchmark(
        id: "P10", what: "file size for each key; floor: bare rows of the same content", unit: "B",
        ours: .reading { try Self.fileSize(large) / Double(rows) },
        floor: .reading { [disk = workspace.disk] in
          try Self.fileSize(disk.appendingPathComponent("raw.sqlite").path) / Double(rows)
        }, goal: 1.6, aim: .atMost),
    ]
  }

  /// Made in memory, since each key waits twice for the disk, then moved there.
  private func makeStore(at path: String) async throws -> [KeyTag] {
    let draft = workspace.memory.appendingPathComponent("store.keys").path
    let tags: [KeyTag]
    do {
      let store = try await SQLiteKeyStore.open(path: draft, environment: BenchKeys.environment)
      tags = try await BenchKeys.make(0..<Self.keys, in: store)
    }
    // The last handle that closes empties the log into the file.
    try await Task.sleep(for: .milliseconds(200))
    try FileManager.default.copyItem(atPath: draft, toPath: path)
    return tags
  }

  private func lookUp(_ tags: [KeyTag], in store: SQLiteKeyStore) -> @Sendable (Int) async throws -> Void {
    let position = Position()
    return { count in
      for turn in position.advance(by: count) {
        guard try await store.record(tags[turn % tags.count]) != nil else { throw Floor.Failed(what: "no key") }
      }
    }
  }

  private func list(in store: SQLiteKeyStore) -> @Sendable (Int) async throws -> Void {
    let position = Position()
    return { count in
      for turn in position.advance(by: count) {
        let query = KeyQuery(
          instance: BenchKeys.instance, family: .deviceBinding, party: "/realm-\(turn % (Self.keys / 4))")
        guard try await store.records(matching: query).count == 4 else { throw Floor.Failed(what: "not four keys") }
      }
    }
  }

  private static func fileSize(_ path: String) throws -> Double {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    guard let size = attributes[.size] as? Int else { throw Floor.Failed(what: "no size of \(path)") }
    return Double(size)
  }
}
