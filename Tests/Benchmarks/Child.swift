import Foundation

/// What the bench does in a process of its own, so that memory and start-up are counted from nothing:
/// `authenticator-bench --child MODE …` prints one number, or is a server until its input ends.
enum Child {
  @concurrent
  static func run(_ arguments: [String]) async throws {
    let rest = Array(arguments.dropFirst())
    switch (arguments.first, rest.count) {
    case ("pin-memory", 1): print(try await PINSuite.measureMemory(path: rest[0]))
    case ("first-signature", 2): print(try await ToolSuite.signOnce(path: rest[0], tag: rest[1]))
    case ("first-list", 1): print(try await ToolSuite.listOnce(path: rest[0]))
    case ("pending-journeys", 1): print(try await ServerSuite.measurePendingJourneys(Int(rest[0]) ?? 0))
    case ("serve", 1): try await ServerSuite.serve(registry: rest[0])
    case ("serve-people", 2): try await LoginSuite.serve(registry: rest[0], people: Int(rest[1]) ?? 0)
    case ("proofs", 1): try await SigningSuite.makeProofs(Int(rest[0]) ?? 0)
    case ("uaf-responses", 1): try await UAFClientSuite.authenticate(Int(rest[0]) ?? 0, path: nil)
    case ("uaf-responses", 2): try await UAFClientSuite.authenticate(Int(rest[0]) ?? 0, path: rest[1])
    case ("echo", 0): try await ServerSuite.echo()
    default: throw Floor.Failed(what: "no such child: \(arguments.joined(separator: " "))")
    }
  }
}
