import AuthenticatorCore
import AuthenticatorJourney

/// Walks one journey from its beginning to its end. Not `Sendable`: one task owns it.
final class LoginRun {
  /// What happened so far.
  private(set) var outcome = LoginOutcome(word: .failure)
  private let journey: Journey
  private let transport: ObservedTransport
  private let options: LoginOptions
  private let console: Console
  private let device: Ceremonies
  private var answerer: NodeAnswerer

  init(
    journey: Journey, transport: ObservedTransport, options: LoginOptions, device: Ceremonies, questions: Questions?,
    console: Console
  ) {
    self.journey = journey
    self.transport = transport
    self.options = options
    self.device = device
    self.console = console
    answerer = NodeAnswerer(answers: options.answers, questions: questions, console: console)
  }

  /// Runs it. Whatever happens is part of the outcome.
  func run() async -> LoginOutcome {
    do { try await walk() } catch {
      outcome.word = .failure
      outcome.failure = Self.failure(error)
    }
    outcome.httpStatus = transport.lastStatus
    outcome.ceremonies = device.answers
    if !outcome.steps.isEmpty, !answerer.answers.unusedKeys.isEmpty {
      console.say("not asked for: \(answerer.answers.unusedKeys.joined(separator: ", "))")
    }
    return outcome
  }

  private func walk() async throws {
    var node =
      switch options.beginning {
      case .journey(let name): try await journey.start(name, options: options.flags)
      case .link(let link): try await journey.resume(link, options: options.flags)
      }
    while true {
      switch node {
      case .continue(let page): node = try await step(page)
      case .success(let session):
        outcome.word = .success
        outcome.session = session
        return
      case .suspended(let parked):
        outcome.steps.append(.init(stage: nil, callbacks: parked.callbacks.map(\.type)))
        outcome.word = .suspended
        outcome.failure = Failure(
          code: "suspended", message: parked.message, stage: "journey", status: .success)
        return
      case .failure(let failure):
        outcome.failure = Failure(
          code: failure.code.rawValue, message: Self.message(of: failure),
          stage: "journey", status: .refused)
        return
      }
    }
  }

  private func step(_ page: ContinueNode) async throws -> JourneyNode {
    outcome.steps.append(.init(stage: page.stage, callbacks: page.callbacks.map(\.type)))
    console.trace("node \(outcome.steps.count): \(page.callbacks.map(\.type).joined(separator: ", "))")
    try await answerer.answer(page)
    try await device.perform(page)
    return page.pollingDelay == nil ? try await page.next() : try await page.poll()
  }

  /// The server's words, or ours where it has none.
  private static func message(of failure: JourneyFailure) -> String {
    if let words = [failure.message, failure.reason].first(where: { !$0.isEmpty }) { return words }
    switch failure.code {
    case .serverFault: return "the server failed with status \(failure.status)"
    case .unexpectedRedirect: return "the server redirects elsewhere, which is not followed"
    default: return "the server refused with status \(failure.status)"
    }
  }

  /// A server that no byte reached is an unusable environment; everything else that went wrong with it is a failure.
  static func failure(_ error: any Error) -> Failure {
    var failure = Failure(error)
    guard let error = error as? AuthenticatorError else { return failure }
    if error.code == .transportFailed, error.isSafeToRetry { failure.status = .unusable }
    // Refused here, and nothing was sent: what was given is wrong.
    if error.code == .invalidRequest { failure.status = .usage }
    return failure
  }
}
