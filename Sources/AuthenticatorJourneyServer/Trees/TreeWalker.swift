internal import AuthenticatorCore

/// Walks a tree until somebody must answer, or it ends.
struct TreeWalker: Sendable {
  enum Stop: Sendable {
    case ask(NodePage, nodeID: String)
    case suspend(message: String, nodeID: String)
    case success
    case failure
  }

  /// The most nodes between two steps; a tree that needs more goes in circles.
  static let maximumNodes = 256

  let tree: JourneyTree
  let maximumCallbacks: Int

  /// Begins at the tree's entry.
  func start(_ context: inout NodeContext) async throws -> Stop { try await walk(tree.entry, &context) }

  /// Goes on at the node that asked or suspended, with `context.answers` or `context.isResumed` set.
  ///
  /// Throws `RESTFailure` (400) when the tree has no such node any more.
  func resume(at nodeID: String, _ context: inout NodeContext) async throws -> Stop {
    guard tree.steps[nodeID] != nil else { throw RESTFailure.badRequest("The journey was changed meanwhile") }
    return try await walk(.step(nodeID), &context)
  }

  private func walk(_ entry: TreeDestination, _ context: inout NodeContext) async throws -> Stop {
    var destination = entry
    for _ in 0..<Self.maximumNodes {
      let id: String
      switch destination {
      case .success: return .success
      case .failure: return .failure
      case .step(let name): id = name
      }
      guard let step = tree.steps[id] else { throw RESTFailure.internalFault }
      context.nodeID = id
      let result = try await step.node.process(&context)
      context.answers = nil
      context.isResumed = false
      switch result {
      case .ask(let page):
        guard (1...maximumCallbacks).contains(page.callbacks.count) else {
          throw TreeFault(tree: tree.name, step: id, "asks nothing or too much")
        }
        return .ask(page, nodeID: id)
      case .suspend(let message): return .suspend(message: message, nodeID: id)
      case .done(let outcome):
        guard let next = step.destinations[outcome] else {
          throw TreeFault(tree: tree.name, step: id, "ended with an outcome it had not declared")
        }
        destination = next
      }
    }
    throw TreeFault(tree: tree.name, step: context.nodeID, "goes in circles")
  }
}

/// A tree or node that does what it must not; a fault of its author, told to the operator and not to the client.
struct TreeFault: Error, CustomStringConvertible {
  let tree: String
  let step: String
  let reason: StaticString

  init(tree: String, step: String, _ reason: StaticString) {
    self.tree = tree
    self.step = step
    self.reason = reason
  }

  var description: String { "\(step) of the tree \(tree) \(reason)" }
}
