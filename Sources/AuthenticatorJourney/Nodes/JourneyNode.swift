/// One answer of the server.
///
/// Trouble on the way to the server, and answers that cannot be understood, are thrown instead.
public enum JourneyNode {
  /// The server asks: answer the callbacks, then `next()`.
  case `continue`(ContinueNode)
  /// Signed in. `JourneySession.hasToken` is false when the flow creates no session.
  case success(JourneySession)
  /// The server said no; a session from before is untouched.
  case failure(JourneyFailure)
  /// The flow is parked until the person opens the link that was sent; `Journey.resume(_:)` goes on.
  case suspended(SuspendedNode)

  /// The node to answer, when there is one.
  public var continueNode: ContinueNode? {
    guard case .continue(let node) = self else { return nil }
    return node
  }
}

/// The name the Ping SDKs use for a node that asks.
public typealias Node = ContinueNode

/// A parked flow: the server sent a message and a link to the person.
public struct SuspendedNode {
  /// What the server says about it, for the person; server text.
  public let message: String
  /// All callbacks of the node, as received.
  public let callbacks: [Callback]
}
