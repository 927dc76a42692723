import Foundation

/// Clients that sign in again and again at a server of their own, which is a process of its own and has been in use for
/// a while; see `WornLog`.
struct SignInBench<Client: Sendable>: Sendable {
  private let server: ServerProcess
  private let clients: [Client]
  private let duration: Duration
  private let signIn: @Sendable (Client) async throws -> Void

  /// Starts the server and makes the clients.
  init(
    _ name: String, clients count: Int, workspace: Workspace, _ effort: Effort,
    enroll: (_ server: String, _ number: Int) async throws -> Client,
    signIn: @escaping @Sendable (Client) async throws -> Void
  ) async throws {
    let path = workspace.disk.appendingPathComponent("\(name)-\(count).sqlite").path
    server = try ServerProcess("serve-people", path, "\(count)")
    var clients: [Client] = []
    for number in 0..<count { clients.append(try await enroll(server.url, number)) }
    self.clients = clients
    self.signIn = signIn
    duration = effort.isQuick ? .seconds(1) : .seconds(3)
    try await WornLog.wear(path) { for client in clients { try await signIn(client) } }
  }

  /// Sign-ins a second.
  var rate: Benchmark.Quantity {
    .reading {
      let clock = ContinuousClock()
      let start = clock.now
      let count = try await run()
      return Double(count) / start.duration(to: clock.now).inSeconds
    }
  }

  /// What one sign-in costs the server, in milliseconds of processor time.
  var processorTime: Benchmark.Quantity {
    .reading {
      let before = try ProcessFigures.processorTime(of: server.processIdentifier)
      let count = try await run()
      return (try ProcessFigures.processorTime(of: server.processIdentifier) - before) / Double(count)
    }
  }

  /// All clients at once; returns how many sign-ins there were.
  private func run() async throws -> Int {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: duration)
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for client in clients {
        group.addTask {
          var count = 0
          while clock.now < end {
            try await signIn(client)
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
  }
}
