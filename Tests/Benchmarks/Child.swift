/// What the bench does in a process of its own: `authenticator-bench --child MODE`.
enum Child {
  static func run(_ arguments: [String]) async throws {
    throw Floor.Failed(what: "no such child: \(arguments.joined(separator: " "))")
  }
}
