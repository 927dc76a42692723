import AuthenticatorCoding
import AuthenticatorCore

/// A node that asks. Answer its callbacks, then call `next()`, once.
///
/// Not `Sendable`: it belongs to whoever holds it, and `next()` runs there. Dropping the last reference to a flow's
/// node, or `close()`, ends the flow.
public final class ContinueNode {
  /// All callbacks in the server's order, unknown ones and script texts included.
  public let callbacks: [Callback]
  /// The page's stage; from metadata only when the page has none of its own. Nil: neither.
  public let stage: String?
  /// The page's title; server text.
  public let header: String?
  /// The page's explanation; server text. (`description` on the wire.)
  public let pageDescription: String?
  /// The answer as received.
  public let json: JSONObject

  /// What `next()` returned, kept so that it is not lost when settling an answered callback failed and `next()` threw.
  public private(set) var following: JourneyNode?

  private let flow: JourneyFlow
  private var submission = Submission.open

  private enum Submission { case open, running, done }

  init(json: JSONObject, callbacks: [Callback], flow: JourneyFlow) {
    self.json = json
    self.callbacks = callbacks
    self.flow = flow
    header = json["header"]?.stringValue
    pageDescription = json["description"]?.stringValue
    let metadata = callbacks.lazy.compactMap { ($0 as? MetadataCallback)?.stage }
    stage = json["stage"]?.stringValue ?? metadata.first
    for callback in callbacks { callback.node = self }
  }

  // MARK: Finding callbacks

  /// The first callback of a class.
  public func callback<Class: Callback>(_ type: Class.Type) -> Class? {
    callbacks.lazy.compactMap { $0 as? Class }.first
  }

  /// All callbacks of a class, in order.
  public func callbacks<Class: Callback>(_ type: Class.Type) -> [Class] { callbacks.compactMap { $0 as? Class } }

  /// The hidden field of an id.
  public func hiddenValue(id: String) -> HiddenValueCallback? {
    callbacks(HiddenValueCallback.self).first { $0.id == id }
  }

  // MARK: Going on

  /// How long to wait before the node may be posted as it is. Nil: it never posts by itself, because it has no polling
  /// callback or because another question on it is unanswered.
  public var pollingDelay: Duration? {
    let waits = callbacks(PollingWaitCallback.self).map(\.waitTime)
    guard let wait = waits.max(), !callbacks.contains(where: \.awaitsAnswer) else { return nil }
    let limits = flow.journey.configuration.limits
    return min(max(wait, limits.shortestPollingWait), limits.pollingWait)
  }

  /// Waits as a polling node asks, then posts it unchanged.
  /// - Throws: `invalidRequest` when `pollingDelay` is nil, before or after the wait; otherwise as `next()`.
  public func poll() async throws -> JourneyNode {
    guard let delay = pollingDelay else { throw notPolling() }
    do {
      let environment = flow.journey.environment
      try await environment.sleep(environment.uptime() + delay)
    } catch {
      throw AuthenticatorError.wrapping(error, as: .appCanceled, stage: "journey.poll")
    }
    guard pollingDelay != nil else { throw notPolling() }
    return try await next()
  }

  private func notPolling() -> AuthenticatorError {
    AuthenticatorError(.invalidRequest, stage: "journey.poll", reason: "the node still asks for answers")
  }

  /// Sends the answers and returns what the server says to them.
  ///
  /// A node is sent once. Only when the request certainly never left (`AuthenticatorError.isSafeToRetry`) may it be
  /// sent again. Every answered callback has been told what became of it before this returns.
  /// - Throws: `transportFailed`, `timedOut`, `invalidMessage`; `busy` while it is being sent; `invalidRequest` when it
  ///   was sent before; `appCanceled` when the flow was closed; what settling a callback threw.
  public func next() async throws -> JourneyNode {
    switch submission {
    case .running: throw AuthenticatorError(.busy, stage: "journey.next", reason: "the step is being sent")
    case .done:
      throw AuthenticatorError(.invalidRequest, stage: "journey.next", reason: "the step was sent before")
    case .open: break
    }
    let body = try reply()
    try flow.checkOpen()
    submission = .running
    let node: JourneyNode
    do {
      node = try await flow.post(body)
    } catch let error as AuthenticatorError where error.isSafeToRetry {
      submission = .open
      throw error
    } catch {
      finishSending()
      flow.end()
      // What failed on the way is what the caller must hear, even if a callback cannot settle either.
      do { try await settle { _ in .unknown } } catch {}
      throw error
    }
    finishSending()
    following = node
    var trouble: (any Error)?
    do {
      try await settle { Self.outcome(of: $0, followedBy: node) }
    } catch {
      trouble = error
    }
    try await flow.finish(with: node)
    if let trouble { throw trouble }
    return node
  }

  /// Ends the flow: nothing more is sent for it, and another may start.
  public func close() { flow.end() }

  /// Whether a challenge, given by its digest, was answered with a proof earlier in this flow.
  package func hasAnswered(challenge digest: [UInt8]) -> Bool { flow.hasAnswered(digest) }

  /// Notes that a challenge is answered now; false: it was answered before, and must not be again.
  package func answer(challenge digest: [UInt8]) -> Bool { flow.answer(digest) }

  private func finishSending() {
    submission = .done
    for callback in callbacks { callback.forgetSecrets() }
  }

  /// The node as received, with the answers in their places.
  private func reply() throws -> JSONObject {
    var reply = json
    reply["callbacks"] = .array(try callbacks.filter(\.isEchoed).map { .object(try $0.reply()) })
    return reply
  }

  /// Tells every callback that awaits it its outcome, even when an earlier one fails; then throws the first failure.
  private func settle(_ outcome: (Callback) -> StepOutcome) async throws {
    var first: (any Error)?
    for callback in callbacks where callback.awaitsOutcome {
      do { try await callback.stepEnded(outcome(callback)) } catch { first = first ?? error }
    }
    if let first { throw first }
  }

  private static func outcome(of callback: Callback, followedBy node: JourneyNode) -> StepOutcome {
    switch node {
    case .continue(let next): callback.isAskedAgain(by: next) ? .refused(node) : .accepted(node)
    case .success, .suspended: .accepted(node)
    // A server that failed may have stored the answer first.
    case .failure(let failure): failure.code == .serverFault ? .unknown : .refused(node)
    }
  }
}

extension ContinueNode: CustomStringConvertible, CustomReflectable {
  /// Stage and callback types: the rest holds tokens.
  public var description: String { "ContinueNode(\(stage ?? "-"): \(callbacks.map(\.type).joined(separator: ", ")))" }
  public var customMirror: Mirror { Mirror(self, children: ["stage": stage as Any]) }
}
