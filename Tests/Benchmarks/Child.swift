import Foundation

/// What the bench does in a process of its own, so that memory and start-up are counted from nothing:
/// `authenticator-bench --child MODE …` prints one number.
enum Child {
  @concurrent
  static func run(_ arguments: [String]) async throws {
    switch (arguments.first, arguments.dropFirst().first) {
    case ("pin-memory", let path?): print(try await PINSuite.measureMemory(path: path))
    default: throw Floor.Failed(what: "no such child: \(arguments.joined(separator: " "))")
    }
  }
}
