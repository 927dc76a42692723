internal import AuthenticatorCoding
internal import AuthenticatorCore
public import AuthenticatorRelyingParty

extension UAFSettings {
  /// Refuses settings with which nothing could ever succeed on a server of these applications.
  ///
  /// Throws `ExpectationError`, which names the member.
  public func check(applicationIDs: [String]) throws(ExpectationError) {
    try checkThatSomebodyCanSignIn()
    if let appID, !Self.isApp(appID, facets ?? Self.facets(of: applicationIDs)) { throw ExpectationError("appID") }
  }

  /// Refuses settings with which nothing could ever succeed, whatever the server's applications are.
  func checkThatSomebodyCanSignIn() throws(ExpectationError) {
    guard !models.isEmpty else { throw ExpectationError("metadata") }
    guard !speakingModels.isEmpty else { throw Self.useless("versions") }
    if let policy { try check(policy) }
    try checkLength()
    // A set is registered as a whole, so the smallest one must have room.
    let smallest = policy?.accepted.map(\.count).min() ?? 1
    guard quota >= smallest else { throw Self.useless("quota") }
    // The first registration of any authenticator that counts has a higher one.
    guard maximumRegistrationCounter > 0 else { throw Self.useless("maximumRegistrationCounter") }
    if let appID, !Self.isApp(appID, facets) { throw ExpectationError("appID") }
  }

  private static func useless(_ member: String) -> ExpectationError { ExpectationError(member, isUseless: true) }

  /// What a request may hold of policy and extensions. In a journey it is one text in JSON, of at most 64 KiB, and what
  /// is of the person and the moment needs room too.
  private static let maximumBytes = 48 * 1024

  /// That requests, of which each version that some model speaks repeats policy, extensions and the user's keys, and
  /// responses, which repeat the extensions, are no longer than journeys have them.
  private func checkLength() throws(ExpectationError) {
    func length(_ value: JSONValue) -> Int { JSONValue.string(value.serializedString()).serialized().count }
    var (ofPolicy, ofExtensions, ofKeys) = (0, 0, 0)
    for version in versions {
      let speaking = models.all.filter { $0.versions.contains(version) }
      guard !speaking.isEmpty else { continue }
      ofPolicy += length(.object((policy ?? UAFAcceptancePolicy(anyOf: speaking.map(\.aaid))).json))
      ofExtensions += length(.array(extensions.map(\.json)))
      // The KeyIDs of one user's keys, each of 32 bytes in base64url, with its quotation marks and comma.
      ofKeys += quota * 48
    }
    guard ofPolicy + ofExtensions + ofKeys > Self.maximumBytes else { return }
    guard ofKeys < max(ofPolicy, ofExtensions) else { throw Self.useless("quota") }
    throw Self.useless(ofPolicy < ofExtensions ? "extensions" : self.policy == nil ? "metadata" : "policy")
  }

  /// That every criterion names models that can serve it, and every set can be served in one version.
  private func check(_ policy: UAFAcceptancePolicy) throws(ExpectationError) {
    for (place, set) in policy.accepted.enumerated() {
      for (index, criterion) in set.enumerated() {
        let path = "policy.accepted.\(place).\(index)"
        guard criterion.aaids?.allSatisfy(isSpoken) ?? true else { throw Self.useless(path + ".aaid") }
        // Keys have names only where somebody is known.
        guard criterion.keyIDs == nil else { throw Self.useless(path + ".keyIDs") }
        let isServed = speakingModels.contains { model in
          let candidate = UAFCandidate(model)
          return policy.admits(candidate) && criterion.matches(candidate)
        }
        guard isServed else { throw Self.useless(path) }
      }
      // A response is in one version, and each criterion needs a model of its own: a client never has two
      // authenticators of one.
      let alone = UAFAcceptancePolicy(accepted: [set], disallowed: policy.disallowed)
      let isServed = versions.contains { version in
        alone.match(models.all.filter { $0.versions.contains(version) }.map { UAFCandidate($0) }) != nil
      }
      guard isServed else { throw Self.useless("policy.accepted.\(place)") }
    }
  }

  /// Whether there is metadata of a model, and it speaks one of the versions.
  private func isSpoken(_ aaid: String) -> Bool { models[aaid]?.versions.contains(where: versions.contains) ?? false }

  /// Refuses journeys with a UAF node that names a model which could never answer; where no model is known at all the
  /// nodes end as `unsupported`.
  ///
  /// Throws `JourneyTreeError`, which names the step and the setting.
  public func check(_ journeys: [JourneyTree]) throws(JourneyTreeError) {
    guard !models.isEmpty else { return }
    for tree in journeys {
      for step in tree.steps.values.sorted(by: { $0.id < $1.id }) {
        for policy in Self.policies(of: step.node) {
          let isServed = policy.accepted.allSatisfy { set in
            set.allSatisfy { $0.aaids?.allSatisfy(isSpoken) ?? true }
          }
          guard isServed else {
            throw JourneyTreeError(tree: tree.name, .invalidSetting(step: step.id, setting: "aaids"))
          }
        }
      }
    }
  }

  private static func policies(of node: any TreeNode) -> [UAFAcceptancePolicy] {
    switch node {
    case let page as PageNode: page.nodes.flatMap { policies(of: $0) }
    case let node as UAFRegistrationNode: node.policy.map { [$0] } ?? []
    case let node as UAFAuthenticationNode: node.policy.map { [$0] } ?? []
    default: []
    }
  }

  /// An https address, or one of the facets, whose only app it then is.
  private static func isApp(_ text: String, _ facets: [String]?) -> Bool {
    guard text.lowercased().hasPrefix("https:") else {
      return UAFFacet.normalized(text) != nil && facets?.contains { $0.isIdentical(to: text) } ?? true
    }
    return (try? WebURL(text)) != nil
  }
}
