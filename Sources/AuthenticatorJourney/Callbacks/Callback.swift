import AuthenticatorCoding
import AuthenticatorCore

/// One question inside a node, or one thing to show. A reference: answer it in place, then call `ContinueNode.next()`.
///
/// Subclass it to teach the client another type: read the outputs in `init(_:)`, offer typed members, write answers
/// with `answer(_:suffix:)`, and put the class in the `CallbackRegistry`. Everything else, unknown members included,
/// is sent back as it came. Instances are not `Sendable`: they belong to whoever holds the node.
open class Callback {
  /// The `type` on the wire that this class stands for; empty for classes that are recognized by content.
  open class var wireType: String { "" }

  /// As received.
  public final let payload: CallbackPayload
  /// The node it belongs to.
  public internal(set) final weak var node: ContinueNode?
  private var answers: [String: JSONValue] = [:]

  /// - Throws: `invalidMessage` when a mandatory output or input is missing, naming it.
  public required init(_ payload: CallbackPayload) throws { self.payload = payload }

  /// The callback's type on the wire.
  public final var type: String { payload.type }

  // MARK: Answering

  /// Whether the app has answered.
  public final var isAnswered: Bool { !answers.isEmpty }

  /// Whether the person or app still owes an answer before the node may be submitted by itself (polling).
  open var awaitsAnswer: Bool { payload.hasInputs && !isAnswered }

  /// Writes an answer into the input `IDToken<digits><suffix>`; a later one replaces it. The input's existence is
  /// checked when the node is sent.
  public final func answer(_ value: JSONValue, suffix: String = "") { answers[suffix] = value }

  /// The answer given so far.
  public final func answer(suffix: String = "") -> JSONValue? { answers[suffix] }

  /// Takes all answers back: the inputs are sent as received.
  public final func withdrawAnswers() { answers = [:] }

  // MARK: The engine's hooks

  /// Whether it is part of the reply. Only script texts are not.
  open var isEchoed: Bool { true }

  /// Whether a node that followed asks this very question again, which means that the answer was refused.
  open func isAskedAgain(by node: ContinueNode) -> Bool { false }

  /// Whether it is told what became of its step. A callback that answers through another one (WebAuthn's options, whose
  /// outcome goes into a hidden field) says so itself.
  open var awaitsOutcome: Bool { isAnswered }

  /// Told once, to each callback that awaits it, what became of its step, before `next()` returns.
  ///
  /// - Throws: what `next()` is to throw, after every callback was told and the session was stored; the node that
  ///   followed stays reachable as `ContinueNode.following`.
  open func stepEnded(_ outcome: StepOutcome) async throws {}

  /// Overwrites what must not outlive the step; called as soon as the answer has left.
  open func forgetSecrets() {}

  /// The object to send back.
  final func reply() throws -> JSONObject { try payload.filled(with: answers) }
}

extension Callback: CustomReflectable {
  /// The type only: answers are secrets.
  public final var customMirror: Mirror { Mirror(self, children: ["type": type]) }
}
