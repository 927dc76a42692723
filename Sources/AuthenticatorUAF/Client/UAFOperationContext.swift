import AuthenticatorCoding
import AuthenticatorCore
import AuthenticatorCrypto
import DeviceAuthenticators

/// What one operation has fixed from its first moment: who calls, for which application, by whose clock, until when.
final class UAFOperationContext: Sendable {
  let client: UAFClient
  let request: UAFRequest
  let facet: FacetID
  let application: UAFApplication
  let module: AuthenticatorModule
  /// What keys of this application and caller are bound to; empty before the first registration on this device.
  let tokens: AccessTokens
  let id: OperationID
  let deadline: Duration
  let channelBinding: ChannelBinding
  let extras: UAFExtras
  /// Whether the message asks for the methods of verification to be reported.
  let reportsMethods: Bool

  /// Decides what can be decided before an authenticator is looked at.
  /// - Throws: `invalidMessage`, `untrustedFacet`; `timedOut`.
  init(
    _ client: UAFClient, _ request: UAFRequest, facetID: String, channelBinding: ChannelBinding, extras: UAFExtras
  ) async throws {
    deadline = client.environment.uptime() + client.configuration.timeout
    let header = request.header
    for one in header.exts where one.failIfUnknown && !SealedAuthenticator.extensionIDs.contains(one.id) {
      throw AuthenticatorError(
        .invalidMessage, stage: "uaf.extensions",
        reason: MessageMembers.isName(one.id)
          ? "the extension \(one.id) must be understood and is unknown"
          : "an extension that must be understood is unknown")
    }
    guard header.appID?.utf8.count ?? 0 <= UAFLimits.appIDBytes else {
      throw MessageMembers.error("header.appID", "is too long")
    }
    let caller = try await client.caller(facetID, header, until: deadline)
    facet = caller.facet
    application = caller.application
    module = caller.module
    tokens = try await module.tokens(of: application)
    id = try OperationID(in: client.environment)
    reportsMethods = header.exts.contains { $0.id == UAFExtension.userVerificationMethodID }
    self.client = client
    self.request = request
    self.channelBinding = channelBinding
    self.extras = extras
  }

  // MARK: Choosing

  /// The choices in the order in which they are tried. The person is asked only where the app wants it, or when a
  /// sign-in has failed before: then once, whatever the answer.
  func ordered(_ choices: [PolicyChoice], of found: Candidates, isRegistration: Bool) async throws -> [PolicyChoice] {
    guard choices.count > 1, let first = choices.first?.members else { return choices }
    let configuration = client.configuration
    guard let responder = configuration.responder else { return choices }
    var kind: ChoiceQuestion.Kind?
    if !isRegistration, let failed = try await module.failedModel(tokens),
      first.contains(where: { found[$0].information.aaid == failed })
    {
      kind = .alternative
      try await module.note(failureOf: nil, tokens)
    }
    if kind == nil, configuration.asksForAuthenticator { kind = .choose }
    guard let kind else { return choices }
    let titles = Self.distinct(
      choices.map { choice in
        choice.members.map { found[$0].information.title }.joined(separator: ", ")
      })
    let texts = configuration.texts
    let question = ChoiceQuestion(
      kind: kind, options: titles, prompt: prompt(kind == .alternative ? texts.alternative : texts.chooseAuthenticator),
      deadline: deadline)
    let chosen = try await waiting { try await responder.choose(question) }
    guard let index = titles.firstIndex(of: chosen) else {
      throw AuthenticatorError(.invalidRequest, stage: "uaf.choice", reason: "the answer is none of the options")
    }
    return [choices[index]]
  }

  /// Titles that can be told apart.
  static func distinct(_ titles: [String]) -> [String] {
    var seen: [String: Int] = [:]
    return titles.map { title in
      let count = (seen[title] ?? 0) + 1
      seen[title] = count
      return count == 1 ? title : "\(title) (\(count))"
    }
  }

  // MARK: What operations share

  func finalChallenge(_ challenge: String) -> FinalChallengeParameters {
    FinalChallengeParameters(
      appID: application.id, challenge: challenge, facetID: facet.normalized, channelBinding: channelBinding)
  }

  func command(
    _ challenge: FinalChallengeParameters, prompt: Prompt, set: [UInt8] = []
  ) -> SealedAuthenticator.Command {
    SealedAuthenticator.Command(
      appID: application.id, finalChallengeHash: challenge.hash, operation: id, prompt: prompt, deadline: deadline,
      reportsMethods: reportsMethods, set: set)
  }

  func prompt(_ reason: String, offersFallback: Bool = false) -> Prompt {
    Prompt(
      reason: reason, cancelTitle: client.configuration.texts.cancelTitle,
      fallbackTitle: offersFallback ? extras.fallbackTitle : nil, extensions: extras.custom)
  }

  /// Waits for a person until the operation's end.
  func waiting<Value: Sendable>(_ answer: @escaping @Sendable () async throws -> Value) async throws -> Value {
    try await DeadlineRace.run(until: deadline, in: client.environment, stage: "uaf.prompt", answer)
  }
}
