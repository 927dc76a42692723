import AuthenticatorCore
import AuthenticatorTestSupport
import AuthenticatorUAF
import Testing

/// The prompt state machine, for views that an app draws itself.
struct AuthenticationViewTests {
  private static let extras = UAFExtras([.fallback(title: "Other ways")])

  private struct Walk {
    var shown: [String] = []
    var result: UAFResult
  }

  /// Answers each state as told.
  private func walk(
    _ view: UAFAuthenticationView, _ answers: [(UAFAuthenticationView) -> Void]
  ) async throws -> Walk {
    var answers = answers[...]
    var shown: [String] = []
    var last: UAFResult?
    for await state in view.states {
      switch state {
      case .biometric(let prompt):
        shown.append((prompt.isRetry ? "retry:" : "prompt:") + (prompt.prompt.fallbackTitle ?? "-"))
      case .scanning:
        shown.append("scanning")
        continue
      case .approval(.text(let text), _): shown.append("approval:" + text)
      case .approval: shown.append("approval")
      case .choice(let options, _): shown.append("choice:" + options.joined(separator: ","))
      case .finished(let result):
        last = result
        continue
      }
      answers.popFirst()?(view)
    }
    #expect(answers.isEmpty)
    let result = await view.result
    #expect(last?.outcome == result.outcome)
    return Walk(shown: shown, result: result)
  }

  private func registered() async throws -> UAFKit {
    let kit = try UAFKit()
    try await kit.register(.state, steps: .match())
    return kit
  }

  private func view(_ kit: UAFKit, _ message: UAFMessage? = nil, steps: ScriptedStep...) -> UAFAuthenticationView {
    kit.device.verifier.script(steps)
    return kit.client.authenticationView(
      message ?? UAFKit.authentication(.state), facetID: UAFKit.facet, extras: Self.extras)
  }

  @Test func scansWhenTheAppSaysSo() async throws {
    let kit = try await registered()
    let walk = try await walk(view(kit, steps: .match()), [{ $0.scan() }])
    #expect(walk.result.outcome == .success)
    #expect(walk.shown == ["prompt:Other ways", "scanning"])
    // The sensor's own prompt has no second button.
    #expect(kit.prompts.last?.fallbackTitle == nil)
  }

  @Test func returnsFallback() async throws {
    let walk = try await walk(view(try await registered()), [{ $0.chooseFallback() }])
    #expect(walk.result.outcome == .fallback)
    #expect(walk.shown == ["prompt:Other ways"])
  }

  @Test func d22RetryOffersTheTitle() async throws {
    let fallback = try await walk(view(try await registered()), [{ $0.cancel() }, { $0.chooseFallback() }])
    #expect(fallback.result.outcome == .fallback)
    #expect(fallback.shown == ["prompt:Other ways", "retry:Other ways"])
    let canceled = try await walk(view(try await registered()), [{ $0.cancel() }, { $0.cancel() }])
    #expect(canceled.result.outcome == .canceled)
    let unmatched = try await walk(
      view(try await registered(), steps: .mismatch, .mismatch, .mismatch), [{ $0.scan() }, { $0.chooseFallback() }])
    #expect(unmatched.result.outcome == .fallback)
    #expect(unmatched.shown == ["prompt:Other ways", "scanning", "retry:Other ways"])
  }

  @Test func anotherModelsScanIsNoRetry() async throws {
    let kit = try await registered()
    try await kit.register(.deletion, steps: .match())
    let message = UAFKit.authentication(
      policy: ["accepted": [[["aaid": ["FFFF#A002"]], ["aaid": ["FFFF#A003"]]]]])
    let both = try await walk(view(kit, message, steps: .match(), .match()), [{ $0.scan() }, { $0.scan() }])
    #expect(both.result.outcome == .success)
    #expect(both.shown == ["prompt:Other ways", "scanning", "prompt:Other ways", "scanning"])
    // What did not match is scanned again, and then the next model's turn is a first one again.
    let retried = try await walk(
      view(kit, message, steps: .mismatch, .mismatch, .mismatch, .match(), .match()),
      [{ $0.scan() }, { $0.scan() }, { $0.scan() }])
    #expect(retried.result.outcome == .success)
    let shown = retried.shown.filter { $0 != "scanning" }
    #expect(shown == ["prompt:Other ways", "retry:Other ways", "prompt:Other ways"])
  }

  @Test func showsTransactionsForApproval() async throws {
    let message = UAFKit.authentication(.state, transaction: UAFKit.transaction("Pay"))
    let approved = try await walk(
      view(try await registered(), message, steps: .match()), [{ $0.approve(true) }, { $0.scan() }])
    #expect(try UAFKit.signed(approved.result.message).info.mode == .transactionConfirmed)
    #expect(approved.shown == ["approval:Pay", "prompt:Other ways", "scanning"])
    let refused = try await walk(view(try await registered(), message), [{ $0.approve(false) }])
    #expect(refused.result.outcome == .canceled)
  }

  @Test func ignoresAnswersThatHaveNoControl() async throws {
    let kit = try await registered()
    kit.device.verifier.script([.match()])
    let view = kit.client.authenticationView(UAFKit.authentication(.state), facetID: UAFKit.facet)
    let walk = try await walk(
      view,
      [
        {
          $0.approve(true)
          $0.choose("x")
          $0.chooseFallback()
          $0.scan()
          $0.scan()
        }
      ])
    #expect(walk.result.outcome == .success)
    #expect(walk.shown == ["prompt:-", "scanning"])
  }

  @Test func letsTheAppDrawChoices() async throws {
    let kit = try await registered()
    try await kit.register(.state, username: "bob", steps: .match())
    let walk = try await walk(
      view(kit, steps: .match()),
      [
        { $0.scan() },
        {
          $0.choose("nobody")
          $0.choose("bob")
        },
      ])
    #expect(walk.result.outcome == .success)
    // Names come after the verification.
    #expect(walk.shown == ["prompt:Other ways", "scanning", "choice:alice,bob"])
  }
}
