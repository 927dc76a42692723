import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorSQLite
import Foundation

/// Starting from nothing: process start to the first list, and to the first signature (P17).
struct ToolSuite: Suite {
  let name = "start"
  let workspace: Workspace

  func benchmarks(_ effort: Effort) async throws -> [Benchmark] {
    let draft = workspace.memory.appendingPathComponent("tool.keys").path
    let path = workspace.disk.appendingPathComponent("tool.keys").path
    let tag: KeyTag
    do {
      let store = try await SQLiteKeyStore.open(path: draft, environment: BenchKeys.environment)
      tag = try await BenchKeys.make(0..<1000, in: store)[0]
    }
    try await Task.sleep(for: .milliseconds(200))
    try FileManager.default.copyItem(atPath: draft, toPath: path)
    let hello = Self.start(".build/bench-hello", [])
    return [
      Benchmark(
        id: "P17-list", what: "process that opens the store and lists its 1000 records; floor: Foundation hello",
        unit: "µs", ours: Self.start("/proc/self/exe", ["--child", "first-list", path]), floor: hello, goal: 3,
        aim: .atMost),
      Benchmark(
        id: "P17-health", what: "authenticator keys list: 1000 records, each key opened for its health; floor: hello",
        unit: "µs", ours: Self.start(Self.tool, ["keys", "list", "--store", path, "--json"]), floor: hello),
      Benchmark(
        id: "P17-sign", what: "process that opens the store and signs once, no derivation; floor: Foundation hello",
        unit: "µs", ours: Self.start("/proc/self/exe", ["--child", "first-signature", path, tag.rawValue]),
        floor: hello,
        goal: 5, aim: .atMost),
    ]
  }

  private static var tool: String {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("authenticator")
      .path
  }

  private static func start(_ path: String, _ arguments: [String]) -> Benchmark.Quantity {
    .time { count in for _ in 0..<count { _ = try Program.output(path, arguments) } }
  }

  /// In a process of its own: opens the store and lists what it holds.
  static func listOnce(path: String) async throws -> Int {
    let store = try await SQLiteKeyStore.open(path: path, environment: BenchKeys.environment)
    return try await store.records(matching: .everything).count
  }

  /// In a process of its own: opens the store and signs.
  static func signOnce(path: String, tag: String) async throws -> Double {
    let store = try await SQLiteKeyStore.open(path: path, environment: BenchKeys.environment)
    return Double(try await store.sign(Floor.message, with: KeyTag(rawValue: tag), ticket: nil).rawRepresentation.count)
  }
}
