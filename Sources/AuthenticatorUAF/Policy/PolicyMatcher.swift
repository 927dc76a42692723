/// What a policy is compared with: one authenticator of this device and the keys it holds for the application.
public struct PolicyCandidate: Sendable {
  /// The authenticator.
  public var information: UAFAuthenticatorInformation
  /// The keys registered with it for the application and this caller.
  public var keyIDs: Set<UAFKeyID>

  /// Makes a candidate.
  public init(information: UAFAuthenticatorInformation, keyIDs: Set<UAFKeyID> = []) {
    self.information = information
    self.keyIDs = keyIDs
  }
}

/// One way of serving a policy: authenticators that answer together.
public struct PolicyChoice: Hashable, Sendable {
  /// One authenticator with what its criterion asks of it.
  public struct Member: Hashable, Sendable {
    /// The place among the candidates.
    public var candidate: Int
    /// The keys that the criterion names; nil: any.
    public var keyIDs: [UAFKeyID]?
    /// The attestations that the criterion names, best first; nil: any.
    public var attestationTypes: [UAFAttestationType]?

    init(candidate: Int, _ criterion: MatchCriteria) {
      self.candidate = candidate
      keyIDs = criterion.keyIDs
      attestationTypes = criterion.attestationTypes
    }
  }

  /// In the order of the set's criteria.
  public var members: [Member]
}

/// Finds the authenticators that a policy admits (FIDO UAF Protocol, section "Policy").
public struct PolicyMatcher: Sendable {
  private let candidates: [PolicyCandidate]

  /// Compares with these.
  public init(_ candidates: [PolicyCandidate]) { self.candidates = candidates }

  /// The usable sets in the server's order, each with the authenticators that serve it. Where several authenticators
  /// serve one criterion, each makes a choice of its own; different criteria of a set are served by different ones. At
  /// most 64; a choice that was made already is not made again.
  /// - Parameter isUsable: whether a member could do what is asked for; what could not takes no part.
  public func choices(
    for policy: UAFPolicy, where isUsable: (PolicyChoice.Member) -> Bool = { _ in true }
  ) -> [PolicyChoice] {
    Self.choices(for: policy, among: candidates.indices, where: isUsable) { Self.matches($0, candidates[$1]) }
  }

  /// The same for candidates that are kept elsewhere.
  /// - Parameter areUsable: whether the members of a set, each of them usable, could answer together.
  static func choices(
    for policy: UAFPolicy, among candidates: Range<Int>, where isUsable: (PolicyChoice.Member) -> Bool,
    together areUsable: (PolicyChoice) -> Bool = { _ in true }, matches: (MatchCriteria, Int) -> Bool
  ) -> [PolicyChoice] {
    let admitted = candidates.filter { index in !policy.disallowed.contains { matches($0, index) } }
    guard !admitted.isEmpty else { return [] }
    var search = Search()
    for set in policy.accepted where !search.isOver {
      if set.count == 1 {
        // Most sets have one criterion, and there is nothing to combine.
        for candidate in admitted where !search.isOver && matches(set[0], candidate) {
          let member = PolicyChoice.Member(candidate: candidate, set[0])
          if isUsable(member) { search.add(PolicyChoice(members: [member])) }
        }
        continue
      }
      let servers = set.map { criterion in
        admitted.filter { matches(criterion, $0) && isUsable(PolicyChoice.Member(candidate: $0, criterion)) }
      }
      guard servers.allSatisfy({ !$0.isEmpty }) else { continue }
      combine(set, servers, [], together: areUsable, into: &search)
    }
    return search.choices
  }

  private struct Search {
    private(set) var choices: [PolicyChoice] = []
    private var repeated = 0

    /// More ways than this are no choice any more; and a policy that only repeats itself is not followed for ever.
    var isOver: Bool { choices.count >= UAFLimits.policyChoices || repeated >= UAFLimits.policyRepetitions }

    mutating func add(_ choice: PolicyChoice, if areUsable: (PolicyChoice) -> Bool = { _ in true }) {
      if choices.contains(choice) || !areUsable(choice) { repeated += 1 } else { choices.append(choice) }
    }
  }

  private static func combine(
    _ set: [MatchCriteria], _ servers: [[Int]], _ chosen: [Int], together areUsable: (PolicyChoice) -> Bool,
    into search: inout Search
  ) {
    guard !search.isOver else { return }
    guard chosen.count < set.count else {
      search.add(PolicyChoice(members: zip(set, chosen).map { PolicyChoice.Member(candidate: $1, $0) }), if: areUsable)
      return
    }
    // Without this the search could try every order before it finds that there is no way.
    guard set.count - chosen.count == 1 || canServe(servers[chosen.count...], besides: Set(chosen)) else { return }
    for candidate in servers[chosen.count] where !chosen.contains(candidate) {
      combine(set, servers, chosen + [candidate], together: areUsable, into: &search)
    }
  }

  /// Whether each of these criteria can be served by an authenticator of its own: a matching in the graph of criteria
  /// and authenticators, grown along augmenting paths.
  private static func canServe(_ servers: ArraySlice<[Int]>, besides taken: Set<Int>) -> Bool {
    var criterionOf: [Int: Int] = [:]
    func serve(_ criterion: Int, _ visited: inout Set<Int>) -> Bool {
      for candidate in servers[criterion] where !taken.contains(candidate) && visited.insert(candidate).inserted {
        if let other = criterionOf[candidate], !serve(other, &visited) { continue }
        criterionOf[candidate] = criterion
        return true
      }
      return false
    }
    return servers.indices.allSatisfy { criterion in
      var visited: Set<Int> = []
      return serve(criterion, &visited)
    }
  }

  /// Whether every field that is there matches.
  public static func matches(_ criteria: MatchCriteria, _ candidate: PolicyCandidate) -> Bool {
    matches(criteria, candidate.information, hasKey: candidate.keyIDs.contains)
  }

  static func matches(
    _ criteria: MatchCriteria, _ model: UAFAuthenticatorInformation, hasKey: (UAFKeyID) -> Bool
  ) -> Bool {
    if let aaid = criteria.aaid, !aaid.contains(model.aaid) { return false }
    if let vendors = criteria.vendorID, !vendors.contains(where: model.aaid.isOf(vendor:)) { return false }
    if let keys = criteria.keyIDs, !keys.contains(where: hasKey) { return false }
    if let methods = criteria.userVerification, !methods.matches(model.userVerification) { return false }
    if let protection = criteria.keyProtection, protection.isDisjoint(with: model.keyProtection) { return false }
    if let matcher = criteria.matcherProtection, matcher.isDisjoint(with: model.matcherProtection) { return false }
    if let hint = criteria.attachmentHint, hint.isDisjoint(with: model.attachmentHint) { return false }
    if let display = criteria.tcDisplay, display.isDisjoint(with: model.tcDisplay) { return false }
    if let algorithms = criteria.authenticationAlgorithms, !algorithms.contains(model.authenticationAlgorithm) {
      return false
    }
    if let schemes = criteria.assertionSchemes, !schemes.contains(model.assertionScheme) { return false }
    if let types = criteria.attestationTypes, !types.contains(where: model.attestationTypes.contains) { return false }
    return !criteria.exts.contains { $0.failIfUnknown && !model.supportedExtensionIDs.contains($0.id) }
  }
}
