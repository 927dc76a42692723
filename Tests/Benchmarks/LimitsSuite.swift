import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import AuthenticatorSQLite
import Foundation

/// What time tells an attacker: about a PIN, about a changed store file, about who has an account.
struct LimitsSuite: Suite {
  let name = "limits"
  let workspace: Workspace
  private static let domain = SecretDomain(rawValue: "bench")
  private static let pin = "482913"

  func benchmarks(_ effort: Effort) async throws -> [Benchmark] {
    let path = workspace.disk.appendingPathComponent("limits.keys").path
    let store = try await SQLiteKeyStore.open(path: path, environment: BenchKeys.environment)
    _ = try await store.create(Self.domain, secret: SecretBytes(Array(Self.pin.utf8)))
    let right: Benchmark.Quantity = .reading {
      try await Self.microseconds { _ = try await store.unlock(Self.domain, with: SecretBytes(Array(Self.pin.utf8))) }
    }
    let wrong: Benchmark.Quantity = .reading {
      let time = try await Self.microseconds {
        try await Self.refused(.userVerificationFailed) {
          try await store.unlock(Self.domain, with: SecretBytes(Array("000000".utf8)))
        }
      }
      // So that no delay follows.
      _ = try await store.unlock(Self.domain, with: SecretBytes(Array(Self.pin.utf8)))
      return time
    }
    return [
      Benchmark(
        id: "PIN-wrong", what: "wrong PIN, scrypt 2^17/8/1, SQLite, attempt paid durably; floor: right PIN", unit: "µs",
        ours: wrong, floor: right, goal: 0.95),
      Benchmark(
        id: "PIN-cost", what: "slowest refusal of a store whose scrypt cost or salt was changed; floor: right PIN",
        unit: "µs", ours: .reading { try await Self.slowestRefusal(of: path, in: workspace) }, floor: right, goal: 0.12,
        aim: .atMost),
      Benchmark(
        id: "names", what: "Welch's t of the times that known and unknown names take to be refused", unit: "|t|",
        ours: .reading { try await Self.welch(effort.isQuick ? 100 : 500) }, goal: 4.5, aim: .atMost),
    ]
  }

  private static func microseconds(_ work: () async throws -> Void) async throws -> Double {
    (try await ContinuousClock().measure { try await work() }).inSeconds * 1e6
  }

  /// Fails when the work succeeds, or is refused for another reason.
  private static func refused<Value>(
    _ codes: AuthenticatorError.Code..., work: () async throws -> Value
  ) async throws {
    do {
      _ = try await work()
    } catch let error as AuthenticatorError where codes.contains(error.code) {
      return
    }
    throw Floor.Failed(what: "a refusal")
  }

  // MARK: Changed costs

  private static let changes = [
    "log_n = 1", "log_n = 30", "log_n = 62", "log_n = -1", "r = 0", "r = 1048576", "p = 0", "p = 1048576", "salt = x''",
  ]

  private static func slowestRefusal(of path: String, in workspace: Workspace) async throws -> Double {
    var slowest = 0.0
    for (number, change) in changes.enumerated() {
      let copy = workspace.disk.appendingPathComponent("limits-\(number).keys").path
      let edit = """
        import sqlite3, sys
        with sqlite3.connect(sys.argv[1]) as store, sqlite3.connect(sys.argv[2]) as copy:
            store.backup(copy)
            copy.execute("UPDATE domains SET \(change)")
        """
      _ = try Program.output("/usr/bin/env", ["python3", "-c", edit, path, copy])
      chmod(copy, 0o600)
      let store = try await SQLiteKeyStore.open(path: copy, environment: BenchKeys.environment)
      let time = try await microseconds {
        try await refused(.integrityFailed, .storeDamaged, .invalidRequest) {
          try await store.unlock(domain, with: SecretBytes(Array(pin.utf8)))
        }
      }
      slowest = max(slowest, time)
      for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) }
    }
    return slowest
  }

  // MARK: Names

  /// So many refusals of each kind, taken in turn, in process, with a derivation that is cheap: what else differs
  /// must not hide in its noise.
  private static func welch(_ count: Int) async throws -> Double {
    var configuration = try JourneyServerConfiguration(environment: BenchKeys.environment)
    configuration.passwordCost = ScryptParameters(logN: 10, r: 8, p: 1)
    configuration.passwordBounds = ScryptBounds(minimumLogN: 10)
    configuration.lockout = LockoutPolicy(failuresBeforeLock: .max, failuresForGood: .max)
    let server = try await JourneyServer(configuration: configuration, registry: InMemoryRegistry())
    for number in 0..<16 {
      try await server.addUser(named: "known-name-\(number)", password: "correct horse", in: .root)
    }
    var known: [Double] = []
    var unknown: [Double] = []
    // The first answers warm what every answer uses.
    for number in -20..<count {
      let place = abs(number) % 16
      let times = (
        try await refusal(of: "known-name-\(place)", at: server),
        try await refusal(of: "other-name-\(place)", at: server)
      )
      guard number >= 0 else { continue }
      known.append(times.0)
      unknown.append(times.1)
    }
    let (one, other) = (Sample(known), Sample(unknown))
    return abs(one.mean - other.mean) / (one.errorSquared + other.errorSquared).squareRoot()
  }

  /// How long the answer to a wrong password takes.
  private static func refusal(of name: String, at server: JourneyServer) async throws -> Double {
    let path = server.configuration.contextPath + "/json/realms/root/authenticate"
    func post(_ body: [UInt8]) async throws -> ServerResponse {
      let response = await server.handle(
        ServerRequest(
          method: "POST", path: path, query: "authIndexType=service&authIndexValue=Login",
          fields: [HTTPField("Content-Type", "application/json")], body: body))
      guard response.status == 200 else { throw Floor.Failed(what: "status \(response.status)") }
      return response
    }
    let page = String(decoding: try await post(Array("{}".utf8)).body, as: UTF8.self)
    let filled =
      page.replacingOccurrences(of: #""name":"IDToken1","value":"""#, with: #""name":"IDToken1","value":"\#(name)""#)
      .replacingOccurrences(of: #""name":"IDToken2","value":"""#, with: #""name":"IDToken2","value":"wrong""#)
    guard filled.utf8.count == page.utf8.count + name.utf8.count + 5 else { throw Floor.Failed(what: "a page") }
    return try await microseconds { _ = try await post(Array(filled.utf8)) }
  }

  /// Times without the slowest tenth, in which others used the processor.
  private struct Sample {
    let mean: Double
    /// The squared standard error of the mean.
    let errorSquared: Double

    init(_ times: [Double]) {
      let kept = times.sorted().prefix(times.count * 9 / 10)
      let count = Double(kept.count)
      let mean = kept.reduce(0, +) / count
      self.mean = mean
      errorSquared = kept.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1) / count
    }
  }
}
