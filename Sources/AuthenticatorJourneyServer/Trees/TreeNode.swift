/// One kind of node of a journey tree.
///
/// Conform to it to add a node. A node is a value with its settings; what it must remember between its own steps goes
/// into `NodeContext.memory`, what other nodes should see into `NodeContext.shared`. `process` is called when the
/// journey reaches the node (`context.answers` is nil) and again with the answers to what it asked.
///
/// ```swift
/// struct TermsNode: TreeNode {
///   static let nodeType = "TermsNode"
///   let outcomes: [NodeOutcome] = ["outcome"]
///   func process(_ context: inout NodeContext) async throws -> NodeResult {
///     guard context.answers != nil else { return .ask([.textOutput("By going on you accept.")]) }
///     return .done("outcome")
///   }
/// }
/// ```
public protocol TreeNode: Sendable {
  /// The type's name in trees that PingAM exports, such as `UsernameCollectorNode`.
  static var nodeType: String { get }

  /// Every outcome this node can end with; a tree must wire all of them.
  var outcomes: [NodeOutcome] { get }

  /// The name of a setting with which the node cannot work, so that no tree takes it; nil, unless it says otherwise.
  var unusableSetting: String? { get }

  /// Goes one step.
  ///
  /// Throws `RESTFailure` to end the request with that answer; any other error ends it with status 500.
  func process(_ context: inout NodeContext) async throws -> NodeResult
}

extension TreeNode {
  public var unusableSetting: String? { nil }
}

/// The name of an outcome, as PingAM's exports write it.
public struct NodeOutcome: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { rawValue = value }
  public var description: String { rawValue }

  /// The only outcome of nodes that have one.
  public static let outcome: NodeOutcome = "outcome"
  /// Yes.
  public static let `true`: NodeOutcome = "true"
  /// No.
  public static let `false`: NodeOutcome = "false"
  /// What the node is for was done.
  public static let success: NodeOutcome = "success"
  /// It was not.
  public static let failure: NodeOutcome = "failure"
}

/// What a node decided.
public enum NodeResult: Sendable {
  /// The client must answer these first.
  case ask(NodePage)
  /// The journey goes on along this outcome.
  case done(NodeOutcome)
  /// The journey is parked until somebody follows a link; `message` is shown meanwhile. On return the node is called
  /// with `NodeContext.isResumed`.
  case suspend(message: String)

  /// Asks without page texts.
  public static func ask(_ callbacks: [ServerCallback]) -> NodeResult { .ask(NodePage(callbacks: callbacks)) }
}

/// The callbacks of one step and the texts around them.
public struct NodePage: Sendable {
  /// The questions in order.
  public var callbacks: [ServerCallback]
  /// The page's stage; nil: none is sent.
  public var stage: String?
  /// The page's title; nil: none is sent.
  public var header: String?
  /// The page's explanation; nil: none is sent.
  public var description: String?

  /// Makes a page.
  public init(
    callbacks: [ServerCallback], stage: String? = nil, header: String? = nil, description: String? = nil
  ) {
    self.callbacks = callbacks
    self.stage = stage
    self.header = header
    self.description = description
  }
}
