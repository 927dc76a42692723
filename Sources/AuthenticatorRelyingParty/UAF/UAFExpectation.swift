internal import AuthenticatorCoding
internal import AuthenticatorCrypto

/// What a relying party expects of a response: the request it sent, who may have answered, and how strict it is.
public struct UAFExpectation: Sendable {
  /// What is done when the authenticator reports another set of enrolled fingers or faces than at registration.
  public enum EnrollmentPolicy: String, Hashable, Sendable, CaseIterable {
    /// The response is refused (`enrollmentChanged`).
    case reject
    /// The response stands, and the verdict asks for more than this key; the stored state stays.
    case stepUp
    /// The response stands and the new state takes the stored one's place.
    case accept
  }

  /// What is done when the counter did not rise.
  public enum SignCounterPolicy: String, Hashable, Sendable, CaseIterable {
    /// The response is refused (`counterNotIncreased`).
    case reject
    /// The response stands, and the verdict says so; the stored counter stays.
    case flag
  }

  // MARK: The request

  /// The versions that were offered.
  public var versions: [UAFProtocolVersion]
  /// The app that was named; nil when none was: then the facet's name takes its place.
  public var appID: String?
  /// The challenge, as it stands in the request.
  public var challenge: String
  /// What the header carried for the server; nil when it carried nothing.
  public var serverData: String?
  /// Which authenticators were admitted.
  public var policy: UAFAcceptancePolicy
  /// The forms of the transaction that was to be confirmed; empty when there was none.
  public var transactions: [UAFTransactionContent] = []
  /// Hashes of further forms, for a server that kept no contents.
  public var transactionHashes: [[UInt8]] = []
  /// The ids of the extensions in the request's header, which the response's header repeats. One of another id that
  /// must be understood is refused, unless it is one of `UAFExtensionID.known`.
  public var extensionIDs: Set<String> = []

  // MARK: The server

  /// The models that are known.
  public var models: UAFModels
  /// The app's facets; web origins are compared as `UAFFacet` writes them, others as whole texts.
  public var facets: Set<String>
  /// What is known of the connection; what a response names of it must be equal.
  public var channelBinding = UAFChannelBinding()
  /// Whether a response must name at least one of them.
  public var requiresChannelBinding = false
  /// What is done about a changed enrollment.
  public var enrollmentPolicy = EnrollmentPolicy.stepUp
  /// What is done about a counter that did not rise.
  public var signCounterPolicy = SignCounterPolicy.reject
  /// The most registrations one authenticator may have made, or have made since the highest counter that is known of
  /// the user's keys of its model; more are not believed. An authenticator without the counter says 0, which always is.
  public var maximumRegistrationCounter: UInt32 = 65_535

  /// Describes a request.
  public init(
    challenge: String, appID: String?, serverData: String? = nil, versions: [UAFProtocolVersion] = [.uaf11],
    policy: UAFAcceptancePolicy, models: UAFModels, facets: Set<String>
  ) {
    self.challenge = challenge
    self.appID = appID
    self.serverData = serverData
    self.versions = versions
    self.policy = policy
    self.models = models
    self.facets = facets
  }

  // MARK: - Checks of both operations

  /// The message apart from its assertions (UAF Protocol 1.1 section 3.4.6.5, steps 1 to 6).
  func check(
    _ response: UAFReceivedResponse, _ operation: UAFServerOperation
  ) throws(UAFVerificationError) -> UAFFinalChallenge {
    let header = response.header
    guard versions.contains(header.version) else {
      throw UAFVerificationError(.versionUnsupported, "the version was not offered")
    }
    guard header.operation == operation else {
      throw UAFVerificationError(.operationMismatch, "the response is one to another operation")
    }
    try checkExtensions(header.extensionsToUnderstand)
    for assertion in response.assertions { try checkExtensions(assertion.extensionsToUnderstand) }
    guard header.serverData.map({ Array($0.utf8) }) == serverData.map({ Array($0.utf8) }) else {
      throw UAFVerificationError(.serverDataInvalid, "the server data is not what was sent")
    }
    let final = try UAFFinalChallenge(response.finalChallenge)
    let expectedAppID = appID.flatMap { $0.isEmpty ? nil : $0 } ?? final.facetID
    guard final.appID.isIdentical(to: expectedAppID), header.appID?.isIdentical(to: expectedAppID) ?? true else {
      throw UAFVerificationError(.appIDMismatch, "the response names another app")
    }
    guard ConstantTime.equals(Array(final.challenge.utf8), Array(challenge.utf8)) else {
      throw UAFVerificationError(.challengeMismatch, "the challenge is not the one that was sent")
    }
    guard isTrusted(final.facetID) else {
      throw UAFVerificationError(.facetUntrusted, "the facet is not one of the app's")
    }
    try check(final.channelBinding)
    return final
  }

  private func checkExtensions(_ ids: Set<String>) throws(UAFVerificationError) {
    guard ids.allSatisfy({ UAFExtensionID.known.contains($0) || extensionIDs.contains($0) }) else {
      throw UAFVerificationError(.extensionUnknown, "an extension of the message must be understood")
    }
  }

  /// Listed, or a web origin on the app's own host (AppID and Facets 1.1 section 3.1.2).
  private func isTrusted(_ facetID: String) -> Bool {
    if facets.contains(where: { (UAFFacet.normalized($0) ?? $0).isIdentical(to: facetID) }) { return true }
    guard let appID, !appID.isEmpty else { return false }
    guard let appHost = Self.host(appID) else { return appID.isIdentical(to: facetID) }
    // An origin has nothing behind its host and port.
    guard UAFFacet.normalized(facetID) != nil, !facetID.dropFirst(8).contains("/") else { return false }
    return Self.host(facetID)?.isIdentical(to: appHost) ?? false
  }

  /// The host of an https address, in lower case; nil for anything else.
  private static func host(_ url: String) -> String? {
    guard url.lowercased().hasPrefix("https://") else { return nil }
    let authority = url.dropFirst(8).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard let origin = UAFFacet.normalized("https://" + authority) else { return nil }
    let named = origin.dropFirst(8)
    return String(named.hasPrefix("[") ? named.prefix { $0 != "]" } : named.prefix { $0 != ":" })
  }

  private func check(_ received: JSONObject) throws(UAFVerificationError) {
    let mismatch = UAFVerificationError(.channelBindingMismatch, "the connection was another one")
    var compared = 0
    for (name, value) in channelBinding.known {
      guard let text = received[name]?.stringValue else { continue }
      guard ConstantTime.equals(Array(text.utf8), Array(value.utf8)) else { throw mismatch }
      compared += 1
    }
    guard compared > 0 || !requiresChannelBinding else { throw mismatch }
  }

  /// The model of an assertion, its scheme and its hash.
  func check(
    _ assertion: UAFReceivedResponse.Assertion, _ facts: UAFSignedFacts, _ final: UAFFinalChallenge,
    _ version: UAFProtocolVersion
  ) throws(UAFVerificationError) -> UAFModelStatement {
    guard let model = models[facts.aaid] else {
      throw UAFVerificationError(.modelUnknown, "there is no metadata of the model")
    }
    guard model.versions.contains(version) else {
      throw UAFVerificationError(.modelVersionMismatch, "the model does not speak the version of the message")
    }
    guard assertion.scheme == model.assertionScheme else {
      throw UAFVerificationError(.schemeMismatch, "the scheme is not the model's")
    }
    guard ConstantTime.equals(Array(facts.finalChallengeHash), final.hash) else {
      throw UAFVerificationError(.finalChallengeHashMismatch, "the assertion is one to another final challenge")
    }
    guard facts.authenticatorVersion >= model.authenticatorVersion else {
      throw UAFVerificationError(.authenticatorVersionTooLow, "the authenticator is older than its metadata")
    }
    return model
  }

  /// Leaves the assertions that serve one accepted set wholly; the others are refused.
  func admit<Element>(
    _ verified: [(element: Element, candidate: UAFCandidate)], _ refused: inout [UAFRefusedAssertion]
  ) throws(UAFVerificationError) -> [Element] {
    guard let chosen = policy.match(verified.map(\.candidate)) else {
      throw refused.first?.error ?? UAFVerificationError(.policyMismatch, "no accepted set is complete")
    }
    for index in verified.indices where !chosen.contains(index) {
      refused.append(
        UAFRefusedAssertion(
          aaid: verified[index].candidate.aaid,
          error: UAFVerificationError(.policyMismatch, "the set that was accepted does not need it")))
    }
    return chosen.map { verified[$0].element }
  }
}

/// An assertion that was skipped while others of its response were accepted.
public struct UAFRefusedAssertion: Hashable, Sendable {
  /// The model it names; nil when it cannot be read.
  public let aaid: String?
  /// The check that failed.
  public let error: UAFVerificationError
}
