/// Has the client wait, and lets the person leave if wanted.
///
/// With `detectsSpam`, an answer that comes before its time is not taken: the wait begins anew, and after
/// `toleratedSpam` such answers the outcome is `SPAM`.
public struct PollingWait: TreeNode {
  public static let nodeType = "PollingWaitNode"
  /// The time is over.
  public static let done: NodeOutcome = "DONE"
  /// The person left.
  public static let exited: NodeOutcome = "EXITED"
  /// The client did not wait, too often.
  public static let spam: NodeOutcome = "SPAM"

  /// How long to wait.
  public var seconds: Int
  /// What is shown meanwhile.
  public var message: String
  /// The text of the button to leave with; nil: there is none.
  public var exitMessage: String?
  /// Whether answers that come too early are counted.
  public var detectsSpam: Bool
  /// How many of them are tolerated.
  public var toleratedSpam: Int

  /// Makes the node.
  public init(
    seconds: Int, message: String = "Waiting for response...", exitMessage: String? = nil, detectsSpam: Bool = false,
    toleratedSpam: Int = 3
  ) {
    self.seconds = seconds
    self.message = message
    self.exitMessage = exitMessage
    self.detectsSpam = detectsSpam
    self.toleratedSpam = toleratedSpam
  }

  public var outcomes: [NodeOutcome] {
    [Self.done] + (exitMessage == nil ? [] : [Self.exited]) + (detectsSpam ? [Self.spam] : [])
  }

  public func process(_ context: inout NodeContext) async throws -> NodeResult {
    guard let answers = context.answers else { return ask(&context, spam: 0) }
    if exitMessage != nil, answers.last?.integer() == 0 {
      context.memory = [:]
      return .done(Self.exited)
    }
    let start = context.memory["start"]?.intValue ?? 0
    let spam = context.memory["spam"]?.intValue ?? 0
    if detectsSpam, context.now.milliseconds < Int64(start) + Int64(seconds) * 1000 {
      guard spam < toleratedSpam else {
        context.memory = [:]
        return .done(Self.spam)
      }
      return ask(&context, spam: spam + 1)
    }
    context.memory = [:]
    return .done(Self.done)
  }

  private func ask(_ context: inout NodeContext, spam: Int) -> NodeResult {
    context.memory = ["start": .integer(context.now.milliseconds), "spam": .integer(Int64(spam))]
    var callbacks: [ServerCallback] = [.pollingWait(milliseconds: seconds * 1000, message: message)]
    if let exitMessage { callbacks.append(.confirmation(options: [exitMessage], defaultOption: 0)) }
    return .ask(callbacks)
  }
}
