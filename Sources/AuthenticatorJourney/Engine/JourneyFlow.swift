import AuthenticatorCoding
import AuthenticatorCore
import Synchronization

/// One run of one journey: its flags, its budget, whether it still goes on. Its nodes hold it; when the last one is
/// dropped, the flow is over.
final class JourneyFlow: Sendable {
  let journey: Journey
  let name: String?
  let options: JourneyOptions
  private let started: Duration
  private let state = Mutex(State())

  private struct State {
    var steps = 0
    var isEnded = false
    var challenges: Set<[UInt8]> = []
  }

  init(journey: Journey, name: String?, options: JourneyOptions) {
    self.journey = journey
    self.name = name
    self.options = options
    started = journey.environment.uptime()
  }

  var isEnded: Bool { state.withLock { $0.isEnded } }

  func end() { state.withLock { $0.isEnded = true } }

  /// Whether a challenge of this flow was answered with a proof before.
  func hasAnswered(_ challenge: [UInt8]) -> Bool { state.withLock { $0.challenges.contains(challenge) } }

  /// Notes that a challenge is being answered; false: it was before.
  func answer(_ challenge: [UInt8]) -> Bool { state.withLock { $0.challenges.insert(challenge).inserted } }

  /// - Throws: `appCanceled` for a flow that was closed, `timedOut` for one that took too long.
  func checkOpen() throws {
    guard !isEnded else { throw AuthenticatorError(.appCanceled, stage: "journey.next", reason: "the flow is over") }
    guard journey.environment.uptime() - started < journey.configuration.limits.totalTime else {
      end()
      throw AuthenticatorError(.timedOut, stage: "journey.next", reason: "the flow took too long")
    }
  }

  /// Sends a step and reads the node that comes back.
  func post(_ body: JSONObject, extraQuery: [(name: String, value: String)] = []) async throws -> JourneyNode {
    let steps = state.withLock { state in
      state.steps += 1
      return state.steps
    }
    guard steps <= journey.configuration.limits.steps else {
      end()
      throw AuthenticatorError(.invalidMessage, stage: "journey.next", reason: "the journey has too many steps")
    }
    var query = extraQuery
    if options.noSession { query.append(("noSession", "true")) }
    let answer = try await journey.exchange(body, query: query)
    let context = await journey.memory.callbackContext(journey: name)
    let node = try JourneyAnswerReader(journey: journey, flow: self, context: context).read(answer)
    guard !isEnded else { throw AuthenticatorError(.appCanceled, stage: "journey.next", reason: "the flow is over") }
    return node
  }

  /// Draws the consequences of a node that was received and whose callbacks are settled.
  func finish(with node: JourneyNode) async throws {
    switch node {
    case .continue: return
    case .success(let session):
      end()
      if session.hasToken { try await journey.adopt(session) }
    case .failure, .suspended: end()
    }
  }
}
