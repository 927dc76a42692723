public import AuthenticatorCoding

/// Which authenticators a request admits: sets of which one must be complete, in the order of preference, and what is
/// ruled out whatever they say (UAF Protocol 1.1 section 3.1.13).
public struct UAFAcceptancePolicy: Hashable, Sendable {
  /// One set must be served wholly, each criterion by an authenticator of its own.
  public var accepted: [[UAFAcceptanceCriteria]]
  /// What matches one of these is out.
  public var disallowed: [UAFAcceptanceCriteria]

  /// More sets than a policy may have, and more criteria that rule something out.
  static let maximumEntries = 1000
  /// More criteria than one set may have: clients read no more.
  static let maximumCriteria = 64

  /// Makes a policy.
  public init(accepted: [[UAFAcceptanceCriteria]], disallowed: [UAFAcceptanceCriteria] = []) {
    self.accepted = accepted
    self.disallowed = disallowed
  }

  /// Admits each of these models alone.
  public init(anyOf aaids: [String]) {
    self.init(accepted: aaids.map { [UAFAcceptanceCriteria(aaids: [$0])] })
  }

  /// Reads a policy; `strict` as for a criterion.
  ///
  /// Throws `ExpectationError`: no accepted set, an empty one, an unknown member, a malformed criterion.
  public init(json: JSONValue, path: String = "policy", strict: Bool = true) throws(ExpectationError) {
    let members = try ExpectationMembers(json, path: path)
    try members.admit(["accepted", "disallowed"])
    guard let sets = members.object["accepted"]?.arrayValue, !sets.isEmpty, sets.count <= Self.maximumEntries else {
      throw members.error("accepted")
    }
    accepted = []
    for (index, set) in sets.enumerated() {
      guard let set = set.arrayValue else { throw members.error("accepted.\(index)") }
      accepted.append(
        try Self.criteria(set, "\(path).accepted.\(index)", strict, atMost: Self.maximumCriteria))
    }
    disallowed = []
    if let value = members.object["disallowed"] {
      guard let list = value.arrayValue else { throw members.error("disallowed") }
      disallowed = try Self.criteria(list, "\(path).disallowed", strict, atMost: Self.maximumEntries)
    }
  }

  private static func criteria(
    _ list: [JSONValue], _ path: String, _ strict: Bool, atMost limit: Int
  ) throws(ExpectationError) -> [UAFAcceptanceCriteria] {
    guard (1...limit).contains(list.count) else { throw ExpectationError(path) }
    var criteria: [UAFAcceptanceCriteria] = []
    for (index, element) in list.enumerated() {
      criteria.append(try UAFAcceptanceCriteria(json: element, path: "\(path).\(index)", strict: strict))
    }
    return criteria
  }

  /// The policy as a message has it; there is no empty list in a message.
  public var json: JSONObject {
    var object: JSONObject = ["accepted": .array(accepted.map { .array($0.map { .object($0.json) }) })]
    if !disallowed.isEmpty { object["disallowed"] = .array(disallowed.map { .object($0.json) }) }
    return object
  }

  // MARK: - Matching

  /// Whether nothing rules the candidate out.
  public func admits(_ candidate: UAFCandidate) -> Bool { !disallowed.contains { $0.matches(candidate) } }

  /// The first set that the candidates serve wholly: for each of its criteria the index of a candidate, no candidate
  /// twice. Nil: there is none.
  public func match(_ candidates: [UAFCandidate]) -> [Int]? {
    let admitted = candidates.indices.filter { admits(candidates[$0]) }
    guard !admitted.isEmpty else { return nil }
    for set in accepted {
      if let chosen = Self.assignment(set, candidates, admitted) { return chosen }
    }
    return nil
  }

  /// Gives each criterion a candidate of its own, moving earlier ones to others where that helps.
  private static func assignment(
    _ set: [UAFAcceptanceCriteria], _ candidates: [UAFCandidate], _ admitted: [Int]
  ) -> [Int]? {
    if set.count == 1 { return admitted.first { set[0].matches(candidates[$0]) }.map { [$0] } }
    guard set.count <= admitted.count else { return nil }
    var edges: [[Int]] = []
    for criterion in set {
      let matching = admitted.filter { criterion.matches(candidates[$0]) }
      guard !matching.isEmpty else { return nil }
      edges.append(matching)
    }
    var owner: [Int: Int] = [:]
    for criterion in set.indices {
      var seen: Set<Int> = []
      guard place(criterion, edges, &owner, &seen) else { return nil }
    }
    var chosen = [Int](repeating: 0, count: set.count)
    for (candidate, criterion) in owner { chosen[criterion] = candidate }
    return chosen
  }

  private static func place(
    _ criterion: Int, _ edges: [[Int]], _ owner: inout [Int: Int], _ seen: inout Set<Int>
  ) -> Bool {
    for candidate in edges[criterion] where seen.insert(candidate).inserted {
      guard let other = owner[candidate] else {
        owner[candidate] = criterion
        return true
      }
      if place(other, edges, &owner, &seen) {
        owner[candidate] = criterion
        return true
      }
    }
    return false
  }
}
