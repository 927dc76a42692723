import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorSQLite
import Foundation

/// Opening keys with a PIN, against the derivation alone (P7).
struct PINSuite: Suite {
  let name = "pin"
  let workspace: Workspace
  private static let domain = SecretDomain(rawValue: "bench")
  private static let pin = "482913"

  func benchmarks(_ effort: Effort) async throws -> [Benchmark] {
    let path = workspace.disk.appendingPathComponent("pin.keys").path
    let store = try await SQLiteKeyStore.open(path: path, environment: BenchKeys.environment)
    _ = try await store.create(Self.domain, secret: SecretBytes(Array(Self.pin.utf8)))
    return [
      Benchmark(
        id: "P7", what: "right PIN, scrypt 2^17/8/1, SQLite, attempt paid and reset durably; floor: scrypt alone",
        unit: "µs",
        ours: .time { count in
          for _ in 0..<count { _ = try await store.unlock(Self.domain, with: SecretBytes(Array(Self.pin.utf8))) }
        },
        floor: .time { count in for _ in 0..<count { try Floor.derive(.recommended) } }, goal: 1.05, aim: .atMost),
      Benchmark(
        id: "P7-memory", what: "most memory during a right PIN beyond scrypt's own 128 MiB, fresh process", unit: "MiB",
        ours: .reading { try Program.child("pin-memory", path) }, goal: 16, aim: .atMost),
    ]
  }

  /// In a process of its own: the most memory used beyond what it had before and what the derivation needs.
  static func measureMemory(path: String) async throws -> Double {
    let store = try await SQLiteKeyStore.open(path: path, environment: BenchKeys.environment)
    let before = try ProcessFigures.residentSize()
    _ = try await store.unlock(domain, with: SecretBytes(Array(pin.utf8)))
    let derivation = Double(ScryptParameters.recommended.memory ?? 0) / 1024
    return (try ProcessFigures.peakSize() - before - derivation) / 1024
  }
}
