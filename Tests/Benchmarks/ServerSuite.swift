import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import AuthenticatorJourneyServer
import BenchmarkFloors
import Foundation
import Synchronization

/// The journey server: steps over the network, password logins, memory (P11, P14, P15, P16).
struct ServerSuite: Suite {
  let name = "server"
  let workspace: Workspace
  private static let path = "/json/realms/root/authenticate?authIndexType=service&authIndexValue="

  func benchmarks(_ effort: Effort) async throws -> [Benchmark] {
    let load = try LoadGenerator(workspace: workspace, seconds: effort.isQuick ? 1 : 3)
    let path = workspace.disk.appendingPathComponent("registry.sqlite").path
    let step = ReadingPair()
    let login = try await PasswordLogin(registry: SQLiteRegistry(path: path))
    let cost = PasswordAuthority.defaultCost
    let pending = effort.isQuick ? "10000" : "100000"
    return [
      Benchmark(
        id: "P11", what: "journey start over HTTP, no durable write, wrk -t1 -c16; floor: libmicrohttpd echo",
        unit: "1/s",
        ours: .reading {
          let server = try ServerProcess("serve", path + "-load")
          defer { server.stop() }
          let result = try load.run(server.url + Self.path + "Login")
          step.set(result.p99)
          return result.requestsPerSecond
        },
        floor: .reading {
          let server = try ServerProcess("echo")
          defer { server.stop() }
          return try load.run(server.url).requestsPerSecond
        }, goal: 0.2),
      Benchmark(
        id: "P11-p99", what: "99th percentile of the last run of P11", unit: "ms", ours: .reading { step.get() },
        goal: 5,
        aim: .atMost),
      Benchmark(
        id: "P14",
        what: "password login in process, serial, SQLite registry, scrypt 2^\(cost.logN)/\(cost.r)/\(cost.p); "
          + "floor: scrypt alone", unit: "1/s",
        ours: .rate { count in for _ in 0..<count { try await login.run() } },
        floor: .rate { count in for _ in 0..<count { try Floor.derive(cost) } }, goal: 0.8),
      Benchmark(
        id: "P15", what: "memory for each pending journey, one step answered, client-side state", unit: "B",
        ours: .reading { try Program.child("pending-journeys", pending) }, goal: 64, aim: .atMost),
      Benchmark(
        id: "P16", what: "idle server after its first requests, resident size", unit: "MiB",
        ours: .reading {
          let server = try ServerProcess("serve", path + "-idle")
          defer { server.stop() }
          try await Self.get(server.url + "/json/serverinfo/*")
          try await Task.sleep(for: .seconds(1))
          return try ProcessFigures.residentSize(of: server.processIdentifier) / 1024
        }, goal: 40, aim: .atMost),
    ]
  }

  private static func get(_ url: String) async throws {
    _ = try Program.output(
      "/usr/bin/env", ["python3", "-c", "import sys,urllib.request as u;u.urlopen(sys.argv[1])", url])
  }

  // MARK: In a process of its own

  /// Serves until its input ends.
  static func serve(registry path: String) async throws {
    let environment = AuthenticatorEnvironment(appIdentifier: nil, deviceName: "Bench")
    let server = try await JourneyServer(
      configuration: JourneyServerConfiguration(environment: environment), registry: SQLiteRegistry(path: path))
    try await serve(server)
  }

  /// Prints the address, then serves until the input ends.
  static func serve(_ server: JourneyServer) async throws {
    let front = try HTTPFront(server)
    print(front.url)
    fflush(nil)
    await inputEnds()
    await front.stop()
  }

  /// The floor: echoes until its input ends.
  static func echo() async throws {
    guard let echo = floor_echo_start() else { throw Floor.Failed(what: "MHD_start_daemon") }
    print("http://127.0.0.1:\(floor_echo_port(echo))")
    fflush(nil)
    await inputEnds()
    floor_echo_stop(echo)
  }

  private static func inputEnds() async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        while !FileHandle.standardInput.availableData.isEmpty {}
        continuation.resume()
      }
    }
  }

  /// Starts journeys, answers the first step of each, and tells what one costs in bytes.
  static func measurePendingJourneys(_ count: Int) async throws -> Double {
    let environment = AuthenticatorEnvironment(appIdentifier: nil, deviceName: "Bench")
    let server = try await JourneyServer(
      configuration: JourneyServerConfiguration(environment: environment), registry: InMemoryRegistry())
    func walk(_ count: Int) async throws {
      for _ in 0..<count {
        // The name is left empty, so that the same question follows.
        let page = try await post(Self.path + "SignDevice", nil, to: server)
        _ = try await post(Self.path + "SignDevice", page, to: server)
      }
    }
    // What the first ones cost is not theirs alone.
    try await walk(1000)
    let before = try ProcessFigures.residentSize()
    try await walk(count)
    return (try ProcessFigures.residentSize() - before) * 1024 / Double(count)
  }

  static func post(_ target: String, _ body: JSONValue?, to server: JourneyServer) async throws -> JSONValue {
    let parts = ("/am" + target).split(separator: "?", maxSplits: 1)
    let response = await server.handle(
      ServerRequest(
        method: "POST", path: String(parts[0]), query: parts.dropFirst().first.map(String.init),
        fields: [HTTPField("Content-Type", "application/json"), HTTPField("Accept-API-Version", "resource=2.1")],
        body: body?.serialized() ?? []))
    guard response.status == 200 else { throw Floor.Failed(what: "status \(response.status) for \(target)") }
    return try JSONValue.parse(response.body)
  }
}

/// Signs one user in with the built-in journey `Login`.
private struct PasswordLogin: Sendable {
  private let server: JourneyServer
  private static let target = "/json/realms/root/authenticate?authIndexType=service&authIndexValue=Login"

  init(registry: SQLiteRegistry) async throws {
    let environment = AuthenticatorEnvironment(appIdentifier: nil, deviceName: "Bench")
    server = try await JourneyServer(
      configuration: JourneyServerConfiguration(environment: environment), registry: registry)
    try await server.addUser(named: "mira", password: "correct horse", in: .root)
  }

  func run() async throws {
    var page = try await ServerSuite.post(Self.target, nil, to: server).objectValue ?? [:]
    let answers = ["mira", "correct horse"]
    let callbacks = (page["callbacks"]?.arrayValue ?? []).enumerated().map { index, callback in
      var object = callback.objectValue ?? [:]
      object["input"] = [["name": .string("IDToken\(index + 1)"), "value": .string(answers[min(index, 1)])]]
      return JSONValue.object(object)
    }
    page["callbacks"] = .array(callbacks)
    let outcome = try await ServerSuite.post(Self.target, .object(page), to: server)
    guard outcome["tokenId"]?.stringValue?.isEmpty == false else { throw Floor.Failed(what: "no session") }
  }
}

/// A number that one benchmark finds on its way and another reports.
private final class ReadingPair: Sendable {
  private let value = Mutex(Double.nan)

  func set(_ new: Double) { value.withLock { $0 = new } }
  func get() -> Double { value.withLock { $0 } }
}
